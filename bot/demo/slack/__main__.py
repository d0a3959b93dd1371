"""`python -m bot.demo.slack --port 0 --manifest manifest.yml`: the local Slack alone."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
from pathlib import Path

from bot.demo.slack.http_events import use
from bot.demo.slack.manifest import load
from bot.demo.slack.rate import Rates
from bot.demo.slack.server import LocalSlack, assemble
from bot.demo.slack.workspace import ADMIN, GENERAL, OUTSIDER, PRIVATE, RESEARCHER, TRAINING


def main() -> None:
    """Serve until SIGINT or SIGTERM; print one line of JSON when ready."""
    parser = argparse.ArgumentParser(prog="python -m bot.demo.slack", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 chooses a free one")
    parser.add_argument("--manifest", type=Path, default=Path("manifest.yml"))
    parser.add_argument("--no-rate-limits", action="store_true")
    parser.add_argument("--request-url", help="deliver by signed HTTP instead of Socket Mode")
    asyncio.run(serve(parser.parse_args()))


async def serve(options: argparse.Namespace) -> None:
    """Run until told to stop."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    platform = assemble(load(options.manifest), rates=Rates(enabled=not options.no_rate_limits))
    async with LocalSlack(platform, host=options.host, port=options.port) as slack:
        if options.request_url:
            await use(platform, options.request_url)
        print(json.dumps(_ready(slack)), flush=True)
        await stop.wait()


def _ready(slack: LocalSlack) -> dict[str, object]:
    identity = slack.platform.identity
    return {
        "page": slack.page,
        "local": f"{slack.page}_local/",
        "api": slack.api,
        "bot_token": identity.bot_token,
        "app_token": identity.app_token,
        "signing_secret": identity.signing_secret,
        "team": identity.team_id,
        "bot": identity.bot_user_id,
        "channels": {"training": TRAINING, "general": GENERAL, "private-lab": PRIVATE},
        "users": {"researcher": RESEARCHER, "admin": ADMIN, "outsider": OUTSIDER},
    }


if __name__ == "__main__":
    main()
