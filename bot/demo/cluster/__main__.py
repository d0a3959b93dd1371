"""Start the embedded cluster alone: ``python -m bot.demo.cluster [--json]``."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from contextlib import suppress
from pathlib import Path

from bot.demo.cluster import ClusterError, EmbeddedCluster
from bot.demo.cluster.slot import claim

_VAR = Path(__file__).parents[3] / "var"


async def serve(directory: Path, *, as_json: bool) -> None:
    """Run the cluster until SIGTERM or Ctrl-C; say on stdout where it is."""
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - asyncio.run made one
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    print("Starting Slurm, its accounting and sshd (about 10 s) …", file=sys.stderr, flush=True)
    async with EmbeddedCluster(directory) as cluster:
        address = cluster.address
        print(
            json.dumps(address.as_json())
            if as_json
            else f"ssh -i {address.key} -o UserKnownHostsFile={address.known_hosts}"
            f" -p {address.port} {address.user}@{address.host}",
            flush=True,
        )
        await asyncio.Event().wait()


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bot.demo.cluster", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the address as JSON")
    arguments = parser.parse_args()
    try:
        with claim(_VAR / "cluster") as directory, suppress(asyncio.CancelledError):
            asyncio.run(serve(directory, as_json=arguments.json))
    except ClusterError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
