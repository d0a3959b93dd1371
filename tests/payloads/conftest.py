"""When the checks of this folder run."""

from __future__ import annotations

import os

collect_ignore = ["test_sent.py"] if "PYTEST_XDIST_WORKER" in os.environ else []
"""What others send is complete when they are over; named by itself, the file runs all the same."""
