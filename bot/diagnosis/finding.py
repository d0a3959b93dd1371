"""What a diagnosis says."""

from __future__ import annotations

from dataclasses import dataclass

from bot.diagnosis.rule import Action

HEALTHY = "none"
NOT_IN_LOG = "cause-not-in-log"


@dataclass(frozen=True)
class Evidence:
    """A line that proves it, quoted without colours and prefix."""

    file: str
    line_no: int
    """From 1, as an editor counts; 0 where only the end of the file could be read."""
    line: str
    rank: str = ""
    node: str = ""
    ranks: tuple[str, ...] = ()
    """All ranks whose logs say the same, in their order; empty where no line names its rank."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The one cause of a failure, or that there is none to name."""

    label: str
    group: str
    title: str
    """One sentence for people."""
    confidence: float
    """0 to 1."""
    evidence: tuple[Evidence, ...] = ()
    remedy: str = ""
    actions: tuple[Action, ...] = ()
    transient: bool = False
    """Whether a plain rerun plausibly helps."""
    nodes: tuple[str, ...] = ()
    """The nodes to blame; empty where none is, or it is not known which."""
    unread: tuple[str, ...] = ()
    """Log files of the job of which nothing was read, or the end alone: it may be in these."""

    @property
    def healthy(self) -> bool:
        """Whether nothing is wrong."""
        return self.label == HEALTHY
