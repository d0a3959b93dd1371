"""One answer of the doctor."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """What was looked at, whether it is well, what was found, and what to do if it is not."""

    name: str
    """`slack: scopes`, `alice: home`."""
    ok: bool
    detail: str
    fix: str = ""

    def __post_init__(self) -> None:
        """A check that fails without a word on what to do helps nobody."""
        if not self.ok and not self.fix:
            raise ValueError(f"{self.name} fails and names no fix")

    @property
    def line(self) -> str:
        """The form for people."""
        if self.ok:
            return f"ok    {self.name}: {self.detail}"
        return f"FAIL  {self.name}: {self.detail}\n      → {self.fix}"

    def as_json(self) -> dict[str, object]:
        """The form for scripts."""
        return {"name": self.name, "ok": self.ok, "detail": self.detail, "fix": self.fix}
