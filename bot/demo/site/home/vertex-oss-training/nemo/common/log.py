"""Lines in the form of NeMo's log; only the first task writes."""

from __future__ import annotations

import logging
import sys

from common import cluster

LOG = logging.getLogger("nemo")


def plain(text: str) -> None:
    """A line without NeMo's prefix."""
    if cluster.current().rank == 0:
        print(text, flush=True)


logging.basicConfig(
    stream=sys.stdout,
    level=logging.INFO if cluster.current().rank == 0 else logging.CRITICAL,
    format="[NeMo %(levelname).1s %(asctime)s %(module)s:%(lineno)d] %(message)s",
    datefmt="%Y-%m-%d %H:%M:%S",
)
