"""The files that carry secrets to launches: what stands in them, and how they are. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256

from bot.cluster.quoting import exports
from bot.errors import CommandFailed
from bot.ports import Output, Query

OWN = ".sbatchat/secrets.sh"
"""Below the home; read into the environment of a launch that wants secrets."""
AUTH = "configs/auth.sh"
"""Below NeMo-RL's folder; `launch.sh` reads it."""

_HEAD = "# Written by sbatchat from its own configuration; what is added here is lost.\n"
_FIRST = "# >>> sbatchat: what stands between these two lines is rewritten >>>\n"
_LAST = "# <<< sbatchat <<<\n"


def own(secrets: Mapping[str, str]) -> Callable[[bytes], bytes]:
    """Return what makes the bot's own file hold these secrets; there is none without any."""
    text = f"{_HEAD}{exports(secrets)}" if secrets else ""
    return lambda _old: text.encode()


def auth(secrets: Mapping[str, str]) -> Callable[[bytes], bytes]:
    """Return what makes our part of `auth.sh` hold these secrets; the rest is people's own."""
    block = f"{_FIRST}{exports(secrets)}{_LAST}".encode() if secrets else b""

    def change(old: bytes) -> bytes:
        before, found, rest = old.partition(_FIRST.encode())
        if not found:
            joint = b"\n" if block and old and not old.endswith(b"\n") else b""
            return old + joint + block
        _, closed, after = rest.partition(_LAST.encode())
        if not closed:
            raise CommandFailed(
                f"{AUTH} on the cluster has lost the line that ends sbatchat's part, so it was "
                "left alone; remove from there on what sbatchat wrote"
            )
        return before + block + after

    return change


class Kind(StrEnum):
    """What is found in place of a file."""

    FILE = "file"
    MISSING = "missing"
    NO_FOLDER = "no folder"
    """There is no folder in which it could lie."""
    LINK = "link"
    OTHER = "other"


@dataclass(frozen=True)
class Seen:
    """One file with secrets, as it is on the cluster."""

    kind: Kind
    mode: str = ""
    """Such as `600`."""
    mine: bool = False
    """Whether it belongs to the login account."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """By name, a digest of the line that sets it; names that are not set are left out."""

    def holds(self, name: str, value: str) -> bool:
        """Whether a launch finds this value."""
        return self.digests.get(name) == digest(name, value)


# $1: names, separated by spaces; then the paths. No value becomes an argument of a program.
_LOOK = r"""
names=$1; shift
for path; do
  kind=other
  if [ -L "$path" ]; then kind=link
  elif [ -f "$path" ]; then kind=file
  elif [ ! -e "$path" ]; then
    if [ -d "${path%/*/*}" ]; then kind=missing; else kind='no folder'; fi
  fi
  printf '%s\037' "$kind"
  if [ "$kind" = file ]; then
    stat -c %a -- "$path" | tr -d '\n'
    if [ -O "$path" ]; then printf '\037mine\037'; else printf '\037theirs\037'; fi
    for name in $names; do
      line=$(grep -a "^ *export  *$name=" <"$path" | tail -n 1)
      if [ -n "$line" ]; then
        printf '%s ' "$name"
        printf '%s' "$line" | sha256sum | cut -d ' ' -f 1
      fi
    done
  else
    printf '\037\037'
  fi
  printf '\036'
done
"""


def look(names: Sequence[str], paths: Sequence[str]) -> Query[tuple[Seen, ...]]:
    """Ask how these files are; of what stands in them only digests are told."""

    def parse(output: Output) -> tuple[Seen, ...]:
        records = output.stdout.split("\x1e")[:-1]
        if len(records) != len(paths):
            raise CommandFailed("The login node did not look at the files with secrets")
        return tuple(map(_seen, records))

    return Query(_LOOK, parse, (" ".join(names), *paths), name="secrets")


def _seen(record: str) -> Seen:
    kind, mode, whose, lines = record.split("\x1f")
    pairs = (line.partition(" ") for line in lines.splitlines())
    digests = {name: told for name, _, told in pairs}
    return Seen(Kind(kind), mode, whose == "mine", digests)


def digest(name: str, value: str) -> str:
    """Return the digest of the line by which a shell sets this value."""
    return sha256(exports({name: value}).strip().encode()).hexdigest()
