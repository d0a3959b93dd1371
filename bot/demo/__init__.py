"""The embedded default: a real local Slurm and sshd, and a local Slack with a page."""
