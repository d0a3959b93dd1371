"""What stands in the files that carry secrets to launches. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bot.cluster.quoting import exports
from bot.errors import CommandFailed

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
