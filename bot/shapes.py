"""The shapes of what people type: one type per kind of word, refused in our own words."""

from __future__ import annotations

import re
from typing import Annotated

import re2
from pydantic import BeforeValidator

from bot.duration import canonical
from bot.secret_names import is_secret
from bot.shape import check, refused, shown, text, whole_number


def _path(value: object) -> str:
    path = _PATH(value)
    if ".." in path.split("/"):
        raise refused(f"{shown(path)} leads out of its folder", "Write the path without `..`")
    return path.replace("${", "$").replace("}", "")


def _duration(value: object) -> str:
    time = canonical(str(value))
    if not time:
        raise refused(
            f"{shown(value)} is not a length of time",
            "For example `30` (minutes), `90m`, `4h`, `1:30:00` or `2-00:00:00`",
        )
    return time


def _pattern(value: object) -> str:
    line = _LINE(value)
    quiet = re2.Options()
    quiet.log_errors = False
    try:
        re2.compile(line, quiet)
    except re2.error as error:
        raise refused(
            f"{shown(value)} is not a regular expression",
            "Put `\\` before characters such as `( [ * +` that are meant as they are",
        ) from error
    return line


def _switch(value: object) -> bool:
    choice = str(value).lower()
    if choice in {"true", "yes", "on", "1"}:
        return True
    if choice in {"false", "no", "off", "0"}:
        return False
    raise refused(f"{shown(value)} is neither yes nor no", "The option alone means yes")


def _commas(value: object) -> object:
    """Split at commas, so that `75,76` and a repeated option are the same."""
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list | tuple):
        return value
    return [part for item in words for part in str(item).split(",") if part]


_PATH = check(
    r"(?![-@]|$)(?:(?:~|\$HOME|\$\{HOME\}|\$WORK_DIR|\$\{WORK_DIR\})(?=/|$))?[A-Za-z0-9._+@=%/-]*",
    "a path on the cluster",
    "letters, digits and `. _ + @ = % - /`; it may begin with `~`, `$HOME` or `$WORK_DIR`",
    1024,
)
_LINE = check(r"[^\x00-\x1f\x7f]+", "text", "printable characters on one line", 300)

_COMMAND_WORD = check(r"[^\x00-\x1f\x7f]*", "a command", "printable characters", 2500)


def _command(value: object) -> tuple[str, ...]:
    words = tuple(map(_COMMAND_WORD, value)) if isinstance(value, list | tuple) else ()
    if not any(words):
        raise refused("CMD is missing", "Put the command behind `--`, such as `-- nvidia-smi`")
    return words


CommandWords = Annotated[tuple[str, ...], BeforeValidator(_command)]
_WORD = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_NODE = rf"{_WORD}(?:\[[0-9,-]+\])?"
_JOB = r"[1-9][0-9]*(?:_[0-9]+|\+[0-9]+)?"
_NAMED = "letters, digits and `. _ -`"


_SHELL = re.compile(r"[`$;&|<>\\]")
_PLACE = re.compile(r"(?:^|(?<==))\$(?:HOME|WORK_DIR|\{HOME\}|\{WORK_DIR\})(?=/|$)")


def _no_shell(word: str) -> None:
    """Refuse what a launcher that puts its words into a job script would have a shell run."""
    if found := _SHELL.search(_PLACE.sub("", word)):
        raise refused(
            f"{shown(word)} holds “{found.group()}”, which a job script could take as a command",
            "Leave it out, or write it into a recipe or job script on the cluster",
        )


def _setting(value: object) -> str:
    word = _SETTING(value)
    _no_shell(word)
    return word


_SETTING = check(
    r"\+{0,2}[A-Za-z_][A-Za-z0-9_.]*=[^\x00-\x1f\x7f]*",
    "a setting",
    "such as `dpo.max_num_steps=50`",
    300,
)


def _foreign(value: object) -> str:
    word = _LINE(value)
    _no_shell(word)
    name, equals, rest = word.partition("=")
    if word.startswith("-") and not re.fullmatch(r"-[0-9.,e-]+", word):
        if not re.fullmatch(r"--?[A-Za-z][A-Za-z0-9_.-]{0,63}", name):
            raise refused(f"{shown(name)} is not possible as an option", "Such as `--seed=7`")
        held = rest if equals else ""
    else:
        name, held = "", word
    if ".." in held.split("/"):
        raise refused(f"{shown(held)} leads out of its folder", "Write the path without `..`")
    if name and is_secret(name.lstrip("-"), equals or " ", held or "value"):
        raise refused(
            f"{shown(name)} looks like a secret",
            "Secrets never pass through Slack; revoke it if it was one",
        )
    return word


Foreign = Annotated[str, BeforeValidator(_foreign)]
"""A word for a program of the cluster: an option of its own, or a value of one."""

