"""How the secrets of a cluster are: at the bot, on the cluster, with the service; never a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.card import Bullets, Card, Fact, Text, Tone
from bot.cards import parts
from bot.cards.trouble import sentences
from bot.cluster.secret_files import Kind, Seen
from bot.grammar.usage import marked
from bot.leaks import LEAKS
from bot.ports import Verdict
from bot.secret import Secret
from bot.words import count, listed

KNOWN = {leak.name: leak for leak in LEAKS if leak.name}
"""What training needs most often, by the name of the variable."""
NOWHERE = Seen(Kind.MISSING)


@dataclass(frozen=True)
class Account:
    """What was found of the secrets of one cluster."""

    cluster: str
    secrets: Mapping[str, Secret]
    verdicts: Mapping[str, Verdict]
    own: Seen | None
    """The bot's file on the cluster; None when the cluster did not say."""
    auth: Seen | None
    """NeMo-RL's file; None where there is no NeMo-RL."""
    trouble: str = ""
    """Why the cluster did not say, or why nothing could be put there."""


def secrets_card(account: Account) -> Card:
    """Show each secret and what to do about it."""
    names = [*account.secrets, *(name for name in KNOWN if name not in account.secrets)]
    todo = [step for name in names for step in _todo(account, name)]
    if account.trouble:
        todo.append(sentences(account.trouble))
    missing = all(secret.value is None for secret in account.secrets.values())
    lead = "The secrets of {cluster} are in place."
    if todo:
        lead = "The secrets of {cluster}: {things} to do."
    if not account.secrets:
        lead = "No secret is configured for {cluster}."
    return Card(
        tone=Tone.TROUBLE if todo and not missing else Tone.PLAIN,
        lead=parts.fill(lead, cluster=account.cluster, things=count(len(todo), "thing")),
        facts=_facts(account, names),
        parts=(Bullets(items=tuple(todo)),) if todo else (),
        foot=(("A launch finds them in its environment. Values are never shown.",),),
    )


def _facts(account: Account, names: Sequence[str]) -> tuple[Fact, ...]:
    return tuple(Fact(label=name, value=marked(_standing(account, name))) for name in names)


def _standing(account: Account, name: str) -> str:
    """Return how a secret is at each place, those that are alike together, and at its service."""
    secret = account.secrets.get(name)
    here = "not configured" if secret is None else "present" if secret.value else "absent"
    states = {"the bot": here, "the cluster": _there(account.own, name, secret)}
    if account.auth is not None:
        states["NeMo-RL's `auth.sh`"] = _there(account.auth, name, secret)
    told = [
        f"{state} ({listed([place for place in states if states[place] == state])})"
        for state in dict.fromkeys(states.values())
    ]
    said = _SAID[account.verdicts.get(name, Verdict.NOT_ASKED)]
    return "; ".join([*told, said] if said else told)


_SAID = {
    Verdict.ACCEPTED: "accepted by its service",
    Verdict.REFUSED: "refused by its service",
    Verdict.NOT_REACHED: "its service cannot be reached",
    Verdict.NOT_ASKED: "",
}


def _there(seen: Seen | None, name: str, secret: Secret | None) -> str:
    if seen is None:
        return "not known"
    if name not in seen.digests:
        return "absent"
    if secret is None or secret.value is None:
        return "present, not from the bot"
    return "present" if _holds(seen, name, secret) else "another value"


def _holds(seen: Seen, name: str, secret: Secret) -> bool:
    return secret.value is not None and seen.holds(name, secret.value.get_secret_value())


def _todo(account: Account, name: str) -> tuple[Text, ...]:
    """Say what is to be done about one secret; nothing when all is well."""
    secret = account.secrets.get(name)
    if secret is None:
        return (sentences(absent(name)),)
    if secret.value is None:
        return (sentences(absent(name, secret.source)),)
    verdict = account.verdicts.get(name)
    steps = []
    if verdict is Verdict.REFUSED:
        steps.append(sentences(refused(name)))
    if verdict is Verdict.NOT_REACHED:
        steps.append(sentences(f"Whether `{name}` is accepted is not known; no answer came"))
    if account.auth and name in account.auth.digests and not _holds(account.auth, name, secret):
        steps.append(
            sentences(f"`configs/auth.sh` sets `{name}` once more, to another value; remove it")
        )
    return tuple(steps)


def absent(name: str, source: str = "") -> str:
    """Say that the bot has no such secret, and where it would find it."""
    if source:
        return f"`{name}` is absent; put it into {source}, and restart the bot"
    return (
        f"`{name}` is not configured; the bot's administrators can add it under `[secrets]`, "
        "with where the bot finds it"
    )


def refused(name: str) -> str:
    """Say that a secret is no good, and what to do."""
    known = KNOWN.get(name)
    return f"The service refuses `{name}`{f'; {_lower(known.revoke)}' if known else ''}"


def _lower(words: str) -> str:
    return words[:1].lower() + words[1:]
