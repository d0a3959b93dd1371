"""The line that people type to reach the login node, from how the bot itself reaches it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

SSH_PORT = 22


def ssh_line(
    *, user: str, host: str, port: int, proxy_jump: str = "", proxy_command: Sequence[str] = ()
) -> str:
    """Return what leads a person where the bot goes.

    An IAP tunnel (`gcloud compute start-iap-tunnel VM 22 …`) becomes `gcloud compute ssh`; any
    other proxy command stays one.
    """
    words = list(proxy_command)
    if words[:3] == _TUNNEL and len(words) > len(_TUNNEL):
        vm, *rest = words[len(_TUNNEL) :]
        line = ["gcloud", "compute", "ssh", f"{user}@{vm}", "--tunnel-through-iap", *_kept(rest)]
        return shlex.join(line)
    line = ["ssh"]
    if port != SSH_PORT:
        line += ["-p", str(port)]
    if proxy_jump:
        line += ["-J", proxy_jump]
    if words:
        line += ["-o", f"ProxyCommand={shlex.join(words)}"]
    return shlex.join([*line, f"{user}@{host}"])


_TUNNEL = ["gcloud", "compute", "start-iap-tunnel"]
_OPTIONS = ("--project", "--zone")


def _kept(words: Sequence[str]) -> list[str]:
    """Return the options of a tunnel that `gcloud compute ssh` needs too, with their values."""
    kept: list[str] = []
    for index, word in enumerate(words):
        name, equals, _ = word.partition("=")
        if name in _OPTIONS:
            kept += [word] if equals else words[index : index + 2]
    return kept
