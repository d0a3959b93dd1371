"""Cards about clusters rather than jobs: secrets, checks, errands, images."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from pydantic import SecretStr

from bot.card import Card
from bot.cards import (
    clusters,
    doctor,
    errand,
    images,
    secrets,
    trouble,
)
from bot.cards.clusters import Standing
from bot.cards.secrets import Account
from bot.check import Check
from bot.cluster.glance import Glance
from bot.cluster.images import Condition, Image
from bot.cluster.login import Health
from bot.cluster.secret_files import Kind, Seen
from bot.errand import ErrandStage, Growth, Step, StepState
from bot.leaks import LEAKS
from bot.ports import Verdict
from bot.secret import Secret
from tests.payloads.values import (
    CHANNEL,
    NOW,
    USER,
    errand_of,
)


def _secrets(word: str) -> Iterator[tuple[str, Card]]:
    token = Secret(source=word, value=SecretStr("x"))
    held = {"HF_TOKEN": token, word: Secret(source=word)}
    file = Seen(Kind.FILE, "600", mine=True, digests={"HF_TOKEN": word, word: word})
    for verdict in Verdict:
        found = Account("alice", held, {"HF_TOKEN": verdict}, file, file)
        yield f"secrets.secrets_card/{verdict.value}", secrets.secrets_card(found)
    away = Account("alice", {}, {}, None, None, word)
    yield "secrets.secrets_card/away", secrets.secrets_card(away)
    yield "trouble.pasted/", trouble.pasted(tuple(leak.kind for leak in LEAKS), visible=True)


def _clusters(word: str) -> Iterator[tuple[str, Card]]:
    well, lost = Health(NOW, None), Health(NOW, NOW, word)
    up = Standing("alice", word, well, 0.012, Glance(word, 4, 4, 2))
    away = (
        Standing("bob", word, lost, trouble=word),
        Standing("carol", word, well, trouble=word),
        Standing("dave", word, well, 0.5, trouble=word),
    )
    yield "clusters.clusters_card/one", clusters.clusters_card((up,), "alice")
    yield "clusters.clusters_card/all", clusters.clusters_card((up, up), "")
    yield "clusters.clusters_card/away", clusters.clusters_card((up, *away), "alice")


def _doctor(word: str) -> Iterator[tuple[str, Card]]:
    well = tuple(Check(f"alice: {n}", ok=True, detail=word) for n in range(20))
    ill = tuple(Check(f"alice: {n}", ok=False, detail=word, fix=word or "x") for n in range(12))
    yield "doctor.looking/", doctor.looking("alice")
    yield "doctor.doctor_card/well", doctor.doctor_card("alice", well)
    yield "doctor.doctor_card/ill", doctor.doctor_card("alice", ill)
    yield "doctor.doctor_card/both", doctor.doctor_card("alice", (*ill, *well))


def _errands(word: str) -> Iterator[tuple[str, Card]]:
    growth = Growth(size=3_100_000_000, total=7_200_000_000, left=130.0)
    failed = Step(name=word, state=StepState.FAILED, began=NOW, said=word, detail=word)
    over = {"ended": NOW + timedelta(minutes=2), "growth": None}
    for stage in ErrandStage:
        made = errand_of(word, stage=stage, **({} if stage.open else over), stopper=USER)
        yield f"errand.errand_card/{stage.value}", errand.errand_card(made)
    many = {
        "none": errand_of(word, steps=(), stage=ErrandStage.ACCEPTED),
        "running": errand_of(word),
        "growing": errand_of(word, growth=growth),
        "trouble": errand_of(word, trouble=word),
        "failed": errand_of(
            word, stage=ErrandStage.FAILED, steps=(failed,), failure=word, tail=word, **over
        ),
    }
    for name, one in many.items():
        yield f"errand.errand_card/{name}s", errand.errand_card(one)
    for stage in (ErrandStage.DONE, ErrandStage.FAILED):
        end = errand.notice(errand_of(word, stage=stage, **over))
        assert end
        yield f"errand.notice/{stage.value}", end
    yield "errand.running_already/", errand.running_already(errand_of(word), CHANNEL)


def _images(word: str) -> Iterator[tuple[str, Card]]:
    found = tuple(Image(f"/{word}/{n}", n * 10**9, NOW, kind) for n, kind in enumerate(Condition))
    defaults = {"/nemo run": f"/{word}/0", "/nemo-rl run": f"/{word}/none"}
    yield "images.images_card/none", images.images_card("alice", (), defaults, (word,))
    yield "images.images_card/some", images.images_card("alice", found, defaults, (word,))
    yield "images.images_card/many", images.images_card("alice", found * 25, {}, (word,))


def upkeep(word: str) -> Iterator[tuple[str, Card]]:
    """Yield all of them."""
    yield from _secrets(word)
    yield from _clusters(word)
    yield from _doctor(word)
    yield from _errands(word)
    yield from _images(word)
