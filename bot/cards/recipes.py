"""The recipes on a cluster: by kind, each as the command that launches it."""

from __future__ import annotations

from bot.card import Card, Excerpt, Mono, Part, Text, Tone
from bot.cards import parts
from bot.cluster.recipes import Recipes
from bot.words import count

SHORT = 10
"""Digits of a commit that name it."""
KIND_NAMES = {
    "pretrain": "Pre-training",
    "cpt": "Continued pre-training",
    "sft": "Supervised fine-tuning",
    "finetune": "Fine-tuning",
    "peft": "Parameter-efficient fine-tuning",
}


SETUP: Text = ("Put in place by ", Mono(text="/nemo setup"))


def recipes_card(cluster: str, folder: str, recipes: Recipes, kind: str = "") -> Card:
    """Return the recipes of one kind, or of all; each line launches one as it stands."""
    shown = {name: paths for name, paths in recipes.by_kind.items() if not kind or name == kind}
    number = sum(map(len, shown.values()))
    if not number:
        return Card(
            tone=Tone.TROUBLE,
            lead=parts.fill("There are no recipes in {folder}.", folder=Mono(text=folder)),
            foot=(SETUP, *_checkout(recipes)),
        )
    return Card(
        tone=Tone.PLAIN if recipes.launcher else Tone.TROUBLE,
        lead=_lead(cluster, folder, recipes, number),
        parts=listing(shown),
        foot=(*_checkout(recipes), ("Options: ", Mono(text="/nemo run --help"))),
    )


def _lead(cluster: str, folder: str, recipes: Recipes, number: int) -> Text:
    if not recipes.launcher:
        return parts.fill(
            "There is no run.py in {folder}, so none of its recipes can be launched.",
            folder=Mono(text=folder),
        )
    return parts.fill(
        "{number} on {cluster}, in {folder}.",
        number=count(number, "recipe"),
        cluster=cluster,
        folder=Mono(text=folder),
    )


def listing(by_kind: dict[str, tuple[str, ...]]) -> tuple[Part, ...]:
    """Return each kind with the commands that launch its recipes, to be copied."""
    return tuple(
        Excerpt(
            caption=(KIND_NAMES.get(kind, kind),),
            text="\n".join(f"/nemo run {path}" for path in paths),
        )
        for kind, paths in by_kind.items()
    )


def _checkout(recipes: Recipes) -> tuple[Text, ...]:
    """Say what the recipes are at."""
    if not recipes.commit:
        return (("Commit: not known, since the folder is no git checkout.",),)
    commit = Mono(text=recipes.commit[:SHORT])
    at: Text = ("Commit: ", commit)
    if recipes.branch:
        at = ("Branch: ", Mono(text=recipes.branch), ", commit: ", commit)
    if not recipes.changed:
        return (at,)
    return (at, (f"Changed since that commit: {count(recipes.changed, 'file')}.",))
