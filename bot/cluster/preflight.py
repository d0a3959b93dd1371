"""Before a launch: are the files there, readable, and below the allowed roots? One round trip."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.errors import CommandFailed
from bot.ports import Output, Query
from bot.workload import MOST_TEXT, Need

FIELD, RECORD, GROUP = "\x1f", "\x1e", "\x1d"
OTHERS = 200
"""Files that are listed where one is missing."""

# $1: roots joined by newlines; $2: the paths of all needs, likewise; $3: how many other files to
# list; $4: bytes of a text; then for each need: kind, path, the folder to look through, suffix, and
# whether its text is wanted.
_SCRIPT = r"""
nl='
'
roots=$1 others=$3 bytes=$4
# All links are resolved by one program, since each takes a millisecond; one by one if that fails.
reals=$(IFS=$nl && set -f && readlink -m -- $2) || reals=
shift 4
left=$# rest=$reals
while [ "$rest" ]; do
  left=$((left - 5))
  case $rest in *"$nl"*) rest=${rest#*"$nl"} ;; *) rest= ;; esac
done
[ "$left" = 0 ] || reals=
# Whether a container image is whole: a squashfs begins with hsqs and says at byte 40 its length.
whole() {
  file=$1
  set -- $(od -An -v -tu4 -N48 -- "$file")
  [ "${1:-}" = 1936814952 ] && [ $# -eq 12 ] &&
    [ "$(stat -c %s -- "$file")" -ge $((${11} + ${12} * 4294967296)) ]
}
some() { for file in "$1"/*"$2"; do [ -f "$file" ] && return; done; return 1; }
(IFS=$nl && set -f && readlink -f -- $roots)
printf '\035'
while [ $# -gt 0 ]; do
  kind=$1 path=$2 among=$3 suffix=$4 wanted=$5; shift 5
  real=${reals%%"$nl"*} reals=${reals#*"$nl"}
  [ "$real" ] || real=$(readlink -m -- "$path")
  verdict=missing
  case $kind in
    any) verdict=ok ;;
    folder) [ -d "$real" ] && verdict=ok ;;
    file) [ -f "$real" ] && verdict=ok ;;
    some) some "$real" "$suffix" && verdict=ok ;;
    place)
      # The nearest folder that is there must let one make the rest.
      near=$real
      while [ -n "$near" ] && [ ! -e "$near" ]; do near=${near%/*}; done
      if [ -w "${near:-/}" ]; then verdict=ok; else verdict=closed; fi ;;
  esac
  case $verdict$kind in
    okfile | okfolder | oksome) [ -r "$real" ] || verdict=unreadable ;;
  esac
  case $verdict$kind$real in
    okfile*.sqsh) whole "$real" || verdict=partial ;;
  esac
  printf '%s\037%s\037' "$verdict" "$real"
  if [ "$verdict" = missing ] && [ -d "$among" ]; then
    (cd "$among" && find . -maxdepth 2 -name '.?*' -prune -o -type f -name "*$suffix" \
      ! -path '*[[:cntrl:]]*' -print 2>/dev/null | head -n "$others")
  fi
  printf '\037'
  if [ "$wanted" ] && [ "$verdict" = ok ] && [ -f "$real" ]; then
    head -c "$bytes" -- "$real" | tr -d '\036'
  fi
  printf '\036'
done
"""


class Verdict(StrEnum):
    """Whether a launch can read what it needs."""

    OK = "ok"
    MISSING = "missing"
    UNREADABLE = "unreadable"
    PARTIAL = "partial"
    """It is a container image, and the file is cut short or something else."""
    CLOSED = "closed"
    """It is not there, and the login account may not make it."""
    OUTSIDE = "outside"
    """It lies, perhaps through a link, below none of the allowed roots."""


@dataclass(frozen=True)
class Checked:
    """What was found in place of one need."""

    need: Need
    verdict: Verdict
    real: str
    """The path with its links resolved, as far as there are any."""
    others: tuple[str, ...] = ()
    """What lies in the folder where it was looked for."""
    text: str = ""
    """Its first `MOST_TEXT` bytes, where they were asked for."""


def preflight(needs: Sequence[Need], roots: Sequence[str]) -> Query[tuple[Checked, ...]]:
    """Ask about all needs at once."""
    paths = "\n".join(need.path for need in needs)
    args = ["\n".join(roots), paths, str(OTHERS), str(MOST_TEXT)]
    for need in needs:
        args += [need.kind, need.path, need.among, need.suffix, "text" if need.read else ""]
    return Query(
        _SCRIPT,
        lambda output: _parse(output, needs),
        tuple(args),
        name="preflight",
        leads_on=True,
    )


def _parse(output: Output, needs: Sequence[Need]) -> tuple[Checked, ...]:
    head, _, rest = output.stdout.partition(GROUP)
    records = rest.split(RECORD)[:-1]
    if len(records) != len(needs):
        raise CommandFailed(
            "The login node did not finish looking for the files", stderr=output.stderr
        )
    roots = [root for root in head.splitlines() if root]
    return tuple(_checked(need, record, roots) for need, record in zip(needs, records, strict=True))


def _checked(need: Need, record: str, roots: Sequence[str]) -> Checked:
    verdict, real, others, text = record.split(FIELD, 3)
    found = Verdict(verdict)
    if not below(real or need.path, roots):
        found, text = Verdict.OUTSIDE, ""
    listed = tuple(line.removeprefix("./") for line in others.splitlines() if line)
    return Checked(need, found, real, listed, text)


def below(path: str, roots: Sequence[str]) -> bool:
    """Whether an absolute path is one of the roots or lies below one."""
    clean = posixpath.normpath(path)
    return any(clean == root or clean.startswith(root.rstrip("/") + "/") for root in roots)
