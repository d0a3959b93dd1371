"""A cluster in this process: answers queries by their names with what a test lets Slurm say."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from bot.job import base_id
from bot.ports import Output, Query

T = TypeVar("T")
UNKNOWN = "slurm_load_jobs error: Invalid job id specified\n"


class FakeSlurm:
    """Speaks the port."""

    name = "alice"

    def __init__(self) -> None:
        self.queue: list[str] = []
        """squeue's records."""
        self.control: dict[str, list[str]] = {}
        """scontrol's lines by job id; an unknown id is an error, as in Slurm."""
        self.accounting: list[str] = []
        """sacct's rows."""
        self.partitions = ""
        """sinfo's records."""
        self.logs: dict[str, str] = {}
        """The ends of logs by job id."""
        self.doors: dict[str, tuple[str, ...]] = {}
        """By job id: its attach script, if it is there, then the ends of its logs."""
        self.gpu_use = ""
        """What nvidia-smi says on the nodes of any job."""
        self.cancelled: list[str] = []
        """Ids that were cancelled."""
        self.instead: dict[str, Output | Exception] = {}
        """What queries of a name come to, as long as it is here."""
        self.meanwhile: dict[str, Callable[[], Awaitable[None]]] = {}
        """What happens while a query of a name is on its way, once."""
        self.files: dict[str, bytes] = {}
        """What was written."""
        self.asked: list[str] = []
        """The names of all queries."""

    async def run(self, query: Query[T]) -> T:
        """Answer."""
        self.asked.append(query.name)
        if meanwhile := self.meanwhile.pop(query.name, None):
            await meanwhile()
        said = self.instead.get(query.name)
        if isinstance(said, Exception):
            raise said
        return query.parse(said or self._output(query))

    async def rewrite(self, path: str, change: Callable[[bytes], bytes]) -> bool:
        """Keep a file's content."""
        self.asked.append("rewrite")
        old = self.files.get(path, b"")
        self.files[path] = change(old)
        return self.files[path] != old

    def _output(self, query: Query[Any]) -> Output:
        args = query.args
        match query.name:
            case "squeue":
                said = "".join(self.queue)
            case "scontrol show job":
                known = ["".join(self.control.get(job, ())) for job in args]
                return Output("".join(known), "" if all(known) else UNKNOWN, 0)
            case "sacct":
                ids = set(",".join(args[2:]).split(","))
                said = "".join(row for row in self.accounting if base_id(row) in ids)
            case "sinfo":
                said = self.partitions
            case "peek":
                said = "".join(f"{job}\x1f{self.logs.get(job, '')}\x1e" for job in args[3::3])
            case "id":
                said = {"50001": "alice", "50002": "bob"}.get(args[0], args[0])
            case "home":
                said = "/home/alice"
            case other:
                said = self._of_session(other, args)
        return Output(said, "", 0)

    def _of_session(self, name: str, args: tuple[str, ...]) -> str:
        """What is asked of interactive jobs alone, and of spools, of which there are none."""
        match name:
            case "look":
                return f"\n{args[0]} end"
            case "doors":
                asked = ((job, *self.doors.get(job, ("",))) for job in args[2::3])
                return "".join("\x1f".join(record) + "\x1e" for record in asked)
            case "gpu use":
                return self.gpu_use
            case "scancel":
                self.cancelled.append(args[0])
                row = f"\x1e{args[0]}\x1f{{}}\x1f\n"
                return f"{row.format('RUNNING')}\x1d0\x1d{row.format('CANCELLED')}"
            case other:
                raise AssertionError(f"nobody thought of {other}")

    def count(self, name: str) -> int:
        """How often a query of this name was asked."""
        return self.asked.count(name)
