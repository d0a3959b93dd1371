"""`gcloud compute start-iap-tunnel`: standard input and output lead to a port of a machine."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Mapping, Sequence

import sdk


def start(words: Sequence[str], options: Mapping[str, str]) -> int:
    """`start-iap-tunnel MACHINE PORT --listen-on-stdin`, until either side ends."""
    if "--listen-on-stdin" not in options or len(words) != 2:  # noqa: PLR2004 - machine and port
        raise sdk.Failed(
            "argument INSTANCE_NAME INSTANCE_PORT: Must be specified, with --listen-on-stdin."
        )
    machine, port = words
    sdk.account()
    place = sdk.site()["machines"].get(machine)
    project = options.get("--project") or sdk.value("core", "project")
    zone = options.get("--zone") or sdk.value("compute", "zone")
    if place is None or project != place["project"] or zone != place["zone"]:
        raise sdk.Failed(
            "Could not fetch resource:\n - The resource "
            f"'projects/{project}/zones/{zone}/instances/{machine}' was not found\n"
        )
    try:
        reached = socket.create_connection(("127.0.0.1", place["ports"][port]), timeout=20)
    except (KeyError, OSError):
        raise sdk.Failed(
            "Error while connecting [4003: 'failed to connect to backend']. "
            f"(Failed to connect to port {port})"
        ) from None
    reached.settimeout(None)
    threading.Thread(target=_in, args=(reached,), daemon=True).start()
    while piece := reached.recv(65536):
        sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
    return 0


def _in(reached: socket.socket) -> None:
    while piece := os.read(0, 65536):
        reached.sendall(piece)
    reached.shutdown(socket.SHUT_WR)
