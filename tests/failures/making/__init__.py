"""Makes the logs in `tests/failures/made/`: each by really letting a job fail on the demo's Slurm."""
