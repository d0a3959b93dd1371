"""One node of the cluster: the head, which the others and the driver call, or a worker.

Usage: python3 -m nemo_rl.distributed.node head|worker --logs DIR --units GPUS
The head writes where it listens into DIR, which every node sees, and how many units are online.
Every node ends when a file named ENDED appears there.
"""

from __future__ import annotations

import argparse
import importlib
import os
import secrets
import sys
import threading
import time
import traceback
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any

ADDRESS = "ray_head"
_ENDED = "ENDED"
_PATIENCE = 120.0  # seconds that a worker waits for the head
_GLANCE = 0.3  # seconds between two looks at the folder


class Head:
    """Keeps the nodes' connections and hands out what the driver asks for."""

    def __init__(self, logs: Path, units: int) -> None:
        self._logs = logs
        self._units = units
        self._nodes: dict[str, tuple[Connection, int]] = {}
        self._lock = threading.Lock()

    def serve(self) -> None:
        """Listen, say where, and answer whoever calls."""
        key = secrets.token_hex(16)
        with Listener(("127.0.0.1", 0), authkey=key.encode()) as listener:
            _write(self._logs / ADDRESS, f"{listener.address[1]} {key}")
            self._count()
            _write(self._logs / "STARTED_RAY_HEAD", "")
            say(f"Ray runtime started. Listening on 127.0.0.1:{listener.address[1]}.")
            while True:
                caller = listener.accept()
                threading.Thread(target=self._answer, args=(caller,), daemon=True).start()

    def _answer(self, caller: Connection) -> None:
        kind, *told = caller.recv()
        if kind == "node":
            name, units = told
            with self._lock:
                self._nodes[name] = (caller, units)
                self._count()
            say(f"Node {name} connected with {units} worker units.")
            return
        say("Driver connected.")
        try:
            while True:
                task, shards = caller.recv()
                caller.send(self._run(task, shards))
        except EOFError:
            say("Driver disconnected.")

    def _run(self, task: str, shards: list[Any]) -> tuple[str, Any]:
        """Give each node its share of the shards, this one the first; wait for all."""
        with self._lock:
            names = list(self._nodes)
            turns = len(names) + 1
            sent = [
                self._send(name, (task, shards[index::turns]))
                for index, name in enumerate(names, start=1)
            ]
            outcomes = [perform(task, shards[::turns])]
            outcomes += [
                self._receive(name) if reached else ("dead", name)
                for name, reached in zip(names, sent, strict=True)
            ]
            for kind, value in outcomes:
                if kind == "dead":
                    self._bury(value)
        for bad in ("dead", "failed"):
            for kind, value in outcomes:
                if kind == bad:
                    return kind, value
        return "done", [outcomes[index % turns][1][index // turns] for index in range(len(shards))]

    def _send(self, name: str, work: tuple[str, list[Any]]) -> bool:
        try:
            self._nodes[name][0].send(work)
        except OSError:
            return False
        return True

    def _receive(self, name: str) -> tuple[str, Any]:
        try:
            answer: tuple[str, Any] = self._nodes[name][0].recv()
        except (EOFError, OSError):
            return "dead", name
        return answer

    def _bury(self, name: str) -> None:
        del self._nodes[name]
        self._count()
        say(f"The node with node name {name} has been marked dead: its connection was lost.")

    def _count(self) -> None:
        online = self._units + sum(units for _, units in self._nodes.values())
        _write(self._logs / "ray_worker_units", str(online))


def work(logs: Path, units: int) -> None:
    """Join the head and do what it sends, until it hangs up."""
    name = os.environ.get("SLURMD_NODENAME", "localhost")
    head = call(logs / ADDRESS, patience=_PATIENCE)
    head.send(("node", name, units))
    say(f"Connected to the Ray head as {name}.")
    while True:
        try:
            task, shards = head.recv()
        except (EOFError, OSError):
            time.sleep(2 * _GLANCE)  # at the end the head may be the first to see it
            sys.exit("Lost the connection to the Ray head.")
        head.send(perform(task, shards))


def call(address: Path, *, patience: float = 0.0) -> Connection:
    """Connect to the head whose address stands in a file that every node sees."""
    deadline = time.monotonic() + patience
    while True:
        try:
            port, key = address.read_text().split()
            return Client(("127.0.0.1", int(port)), authkey=key.encode())
        except (FileNotFoundError, ConnectionRefusedError):
            if time.monotonic() >= deadline:
                raise
            time.sleep(_GLANCE)


def perform(task: str, shards: list[Any]) -> tuple[str, Any]:
    """Run the function `module:name` on each shard; what it raises is told, not raised."""
    module, _, name = task.partition(":")
    try:
        function = getattr(importlib.import_module(module), name)
        return "done", [function(shard) for shard in shards]
    except Exception:  # noqa: BLE001 - the driver raises it, with this node's traceback
        return "failed", traceback.format_exc()


def say(sentence: str) -> None:
    """A line of this node's log."""
    print(f"[{time.strftime('%Y-%m-%d %H:%M:%S')}] {sentence}", flush=True)


def _write(path: Path, text: str) -> None:
    part = path.with_name(f"{path.name}.part")
    part.touch(mode=0o600)
    part.write_text(text)
    part.replace(path)


def _end_when_told(logs: Path) -> None:
    while not (logs / _ENDED).exists():
        time.sleep(_GLANCE)
    say("Detected ENDED file, terminating...")
    os._exit(0)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("role", choices=["head", "worker"])
    parser.add_argument("--logs", type=Path, required=True)
    parser.add_argument("--units", type=int, required=True)
    arguments = parser.parse_args()
    threading.Thread(target=_end_when_told, args=(arguments.logs,), daemon=True).start()
    if arguments.role == "head":
        Head(arguments.logs, arguments.units).serve()
    else:
        work(arguments.logs, arguments.units)


if __name__ == "__main__":
    main()
