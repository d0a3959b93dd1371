"""What leads into a container: a command inside a job, the lines for a node."""

from __future__ import annotations

from typing import Annotated

from bot.options import ClusterTypeOption, JobWord, Option, Options, PartitionOption, word
from bot.shapes import CommandWords, NodeIndex


class Exec(Options):
    """One command inside an interactive job."""

    job: JobWord = None
    cmd: Annotated[
        CommandWords,
        Option(
            (),
            "the command; in quotes where it needs a shell, as in `-- 'nvidia-smi | head'`",
            "CMD",
            positional=True,
            rest=True,
        ),
    ]


class Shell(Options):
    """The lines that lead into a container on one node."""

    node: Annotated[NodeIndex, word("N", help="the node's number, as its name ends with it")]
    partition: PartitionOption = None
    cluster_type: ClusterTypeOption = None
