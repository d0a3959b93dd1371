"""The lines that lead into a container on one node."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from bot.card import Card, Excerpt, Mono, Text, Tone
from bot.cards import parts
from bot.cluster.slurm import NodeState
from bot.words import listed

FREE = "Node {node} of {partition} is free."
ASLEEP = "Node {node} of {partition} is free, but powered off: it boots first, which takes minutes."
TAKEN = "Node {node} of {partition} is {state}, so the shell will wait until it is free."
OUT = "Node {node} of {partition} is {state} and cannot be had now."
_BUSY = frozenset({"allocated", "mixed", "completing"})


def lines(
    node: NodeState, partition: str, index: int, cluster_type: str, folder: str, ssh: str
) -> Card:
    """Say how the node is, and show what to type."""
    state = " and ".join([node.state, *(flag.replace("_", " ") for flag in node.flags)])
    idle = node.state == "idle" and not set(node.flags) - _ASLEEP
    busy = node.state in _BUSY and not node.flags
    free = ASLEEP if set(node.flags) & _ASLEEP - {"cloud"} else FREE
    words = free if idle else TAKEN if busy else OUT
    return Card(
        tone=Tone.DONE if idle else Tone.TROUBLE,
        lead=parts.fill(
            words, node=Mono(text=node.name), partition=Mono(text=partition), state=state
        ),
        parts=(
            Excerpt(
                caption=("In a terminal",),
                text="\n".join(
                    (
                        ssh,
                        f'export CLUSTER_TYPE="{cluster_type}"',
                        f"cd {shlex.quote(folder)} && source bash_utils.sh",
                        f"nemorlinteractive {index}",
                    )
                ),
            ),
        ),
        foot=((_STAYS,),) if idle or busy else _later(node),
    )


_ASLEEP = frozenset({"powered_down", "cloud", "powering_down"})
_FEW = 2
_STAYS = "The node is yours until that shell ends."
_LATER = "The lines work once the node is back."


def _later(node: NodeState) -> tuple[Text, ...]:
    """Say when the lines will work, and why the node is away, as far as Slurm was told."""
    why: Text = ("Slurm's reason: ", Mono(text=node.reason))
    return ((_LATER,), why) if node.reason else ((_LATER,),)


def numbers(there: Sequence[int]) -> str:
    """Return `node 0`, `nodes 0 to 3`, `nodes 0, 2 and 5`, as they are numbered."""
    if not there:
        return "no numbered node"
    if len(there) == 1:
        return f"node {there[0]} alone"
    if len(there) > _FEW and list(there) == list(range(there[0], there[-1] + 1)):
        return f"nodes {there[0]} to {there[-1]}"
    return f"nodes {listed([str(number) for number in there])}"
