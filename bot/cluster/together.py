"""Two questions in one round trip."""

from __future__ import annotations

import secrets
from typing import TypeVar

from bot.errors import CommandFailed
from bot.ports import Output, Query

A = TypeVar("A")
B = TypeVar("B")


def together(first: Query[A], second: Query[B]) -> Query[tuple[A, B]]:
    """Ask both; the second is asked whatever the first comes to.

    It counts as the first in the log; what either says on standard error is known to both.
    """
    mark = secrets.token_hex(8)
    script = f"""
sb_mark=$1 sb_count=$2
shift 2
(
  sb_all=$# sb_i=0
  while [ "$sb_i" -lt "$sb_all" ]; do
    sb_i=$((sb_i + 1)) sb_arg=$1
    shift
    [ "$sb_i" -gt "$sb_count" ] || set -- "$@" "$sb_arg"
  done
{first.script}
)
printf '\\n%s %s\\n' "$sb_mark" $?
shift "$sb_count"
{second.script}
"""

    def parse(output: Output) -> tuple[A, B]:
        said, found, rest = output.stdout.partition(f"\n{mark} ")
        status, _, other = rest.partition("\n")
        if not found or not status.isdigit():
            raise CommandFailed("The login node did not finish", stderr=output.stderr)
        return (
            first.parse(Output(said, output.stderr, int(status))),
            second.parse(Output(other, output.stderr, output.status)),
        )

    args = (mark, str(len(first.args)), *first.args, *second.args)
    return Query(
        script,
        parse,
        args,
        timeout=first.timeout + second.timeout,
        name=first.name,
        leads_on=first.leads_on or second.leads_on,
    )
