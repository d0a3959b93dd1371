"""The driver's side of the cluster: work goes to all nodes and comes back in order."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nemo_rl.distributed.node import ADDRESS, call


class ActorDiedError(Exception):
    """A node is gone."""

    __module__ = "ray.exceptions"  # as a traceback names it


class RayTaskError(Exception):
    """What a node raised, with its traceback."""

    __module__ = "ray.exceptions"


class Cluster:
    """A connection to the head."""

    def __init__(self, nodes: int) -> None:
        """Find the head by the folder that the launcher names in NRL_LOG_DIR."""
        self.nodes = nodes
        try:
            self._head = call(Path(os.environ["NRL_LOG_DIR"]) / ADDRESS)
        except (KeyError, FileNotFoundError, ConnectionRefusedError):
            raise ConnectionError(
                "Could not find any running Ray instance. Please specify the one to connect to by"
                " setting the `NRL_LOG_DIR` environment variable."
            ) from None
        self._head.send(("driver",))

    def map(self, task: str, shards: Sequence[Any]) -> list[Any]:
        """Run the function `module:name` once for each shard, on all nodes."""
        try:
            self._head.send((task, list(shards)))
            kind, value = self._head.recv()
        except (EOFError, OSError):
            kind, value = "dead", "ray-head"
        if kind == "dead":
            raise ActorDiedError(
                "The actor died unexpectedly before finishing this task.\n"
                f"\tThe actor died because its node has died. Node: {value}"
            )
        if kind == "failed":
            raise RayTaskError(value)
        return list(value)
