"""Frees log text of what hides its words: colours, carriage returns, prefixes of launchers."""

from __future__ import annotations

from dataclasses import dataclass

from bot.diagnosis.patterns import pattern

_ESCAPE = b"\x1b"
_ANSI = pattern(r"\x1b(?:\[[0-9;:?]*[A-Za-z]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[()][A-Z0-9])")


def lines(raw: bytes) -> bytes:
    r"""Return the text in which every line ends with `\n`, a carriage return's with `\r\n`.

    So the number of a line in the file is the count of `\n` less that of `\r\n`.
    """
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\r\n")
    if _ESCAPE in raw:
        raw = _ANSI.sub(b"", raw)
    return raw


@dataclass(frozen=True)
class Line:
    """One line without what its launcher put in front."""

    text: bytes
    rank: str = ""
    node: str = ""


def line(raw: bytes) -> Line:
    """Strip a progress bar and the prefixes, keep the rank and node they name."""
    rank = node = b""
    text = raw.strip()
    for _ in range(_MOST_PREFIXES):
        found = _PREFIX.match(text)
        if found is None or found.group().startswith(_SLURMSTEPD):
            break
        rank = next((g for g in found.group(1, 2, 3, 4, 5) if g), rank)
        node = found.group(6) or node
        text = text[found.end() :].strip()
    return Line(text, rank.decode("utf-8", "replace"), node.decode("utf-8", "replace"))


_MOST_PREFIXES = 5
_SLURMSTEPD = (b"slurmstepd", b"srun", b"sbatch")
_PREFIX = pattern(
    r"(?:"
    # a progress bar whose carriage return was lost
    r".*\d+%\|.*(?:it/s|s/it|B/s|s/ba|ba/s|examples/s|tok/s)[^\]]*\]"
    # torchrun, torchx, PyTorch: [default3]: [rank3]: [node-1:3]:
    r"|\[(?:default|rank|Rank |local_rank|node-?\d*:)(\d+)\]:? ?"
    # srun --label
    r"|(\d{1,5}): "
    # mpirun --tag-output
    r"|\[\d+,(\d+)\]<std(?:err|out)>: ?"
    # NeMo-Run and torchx: jobname/0
    r"|[A-Za-z][\w.-]*/(\d+) "
    # Ray and vLLM: (Worker[rank=3] pid=12, ip=10.0.0.1)
    r"|\([^()]{0,60}rank=(\d+)[^()]{0,20}\bpid=\d+[^()]{0,60}\) ?"
    r"|\([^()]{0,80}\bpid=\d+[^()]{0,60}\) ?"
    # pdsh, clush: a host name that ends in a digit
    r"|([a-z][a-z0-9.-]*\d): "
    r")"
)
