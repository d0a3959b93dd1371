"""How the field of a request is typed, and the fields that many subcommands share.

A field of a model is `Annotated[SHAPE, flag(...)]` or `Annotated[SHAPE, word(...)]`. The shape says
what is possible, the `Option` how it is typed; the grammar, the help and the forms read both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from bot.cluster_types import GPUS_PER_NODE, ClusterType
from bot.model import Value
from bot.shapes import (
    Account,
    ClusterName,
    Duration,
    JobIds,
    JobRef,
    NodeList,
    Partition,
    Path,
    Qos,
    Retries,
    Switch,
)
from bot.variables import Variable


@dataclass(frozen=True)
class Option:
    """How a field is typed."""

    flags: tuple[str, ...]
    help: str
    """One sentence without a full stop; empty for what is accepted but not shown."""
    metavar: str
    positional: bool = False
    rest: bool = False
    """Takes every further word, and all that follows `--`."""
    choices: tuple[str, ...] = ()
    also: str = ""
    """Regular expression of further words that are as good as a choice."""
    open: bool = False
    """Takes every option that no other field has, with its values."""

    @property
    def unseen(self) -> bool:
        """Whether nobody types it: the cluster adds it to a request."""
        return not (self.flags or self.positional or self.open)


def flag(*flags: str, help: str, metavar: str = "", choices: tuple[str, ...] = ()) -> Option:
    """Return an option that is typed with a flag; switches have no metavar."""
    return Option(flags, help, metavar, choices=choices)


def word(
    metavar: str, *flags: str, help: str, choices: tuple[str, ...] = (), also: str = ""
) -> Option:
    """Return an option that is typed by its place, or with one of the flags."""
    return Option(flags, help, metavar, positional=True, choices=choices, also=also)


def others(metavar: str, *, help: str) -> Option:
    """Return what takes the options that no other field has; they are checked later."""
    return Option((), help, metavar, open=True)


def unseen() -> Option:
    """Return the option of a field that nobody types."""
    return Option((), help="", metavar="")


class Options(Value):
    """What was asked of one subcommand, validated."""

    cluster: Annotated[
        ClusterName | None,
        flag("--cluster", metavar="NAME", help="the cluster, when the channel has no default"),
    ] = None


# The options that several subcommands share.
PartitionOption = Annotated[
    Partition | None,
    flag("-p", "--partition", metavar="PARTITION", help="the partition to wait in"),
]
TimeOption = Annotated[
    Duration | None,
    flag("-t", "--time", metavar="TIME", help="the time limit: `30` (minutes), `4h`, `2-00:00:00`"),
]
AccountOption = Annotated[
    Account | None, flag("-A", "--account", metavar="ACCOUNT", help="the Slurm account to charge")
]
QosOption = Annotated[Qos | None, flag("-q", "--qos", metavar="QOS", help="the quality of service")]
ExcludeOption = Annotated[
    NodeList | None,
    flag("-x", "--exclude", metavar="NODES", help="nodes to keep away from"),
]
ClusterTypeOption = Annotated[
    ClusterType | None,
    flag(
        "--cluster-type",
        metavar="TYPE",
        help="the cluster type; by default the one of the partition",
        choices=tuple(GPUS_PER_NODE),
    ),
]
AfterOption = Annotated[
    JobIds,
    flag("--after", metavar="JOB", help="start only when this job has completed; may be repeated"),
]
ImageOption = Annotated[
    Path | None,
    flag("-i", "--image", metavar="IMAGE", help="the container image, a `.sqsh` file"),
]
LogDirOption = Annotated[
    Path | None, flag("--log-dir", metavar="DIR", help="a folder for logs, mounted")
]
CacheDirOption = Annotated[
    Path | None, flag("--cache-dir", metavar="DIR", help="a folder for downloads, mounted")
]
DataDirOption = Annotated[
    Path | None, flag("--data-dir", metavar="DIR", help="a folder with data, mounted")
]
EnvOption = Annotated[
    tuple[Variable, ...],
    flag(
        "--env",
        metavar="NAME=VALUE",
        help="a variable of the job's environment, such as `WANDB_MODE=offline`; may be repeated",
    ),
]
DryRunOption = Annotated[Switch, flag("--dry-run", help="show what would run, and submit nothing")]
RetriesOption = Annotated[
    Retries,
    flag(
        "--retries",
        metavar="N",
        help="how often to run again by itself after a failure that may pass by itself",
    ),
]
JobWord = Annotated[
    JobRef | None,
    word("JOB", help="an id, a name, or nothing in the job's own thread"),
]


def typed_fields(model: type[Options]) -> list[tuple[str, Option]]:
    """Return a model's fields and how each is typed; what all commands share comes last."""
    found = [
        (name, next(item for item in info.metadata if isinstance(item, Option)))
        for name, info in model.model_fields.items()
    ]
    return sorted(found, key=lambda item: item[0] in Options.model_fields)
