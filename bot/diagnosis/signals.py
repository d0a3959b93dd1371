"""How programs, launchers and shells say that a process was ended by a signal."""

from __future__ import annotations


def ended_by(number: int, name: str) -> tuple[str, ...]:
    """Return the patterns for a signal; `SEGV` is the name of 11."""
    sig = f"SIG{name}"
    return (
        # torchrun, its summary
        rf"exitcode *: -{number}\b",
        rf"Signal {number} \({sig}\)",
        # Python's subprocess, multiprocessing and torch.multiprocessing.spawn
        rf"died with <Signals\.{sig}",
        rf"terminated with signal {sig}\b",
        # DeepSpeed and others that print what Popen returns
        rf"(?:return|exit)(?:ed with| status| code|_code)*[ =:]+-{number}\b",
        rf"(?:exited|terminated) with code -{number}\b",
        # joblib
        rf"\b{sig}\(-{number}\)",
        # shells, which add 128
        rf"(?:exit(?:ed with)? (?:code|status)|exit_?code|rc)[:=]? *{128 + number}\b",
        rf"(?:exited|failed) with (?:code|status) {128 + number}\b",
        rf"non-zero exit status {128 + number}\b",
        # mpirun, UCX, Ray and absl
        rf"exited on signal {number}\b",
        rf"[Cc]aught signal {number}\b",
        rf"(?:received (?:signal )?|\*\*\* ){sig}\b",
    )
