"""A stand-in for NeMo-RL."""

from __future__ import annotations

from pathlib import Path

__version__ = (Path(__file__).parents[1] / "VERSION").read_text().strip()
