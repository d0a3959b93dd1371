"""What is asked of NeMo-Run's experiments."""

from __future__ import annotations

from typing import Annotated

from bot.options import Options, flag, word
from bot.shapes import ExperimentRef, Index, Lines, Pattern, Switch

ExperimentWord = Annotated[
    ExperimentRef, word("EXPERIMENT", help="an id such as `nemo-demo-run_1796059983`, or a title")
]
IndexWord = Annotated[
    Index | None, word("NUMBER", help="which of its jobs, from 0; by default the first")
]


class ExperimentStatus(Options):
    """How an experiment of NeMo-Run is."""

    experiment: ExperimentWord


class ExperimentLogs(Options):
    """The end of the log of one of its jobs."""

    experiment: ExperimentWord
    index: IndexWord = None
    lines: Annotated[Lines, flag("-n", "--lines", metavar="N", help="how many lines")] = 40
    grep: Annotated[
        Pattern | None, flag("--grep", metavar="RE", help="only lines that match this expression")
    ] = None


class ExperimentCancel(Options):
    """The end of one of its jobs, or of all."""

    experiment: ExperimentWord
    index: Annotated[
        Index | None, word("NUMBER", help="which of its jobs, from 0, where there are several")
    ] = None
    all: Annotated[Switch, flag("--all", help="all its jobs")] = False
