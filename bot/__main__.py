"""The command line: python -m bot run · demo · doctor · parse · diagnose · manifest · bench."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bot.errors import ConfigError, SbatchatError

WORKED, FAILED, REFUSED = 0, 1, 2
ROOT = Path(__file__).parents[1]
ANOTHER_PYTHON = """\
{python} lacks the package {lacks}. Use the Python of the project's own environment:
  .venv/bin/python -m bot …
`make setup` builds it."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand; return its exit status."""
    options = _parser().parse_args(argv)
    try:
        status: int = options.run(options)
    except ConfigError as error:
        print(error.sentence, file=sys.stderr)
        return REFUSED
    except SbatchatError as error:
        print(error.sentence, file=sys.stderr)
        return FAILED
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in {"bot", "handlers"}:
            raise
        print(ANOTHER_PYTHON.format(python=sys.executable, lacks=error.name), file=sys.stderr)
        return FAILED
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bot", description="sbatchat")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = _command(commands, "run", _run, "run the bot")
    run.add_argument("--ready", action="store_true", help="print a line when it listens")
    run.add_argument(
        "--with-parent", action="store_true", help="stop when standard input is closed"
    )
    run.add_argument("--verbose", action="store_true", help="log every query")

    demo = _command(commands, "demo", _demo, "run a cluster, a local Slack and the bot here")
    demo.add_argument("--headless", action="store_true", help="no words for people")
    demo.add_argument("--json", action="store_true", help="print the addresses as JSON")
    demo.add_argument("--cluster-only", action="store_true", help="without Slack and bot")

    doctor = _command(commands, "doctor", _doctor, "check the configuration and what it rests on")
    doctor.add_argument("--json", action="store_true")

    parse = _command(commands, "parse", _parse, "show what a command means")
    parse.add_argument("--json", action="store_true")
    parse.add_argument("text")

    diagnose = _command(commands, "diagnose", _diagnose, "name the cause in log files")
    diagnose.add_argument("--json", action="store_true")
    diagnose.add_argument("--context", type=Path, help="what the scheduler says, as JSON")
    diagnose.add_argument("--json-lines", type=Path, metavar="DIR", help="every *.log in a folder")
    diagnose.add_argument("--no-context", action="store_true")
    diagnose.add_argument("files", nargs="*", type=Path, help="the logs of one job; - is a pipe")

    manifest = _command(commands, "manifest", _manifest, "print the Slack app's manifest")
    manifest.add_argument("--json", action="store_true")

    bench = _command(commands, "bench", _bench, "measure the figures of the design")
    bench.add_argument("--json", action="store_true")
    return parser


def _command(commands: Any, name: str, run: Any, summary: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=summary, description=summary)
    parser.set_defaults(run=run)
    return parser


def _run(options: argparse.Namespace) -> int:
    from bot import config, wiring
    from bot.journal import begin
    from bot.redact import redact

    settings = config.from_environment()
    begin(verbose=options.verbose, clean=partial(redact, known=settings.secret_values))

    def ready() -> None:
        if options.ready:
            print("ready", flush=True)

    _until_stopped(wiring.run(settings, ready), with_parent=options.with_parent)
    return WORKED


def _demo(options: argparse.Namespace) -> int:
    from bot.demo.cluster.slot import claim

    logging.basicConfig(level=logging.WARNING)
    with claim(ROOT / "var" / "demo") as directory:
        directory.mkdir(parents=True, exist_ok=True)
        serve = _cluster_only if options.cluster_only else _whole_demo
        return _served(serve(directory, as_json=options.json))


async def _whole_demo(directory: Path, *, as_json: bool) -> None:
    from bot.demo.demo import announce, demo, say

    async with demo(directory) as address:
        announce(address, as_json=as_json)
        try:
            await asyncio.Event().wait()
        finally:
            say("Stopping the bot, Slack and the cluster …")


async def _cluster_only(directory: Path, *, as_json: bool) -> None:
    from bot.demo.cluster import EmbeddedCluster
    from bot.demo.demo import say

    say("Starting Slurm, its accounting and sshd (about 10 s) …")
    async with EmbeddedCluster(directory / "cluster") as cluster:
        address = cluster.address.as_json()
        print(json.dumps(address) if as_json else json.dumps(address, indent=2), flush=True)
        await asyncio.Event().wait()


def _served(serve: Coroutine[Any, Any, None]) -> int:
    from bot.demo.cluster import ClusterError

    try:
        _until_stopped(serve)
    except ClusterError as error:
        print(error, file=sys.stderr)
        return FAILED
    return WORKED


def _doctor(options: argparse.Namespace) -> int:
    from bot import config, doctor

    checks = asyncio.run(doctor.examine(config.from_environment()))
    if options.json:
        print(json.dumps([check.as_json() for check in checks], indent=2))
    else:
        print("\n".join(check.line for check in checks))
    return WORKED if all(check.ok for check in checks) else FAILED


def _parse(options: argparse.Namespace) -> int:
    from bot.parse_command import parse_json

    status, answer = parse_json(options.text)
    print(json.dumps(answer, ensure_ascii=False, indent=None if options.json else 2))
    return status


def _diagnose(options: argparse.Namespace) -> int:
    from bot.diagnosis.files import diagnose_files, diagnose_folder

    if options.json_lines and not options.json_lines.is_dir():
        print(f"{options.json_lines} is no folder", file=sys.stderr)
        return REFUSED
    if options.json_lines:
        for answer in diagnose_folder(options.json_lines, with_context=not options.no_context):
            print(json.dumps(answer, ensure_ascii=False))
        return WORKED
    if not options.files:
        print("Name the log files to read", file=sys.stderr)
        return REFUSED
    try:
        context = json.loads(options.context.read_text()) if options.context else None
        answer = diagnose_files(options.files, context)
    except (OSError, ValueError) as error:
        print(f"That cannot be read: {error}", file=sys.stderr)
        return REFUSED
    print(json.dumps(answer, ensure_ascii=False, indent=None if options.json else 2))
    return WORKED


def _manifest(options: argparse.Namespace) -> int:
    text = (ROOT / "manifest.yml").read_text(encoding="utf-8")
    if options.json:
        import yaml

        text = json.dumps(yaml.safe_load(text), indent=2)
    print(text.rstrip("\n"))
    return WORKED


def _bench(options: argparse.Namespace) -> int:
    from bot.bench import main as measure

    return measure(as_json=options.json)


def _until_stopped(work: Coroutine[Any, Any, None], *, with_parent: bool = False) -> None:
    """Run until it ends, or SIGTERM or Ctrl-C comes; with a parent, until standard input closes."""

    async def watched() -> None:
        loop = asyncio.get_running_loop()
        task = loop.create_task(work)
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, task.cancel)
        if with_parent:
            loop.add_reader(sys.stdin, _on_close(task))
        try:
            await task
        except asyncio.CancelledError:
            return

    asyncio.run(watched())


def _on_close(task: asyncio.Task[None]) -> Any:
    def read() -> None:
        if not os.read(sys.stdin.fileno(), 1024):
            task.cancel()

    return read


if __name__ == "__main__":
    sys.exit(main())
