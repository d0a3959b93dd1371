"""A local Slack: it speaks Slack's wire, keeps a workspace in memory and shows it on a page."""
