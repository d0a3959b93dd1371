"""The desk carries an act out, and whoever did it learns how it went."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.card import Bullets, plain
from bot.cards import trouble
from bot.cluster_settings import ClusterSettings
from bot.demo.slack.manifest import load
from bot.demo.slack.server import LocalSlack, assemble
from bot.demo.slack.workspace import OUTSIDER, RESEARCHER, TRAINING
from bot.errors import ClusterUnreachable
from bot.login_node import LoginNode
from bot.model import Act, ActKind, Caller, Stage
from bot.policy import Policy
from bot.redact import redact_card
from bot.service import Service
from bot.store.sql_store import SqlStore
from handlers.actions import ACTIONS
from handlers.chat import SlackChat
from handlers.desk import Desk
from tests.unit.fake_slurm import FakeSlurm
from tests.unit.idle import Idle
from tests.unit.store.makers import NOW
from tests.unit.tracking import a_request

MANIFEST = Path(__file__).parents[2] / "manifest.yml"


@dataclass
class Counter:
    """A desk, the Slack in front of it, and what it hands on."""

    desk: Desk
    slack: LocalSlack
    store: SqlStore
    slurm: FakeSlurm
    woken: list[str] = field(default_factory=list)

    async def perform(self, kind: ActKind = ActKind.SLASH, **changes: Any) -> None:
        """Let somebody do something."""
        caller = Caller(team="T1", user=changes.pop("user", RESEARCHER), channel=TRAINING)
        usual = {"id": "a1", "kind": kind, "caller": caller, "at": NOW}
        words = {"command": "/slurm"} if kind is ActKind.SLASH else {}
        await self.desk.perform(Act.model_validate({**usual, **words, **changes}))

    def url(self) -> str:
        """A fresh response URL."""
        platform = self.slack.platform
        return f"{platform.base_url}/response/{platform.response_urls.issue(RESEARCHER, TRAINING)}"

    def whispered(self) -> list[tuple[str, str]]:
        """To whom something was shown alone, and what."""
        channel = self.slack.platform.workspace.channels[TRAINING]
        messages = channel.messages.values()
        return [(one.ephemeral_to, one.text) for one in messages if one.ephemeral_to]

    def calls(self) -> list[str]:
        """What was called at Slack."""
        return [call.method for call in self.slack.platform.traffic.since(0)]


@pytest.fixture
async def counter(tmp_path: Path) -> AsyncIterator[Counter]:
    """A desk for one cluster."""
    policy = Policy(
        cluster="alice",
        users={RESEARCHER},
        channels={TRAINING},
        operators=(),
        ask_above_gpu_hours=8.0,
    )
    slurm, woken = FakeSlurm(), list[str]()
    settings = ClusterSettings(host="login", known_hosts=Path("/dev/null"))
    node = LoginNode(settings=settings, policy=policy, cluster=slurm)
    platform = assemble(load(MANIFEST))
    async with (
        SqlStore(f"sqlite:///{tmp_path}/bot.db") as store,
        LocalSlack(platform) as slack,
        aiohttp.ClientSession() as session,
    ):
        token = platform.identity.bot_token
        client = AsyncWebClient(token=token, base_url=slack.api, session=session)
        service = Service(
            store=store,
            nodes={"alice": node},
            carrier=Idle(),
            wake=lambda: woken.append("wake"),
            watch=Idle(),
            cluster_of=lambda _channel: "alice",
        )
        desk = Desk(service=service, chat=SlackChat(client=client, redact=redact_card))
        yield Counter(desk, slack, store, slurm, woken)


async def test_a_command_is_answered_to_its_person_alone_on_its_response_url(
    counter: Counter,
) -> None:
    """That works in every channel, whether the bot is in it or not."""
    await counter.perform(text="help", reply_url=counter.url())

    [(person, _)] = counter.whispered()
    assert person == RESEARCHER
    assert counter.calls() == ["response_url"]


async def test_an_answer_whose_url_is_spent_goes_another_way(counter: Counter) -> None:
    """A response URL lives for half an hour."""
    gone = f"{counter.slack.platform.base_url}/response/gone"

    await counter.perform(text="help", reply_url=gone)

    assert [person for person, _ in counter.whispered()] == [RESEARCHER]
    assert counter.calls() == ["response_url", "chat.postEphemeral"]


@pytest.mark.parametrize(
    ("command", "text", "long"),
    [
        ("/nemo-rl", "exec 75 -- train", True),
        ("", "exec -- train", True),
        ("/nemo-rl", "exec --help", False),
        ("/nemo-rl", "exec", False),
        ("/slurm", "status 75", False),
    ],
)
def test_only_what_waits_for_a_command_takes_long(
    counter: Counter, command: str, text: str, *, long: bool
) -> None:
    """Everything else of a person is done in order."""
    caller = Caller(team="T1", user=RESEARCHER, channel=TRAINING)
    kind = ActKind.SLASH if command else ActKind.MENTION
    act = Act(id="a1", kind=kind, caller=caller, at=NOW, command=command, text=text)
    assert counter.desk.takes_long(act) is long


async def test_a_mention_is_answered_in_public_in_its_thread(counter: Counter) -> None:
    """By the outbox, so that a crash loses nothing; the same act is the same answer."""
    for _ in range(2):
        await counter.perform(ActKind.MENTION, text="help", message_ts="100.1")

    [posted] = await counter.store.due(NOW)
    assert (posted.wanted.key, posted.wanted.channel) == ("act/a1", TRAINING)
    assert posted.wanted.thread == "100.1"
    assert counter.woken
    assert counter.whispered() == []


async def test_a_mention_in_a_thread_is_answered_in_that_thread(counter: Counter) -> None:
    """Not below the mention itself."""
    caller = Caller(team="T1", user=RESEARCHER, channel=TRAINING, thread="99.0")

    await counter.perform(ActKind.MENTION, text="help", message_ts="100.1", caller=caller)

    [posted] = await counter.store.due(NOW)
    assert posted.wanted.thread == "99.0"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("submit train.sh -n two", "two"),
        ("jbos", "jobs"),
        ("jobs all --cluster nowhere", "nowhere"),
        ("status 4711 --cluster", "cluster"),
    ],
)
async def test_words_that_are_no_request_are_answered_with_what_is_wrong(
    counter: Counter, text: str, said: str
) -> None:
    """Nothing is asked of the cluster for them."""
    await counter.perform(text=text, reply_url=counter.url())

    assert said in "".join(str(call.arguments) for call in counter.slack.platform.traffic.since(0))
    assert counter.slurm.asked == []


async def test_who_is_not_on_the_list_is_told_so(counter: Counter) -> None:
    """And nothing is asked of the cluster."""
    await counter.perform(text="partitions", user=OUTSIDER)

    [(person, text)] = counter.whispered()
    assert person == OUTSIDER
    assert "not on the list" in text
    assert counter.slurm.asked == []


async def test_a_cluster_that_does_not_answer_is_said_to_be_so(counter: Counter) -> None:
    """In words, not as a fault of the bot."""
    counter.slurm.instead["sinfo"] = ClusterUnreachable("alice does not answer: refused")

    await counter.perform(text="partitions", reply_url=counter.url())

    [(_, text)] = counter.whispered()
    assert "alice does not answer: refused" in text


@pytest.mark.parametrize("action", ["from_long_ago", *ACTIONS])
async def test_a_control_of_something_forgotten_is_answered(counter: Counter, action: str) -> None:
    """The button stays in Slack for years; request, job or the control itself may be gone."""
    value = "alice:75|a3u" if action == "resubmit_partition" else "alice:75"

    await counter.perform(ActKind.BUTTON, action=action, value=value, message_ts="100.1")

    assert [person for person, _ in counter.whispered()] == [RESEARCHER]
    assert counter.slurm.asked == []


async def test_a_control_of_a_cluster_that_is_no_longer_configured_is_answered(
    counter: Counter,
) -> None:
    """The card is older than the configuration."""
    await counter.perform(ActKind.BUTTON, action="show_log", value="bob:75", message_ts="100.1")

    [(_, text)] = counter.whispered()
    assert "no longer configured" in text


async def test_a_token_that_the_cluster_prints_does_not_reach_slack(counter: Counter) -> None:
    """Whatever the answer is made of, it passes the redactor."""
    token = "hf_" + "aB3" * 11
    counter.slurm.instead["sinfo"] = ClusterUnreachable(f"export HF_TOKEN={token}: refused")

    await counter.perform(text="partitions", reply_url=counter.url())

    [(_, text)] = counter.whispered()
    assert "refused" in text
    assert token not in "".join(str(c.arguments) for c in counter.slack.platform.traffic.since(0))


@pytest.mark.parametrize("kind", [ActKind.SLASH, ActKind.MENTION])
async def test_a_pasted_secret_is_said_to_be_one_and_nothing_is_run(
    counter: Counter, kind: ActKind
) -> None:
    """With where to revoke it; a message that others can read is to be deleted."""
    await counter.perform(
        kind,
        text="jobs --token [redacted]",
        leaked=("hugging_face", "wandb"),
        message_ts="100.1",
        reply_url=counter.url(),
    )
    assert counter.slurm.asked == []
    if kind is ActKind.SLASH:
        [(_, said)] = counter.whispered()
    else:
        posted = await counter.store.message("act/a1")
        assert posted is not None
        card = posted.wanted.card
        assert redact_card(card) == card
        bullets = card.parts[0]
        assert isinstance(bullets, Bullets)
        steps = [plain(item) for item in bullets.items]
        assert steps[0].startswith("Delete your message")
        assert any("huggingface.co/settings/tokens" in step for step in steps)
        assert any("`HF_TOKEN` and `WANDB_API_KEY`".replace("`", "") in step for step in steps)
        said = plain(card.lead)
    assert "a Hugging Face token and a Weights & Biases API key" in said.replace("&amp;", "&")


async def test_an_answer_that_reaches_nobody_is_logged_and_the_act_is_over(
    counter: Counter, caplog: pytest.LogCaptureFixture
) -> None:
    """Trying again would carry the act out again."""
    counter.slack.platform.faults.add({"method": "*", "action": "500", "times": -1})

    with caplog.at_level(logging.WARNING, "handlers.desk"):
        await counter.perform(text="help", reply_url=counter.url())

    assert [getattr(record, "action", "") for record in caplog.records] == ["answer_lost"]


async def test_what_an_earlier_life_left_is_done_and_said_to_have_arrived(
    counter: Counter,
) -> None:
    """Slack may have called it failed, as nothing acknowledged it."""
    caller = Caller(team="T1", user=RESEARCHER, channel=TRAINING)
    act = Act(
        id="a1",
        kind=ActKind.SLASH,
        caller=caller,
        at=NOW,
        command="/slurm",
        text="help",
        reply_url=counter.url(),
    )

    await counter.desk.resume(act)

    texts = [text for _, text in counter.whispered()]
    assert texts[0].endswith(trouble.CAME_LATE)
    assert "/slurm" in texts[1]


async def test_a_fault_of_the_bot_is_owned_up_to_where_the_act_was_done(counter: Counter) -> None:
    """To its person after a command, in its thread after a mention."""
    caller = Caller(team="T1", user=RESEARCHER, channel=TRAINING)
    slash = Act(id="a1", kind=ActKind.SLASH, caller=caller, at=NOW, reply_url=counter.url())
    mention = Act(id="a2", kind=ActKind.MENTION, caller=caller, at=NOW, message_ts="100.1")

    await counter.desk.apologise(slash, "0badcafe")
    await counter.desk.apologise(mention, "0badbeef")

    [(_, text)] = counter.whispered()
    [posted] = await counter.store.due(NOW)
    assert "0badcafe" in text
    assert "0badbeef" in plain(posted.wanted.card.lead)


async def test_a_control_that_did_its_work_leaves_a_message_that_one_person_sees(
    counter: Counter,
) -> None:
    """Such a message can be changed by its own response URL alone."""
    await counter.perform(text="help", reply_url=counter.url())
    platform = counter.slack.platform
    [message] = platform.workspace.channels[TRAINING].messages.values()
    key = platform.response_urls.issue(RESEARCHER, TRAINING, message.ts)
    asked = a_request().model_copy(
        update={
            "stage": Stage.PROPOSED,
            "caller": Caller(team="T1", user=RESEARCHER, channel=TRAINING),
        }
    )
    await counter.store.add_request(asked)

    await counter.perform(
        ActKind.BUTTON,
        id="a2",
        action="withdraw",
        value=asked.id,
        ephemeral=True,
        message_ts=message.ts,
        reply_url=f"{platform.base_url}/response/{key}",
    )

    [(person, text)] = counter.whispered()
    assert (person, text) == (
        RESEARCHER,
        "Taken on. The message in the channel says how it goes.",
    )
