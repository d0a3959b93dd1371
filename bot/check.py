"""One thing that was looked at: how it is, and what mends it."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Check:
    """A green or red line."""

    name: str
    ok: bool
    detail: str = ""
    fix: str = ""
    """What to do; empty when all is well."""

    @property
    def line(self) -> str:
        """As people read it."""
        sign = "ok  " if self.ok else "FAIL"
        fix = f"\n      {self.fix}" if self.fix and not self.ok else ""
        return f"{sign}  {self.name}: {self.detail}{fix}"

    def as_json(self) -> dict[str, object]:
        """As scripts read it."""
        return asdict(self)


def check(name: str, ok: object, detail: str, fix: str) -> Check:
    """Return a check whose remedy is told only when it is needed."""
    return Check(name, bool(ok), detail, "" if ok else fix)
