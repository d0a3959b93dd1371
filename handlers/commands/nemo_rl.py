"""The subcommands of /nemo-rl."""

from __future__ import annotations

from bot.card import Card
from bot.errors import UnknownJob
from bot.grammar import Parsed
from bot.grammar.inside import Exec, Shell
from bot.model import Act
from bot.service import Service, sessions
from handlers.commands.command import Run, options


async def run_inside(service: Service, act: Act, parsed: Parsed) -> Card | None:
    """Run a command inside an interactive job."""
    node, asked = service.node(act, parsed.cluster), options(parsed, Exec)
    job = await service.job(act, node, asked.job)
    if job is None:
        raise UnknownJob(f"Job {asked.job} was not launched from here")
    return await sessions.inside(service, act, node, job, asked.cmd)


async def shell(service: Service, act: Act, parsed: Parsed) -> Card:
    """Show the lines that lead into a container on a node."""
    node, asked = service.node(act, parsed.cluster), options(parsed, Shell)
    return await sessions.shell(node, asked.node, asked.partition or "", asked.cluster_type or "")


NEMO_RL: dict[str, Run] = {
    "nemo-rl exec": run_inside,
    "nemo-rl shell": shell,
}
