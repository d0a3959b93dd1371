"""sbatch --test-only: when would it start, without submitting anything."""

from __future__ import annotations

import re
from datetime import datetime

from bot.cluster.slurm.refusals import Blame, Refusal, checked, refusal
from bot.cluster.slurm.text import moment
from bot.model import Resources, Value
from bot.ports import Output, Query

_ESTIMATE = 'exec sbatch --test-only "$@" --wrap=true'
_PROMISE = re.compile(r"Job \d+ to start at (\S+) using \d+ processors on nodes (\S+) in partition")


class Estimate(Value):
    """When a job of this shape would start, as the scheduler plans now."""

    start: datetime | None = None
    node_list: str = ""
    refused: str = ""
    """Slurm's words, when such a job would be refused."""
    said: Refusal | None = None


def start_estimate(resources: Resources, account: str = "", qos: str = "") -> Query[Estimate]:
    """Ask when a job with these resources alone would start."""
    args = [f"--nodes={resources.nodes}"]
    if resources.partition:
        args.append(f"--partition={resources.partition}")
    if resources.gpus_per_node:
        args.append(f"--gpus-per-node={resources.gpus_per_node}")
    if resources.time is not None:
        args.append(f"--time={max(1, round(resources.time.total_seconds() / 60))}")
    if account:
        args.append(f"--account={account}")
    if qos:
        args.append(f"--qos={qos}")
    return Query(_ESTIMATE, _estimate, tuple(args), name="sbatch --test-only")


def _estimate(output: Output) -> Estimate:
    found = _PROMISE.search(output.stderr)
    if found:
        return Estimate(start=moment(found.group(1)), node_list=found.group(2))
    said = refusal(output.stderr)
    if said.blame in {Blame.FAULT, Blame.OTHER}:
        checked(output, "sbatch --test-only")
    return Estimate(refused=said.text, said=said)
