"""Whether the bot holds the secrets that are configured; never a value."""

from __future__ import annotations

from collections.abc import Mapping

from bot.check import Check
from bot.secret import Secret


def checks(name: str, held: Mapping[str, Secret]) -> tuple[Check, ...]:
    """Say of each secret whether it is there."""
    return tuple(_check(f"{name}: {secret}", where) for secret, where in held.items())


def _check(title: str, secret: Secret) -> Check:
    if secret.value is None:
        fix = f"Put it into {secret.source.replace('`', '')}, and restart the bot."
        return Check(title, ok=False, detail="configured, and absent", fix=fix)
    return Check(title, ok=True, detail="present; `/slurm secrets` asks its service")