Name = Annotated[str, text(r"[A-Za-z0-9._][A-Za-z0-9._-]*", "a name", f"{_NAMED}, at most 64")]
Partition = Annotated[str, text(_WORD, "a partition", _NAMED)]
Account = Annotated[str, text(r"[A-Za-z0-9][A-Za-z0-9._@-]*", "an account", _NAMED)]
Qos = Annotated[str, text(_WORD, "a QOS", _NAMED)]
ClusterName = Annotated[
    str, text(r"[A-Za-z0-9][A-Za-z0-9_-]*", "a cluster", "letters, digits and `_ -`", 40)
]
Path = Annotated[str, BeforeValidator(_path)]
Line = Annotated[str, BeforeValidator(_LINE)]
Setting = Annotated[str, BeforeValidator(_setting)]
Pattern = Annotated[str, BeforeValidator(_pattern)]
Duration = Annotated[str, BeforeValidator(_duration)]
Switch = Annotated[bool, BeforeValidator(_switch)]
Nodes = Annotated[int, whole_number(1, 4096)]
Retries = Annotated[int, whole_number(0, 10)]
Lines = Annotated[int, whole_number(1, 2000)]
Attempt = Annotated[int, whole_number(1, 1000)]
Index = Annotated[int, whole_number(0, 4096)]
NodeIndex = Annotated[int, whole_number(0, 100_000)]
NodeList = Annotated[
    str,
    text(
        rf"{_NODE}(?:,{_NODE})*",
        "a list of nodes",
        "names such as `alice-a3u-0` or `alice-a3u-[0-1,3]`, with commas between",
        1000,
    ),
]
ExperimentRef = Annotated[
    str,
    text(
        r"[A-Za-z0-9_][A-Za-z0-9._+-]*",
        "an experiment",
        "an id such as `nemo-demo-run_1796059983`, or its title",
        160,
    ),
]
JobId = Annotated[str, text(_JOB, "a job id", "`75`, `202_3` or `123+1`", 24)]
JobIds = Annotated[tuple[JobId, ...], BeforeValidator(_commas)]
JobRef = Annotated[
    str,
    text(
        r"[A-Za-z0-9][A-Za-z0-9._:+-]*",
        "a job",
        "an id such as `75` or `202_3`, or the name of a job",
        128,
    ),
]

# What only sbatch takes.
Partitions = Annotated[
    str, text(rf"{_WORD}(?:,{_WORD})*", "a partition", f"{_NAMED}; several with commas", 200)
]
Count = Annotated[int, whole_number(1, 100_000)]
Gpus = Annotated[
    str, text(r"(?:[A-Za-z0-9_.-]+:)?[0-9]{1,4}", "a number of GPUs", "`8` or `h100:8`", 40)
]
_GRES = r"[a-z_]+(?::[A-Za-z0-9_.-]+)?(?::[0-9]{1,4})?"
Gres = Annotated[
    str,
    text(rf"{_GRES}(?:,{_GRES})*", "generic resources", "such as `gpu:8` or `gpu:h100:8`", 100),
]
Memory = Annotated[
    str, text(r"[0-9]{1,9}[KMGT]?", "a size of memory", "such as `64G`; `0` is all", 12)
]
Features = Annotated[
    str,
    text(r"[A-Za-z0-9_.:=*&|\[\](),-]+", "a constraint", "features joined by `&` or `|`", 200),
]
_WAIT = rf"(?:after|afterany|aftercorr|afternotok|afterok)(?::{_JOB})+|singleton"
Dependency = Annotated[
    str,
    text(
        rf"(?:{_WAIT})(?:[,?](?:{_WAIT}))*",
        "a dependency",
        "such as `afterok:75`, `afterany:75:76` or `singleton`",
        300,
    ),
]
_INDEXES = r"[0-9]+(?:-[0-9]+(?::[0-9]+)?)?"
Array = Annotated[
    str,
    text(
        rf"{_INDEXES}(?:,{_INDEXES})*(?:%[0-9]+)?",
        "array indexes",
        "such as `0-9`, `1,3,5` or `0-99%4`",
        200,
    ),
]
Begin = Annotated[
    str,
    text(
        r"[A-Za-z0-9:+-]+", "a time to begin", "such as `22:00`, `now+2hours` or `2030-01-31`", 40
    ),
]

# What lies outside the cluster.
_OBJECT = r"[A-Za-z0-9._@+=-]+(?:/[A-Za-z0-9._@+=-]+)*"
_SOURCE = text(
    rf"nemo|nemo-rl|(?:gs:/)?(?!.*/\.\.?(?:/|$))/{_OBJECT}\.sqsh",
    "an image",
    "`nemo`, `nemo-rl`, `gs://BUCKET/….sqsh`, or a path below `/gcs` that ends in `.sqsh`",
    1024,
)


def _source(value: object) -> object:
    known = str(value).lower().replace("_", "-")
    return known if known in {"nemo", "nemo-rl"} else value


ImageSource = Annotated[str, _SOURCE, BeforeValidator(_source)]
GitName = Annotated[
    str,
    text(
        r"(?!.*(?:\.\.|//|@\{))[A-Za-z0-9][A-Za-z0-9._/+-]*",
        "a branch, tag or commit",
        "letters, digits and `. _ / + -`",
        200,
    ),
]
