"""The subcommands of /nemo."""

from __future__ import annotations

from bot.card import Card
from bot.grammar import Parsed
from bot.grammar.commands import Recipes
from bot.grammar.experiments import ExperimentCancel, ExperimentLogs, ExperimentStatus
from bot.model import Act
from bot.service import Service, experiments, logs, recipes
from handlers.commands.command import Run, options


async def show_recipes(service: Service, act: Act, parsed: Parsed) -> Card:
    """List the recipes."""
    node = service.node(act, parsed.cluster)
    return await recipes.show(node, options(parsed, Recipes).kind or "")


async def experiment_status(service: Service, act: Act, parsed: Parsed) -> Card:
    """Show an experiment."""
    node, asked = service.node(act, parsed.cluster), options(parsed, ExperimentStatus)
    return await experiments.status(service, act, node, asked.experiment)


async def experiment_logs(service: Service, act: Act, parsed: Parsed) -> Card:
    """Show the end of a log of an experiment."""
    node, asked = service.node(act, parsed.cluster), options(parsed, ExperimentLogs)
    wish = logs.Wish(lines=asked.lines, grep=asked.grep or "")
    return await experiments.show_log(service, act, node, asked.experiment, asked.index or 0, wish)


async def experiment_cancel(service: Service, act: Act, parsed: Parsed) -> Card:
    """Cancel an experiment, or one of its jobs."""
    node, asked = service.node(act, parsed.cluster), options(parsed, ExperimentCancel)
    return await experiments.cancel(
        service, act, node, asked.experiment, asked.index, whole=asked.all
    )


NEMO: dict[str, Run] = {
    "nemo recipes": show_recipes,
    "nemo experiment status": experiment_status,
    "nemo experiment logs": experiment_logs,
    "nemo experiment cancel": experiment_cancel,
}
