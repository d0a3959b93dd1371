"""Frees log text of what hides its words: colours, carriage returns, prefixes of launchers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

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
    """As it is quoted."""
    bare: bytes
    """Without the header of a logger that calls it an error, as rules see it."""
    rank: str = ""
    node: str = ""
    task: str = ""
    """The number that `srun --label` gives, which may be a node's and not a rank's."""
    local: bool = False
    """The rank is counted anew on each node."""


def line(raw: bytes) -> Line:
    """Strip a progress bar and the prefixes, keep the rank and node they name."""
    rank = node = task = ""
    local = False
    text = raw.strip()
    for _ in range(_MOST_PREFIXES):
        found = _PREFIX.match(text)
        if found is None or text.startswith(_SLURM):
            break
        prefix = found.group()
        if _BAR not in prefix:
            named_rank, named_node = _who(prefix)
            rank, node = named_rank or rank, named_node or node
            task = task or (named_rank if _TASK.fullmatch(prefix) else "")
            local = prefix.startswith(_LOCAL) if named_rank else local
        text = text[len(prefix) :].strip()
    if not node and _NCCL in text[:_HEAD]:
        speaks = _NCCL_HOST.match(text)
        node = speaks.group(1).decode() if speaks else ""
    header = _HEADER.match(text) if text[:1] in _HEADS else None
    return Line(text, text[header.end() :] if header else text, rank, node, task, local)


@lru_cache(maxsize=4096)
def _who(prefix: bytes) -> tuple[str, str]:
    """Return the rank and the node that a prefix names."""
    rank, node = _RANK.search(prefix), _NODE.fullmatch(prefix)
    return (rank.group(1).decode() if rank else "", node.group(1).decode() if node else "")


_MOST_PREFIXES = 5
_SLURM = (b"slurmstepd", b"srun", b"sbatch")
_BAR = b"%|"
_TASK = pattern(r"\d{1,5}: ?")
_LOCAL = (b"[default", b"[local_rank")
_NCCL, _HEAD = b" NCCL ", 120
_NCCL_HOST = pattern(r"([a-z][\w.-]*):\d+:\d+ \[\d+\] (?:\S+:\d+ )?NCCL ")
_PREFIX = pattern(
    # a progress bar whose carriage return was lost
    r".*\d+%\|.*(?:it/s|s/it|B/s|s/ba|ba/s|examples/s|tok/s)[^\]]*\]"
    # torchrun, torchx, PyTorch: [default3]: [rank3]: [node-1:3]:
    r"|\[(?:default|rank|Rank |local_rank|node-?\d*:)\d+\]:? ?"
    # srun --label
    r"|\d{1,5}: "
    # mpirun --tag-output, and as cloud services start it
    r"|\[\d+,(?:mpirank:)?\d+(?:,[\w.-]+)?\]<std(?:err|out)>: ?"
    # launchers that number their children
    r"|\[\d{1,5}\](?:: ?| )|\((?:worker|rank)[_ ]?\d+\) ?:? "
    # docker compose
    r"|[a-z][\w.-]*\d +\| "
    # journald
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]+ [\w./-]+(?:\[\d+\])?: "
    # NeMo-Run and torchx: jobname/0
    r"|[A-Za-z][\w.-]*/\d+ "
    # Ray and vLLM: (Worker[rank=3] pid=12, ip=10.0.0.1)
    r"|\([^()]{0,80}\bpid=\d+[^()]{0,60}\) ?"
    # containers and loggers: a time of day
    r"|\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]?\d*(?:Z|[+-]\d\d:?\d\d)? (?:std(?:out|err) [FP] )?"
    r"|\[\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]?\d*\] |\d\d:\d\d:\d\d(?:[.,]\d+)? "
    # pdsh, clush: a host name that ends in a digit
    r"|[a-z][a-z0-9.-]*\d: |[a-z][\w-]*\d(?:\.[a-z][\w-]*){2,}: "
)
_RANK = pattern(
    r"(?:^|\b(?:rank=|rank|Rank |default|node-?\d*:)|[^\d]/|^\[\d+,)(\d+)(?:\]|: ?$| $)"
)
_NODE = pattern(r"([a-z][\w.-]*\d(?:\.[a-z][\w-]*)*): ")
_HEADS = frozenset(bytes([byte]) for byte in b"[ECF0123456789")
_HEADER = pattern(
    r"(?:\[?\d{4}-\d\d-\d\d[ T-]\d\d:\d\d:\d\d[.,\d]*(?:Z|[+-]\d\d:?\d\d)?\]?:? ?(?:- |\| )?)?"
    r"(?:\[?(?:ERROR|CRITICAL|FATAL)\]?:? +(?:\d\d-\d\d \d\d:\d\d:\d\d )?(?:\[[\w./-]+:\d+\] )?"
    r"(?:- |\| )?|(?:ERROR|CRITICAL):[\w.]+:|\[NeMo E [^\]]+\] ?)?"
)
