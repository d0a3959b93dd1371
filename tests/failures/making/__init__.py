"""Makes the logs in `tests/failures/made/`: real jobs, failing on the demo's real Slurm."""
