"""What may go wrong with the embedded cluster."""

from __future__ import annotations


class ClusterError(Exception):
    """The embedded cluster could not be started or operated; the message says what and why."""
