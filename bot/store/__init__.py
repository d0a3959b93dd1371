"""What the bot remembers: acts, requests, jobs, messages, the audit log."""
