"""The door to a cluster: the connection, the scheduler, launching, files."""

from __future__ import annotations
