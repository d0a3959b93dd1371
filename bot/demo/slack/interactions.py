"""What people do: commands, clicks, forms; delivered to the app, its answers carried out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bot.demo.slack import answers, elements, wire
from bot.demo.slack.delivery import Ack, Envelope
from bot.demo.slack.errors import Refused, SlackError
from bot.demo.slack.model import Channel, Json, Message, View
from bot.demo.slack.platform import Platform

TROUBLE = "We had some trouble connecting. Try again?"


@dataclass(frozen=True, kw_only=True)
class Done:
    """How a person's act went; `notice` is what they were shown when it failed."""

    ack: Ack
    trigger_id: str
    notice: str = ""


@dataclass(kw_only=True)
class Spot:
    """Where a person acts: the blocks there, and what they have chosen so far."""

    user: str
    blocks: list[Json]
    values: dict[str, dict[str, Json]]
    context: Json
    channel: Channel | None = None
    thread_ts: str | None = None
    view: View | None = None


class Interactions:
    """Delivers what a person does."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform

    async def slash(self, user_id: str, channel_id: str, command: str, text: str) -> Done:
        """Type a slash command; raises Refused when Slack itself would not know it."""
        platform = self._platform
        user = platform.workspace.user(user_id)
        channel = self._entered(channel_id, user_id)
        known = platform.manifest.command(command)
        if known is None:
            raise Refused("unknown_command", f"{command} is not a valid command")
        trigger = platform.triggers.issue(user_id)
        payload = self._who() | {
            "channel_id": channel.id,
            "channel_name": _shown_name(channel),
            "user_id": user.id,
            "user_name": user.name,
            "command": command,
            "text": answers.typed(platform, text, escaped=known.should_escape),
            "is_enterprise_install": "false",
            "response_url": self._response_url(user_id, channel),
            "trigger_id": trigger,
        }
        ack = await platform.courier.deliver(Envelope(kind="slash_commands", payload=payload))
        notice = ""
        if not ack.acked:
            notice = f'{command} failed with the error "{ack.error}"'
            answers.slackbot(platform, channel, user_id, notice)
        else:
            try:
                answers.to_command(
                    platform, channel, user_id, f"{command} {text}".strip(), ack.payload
                )
            except SlackError as refused:
                notice = f'{command} failed with the error "{refused.code}"'
                answers.slackbot(platform, channel, user_id, notice)
        return Done(ack=ack, trigger_id=trigger, notice=notice)

    async def shortcut(
        self, user_id: str, channel_id: str, message_ts: str, callback_id: str
    ) -> Done:
        """Choose an entry of a message's menu; what one person alone sees has none."""
        platform = self._platform
        if platform.manifest.shortcut(callback_id) is None:
            raise Refused("unknown_shortcut", f"{callback_id} is no shortcut of messages")
        spot = self.in_message(user_id, channel_id, message_ts)
        if spot.context["container"]["is_ephemeral"]:
            raise Refused("message_not_found", "an ephemeral message has no shortcuts", 404)
        trigger = platform.triggers.issue(user_id)
        payload = self.interaction("message_action", user_id) | {
            "callback_id": callback_id,
            "trigger_id": trigger,
            "action_ts": platform.workspace.clock.ts(),
            "message_ts": message_ts,
            **{name: spot.context[name] for name in ("channel", "message", "response_url")},
        }
        ack = await platform.courier.deliver(Envelope(kind="interactive", payload=payload))
        done = Done(ack=ack, trigger_id=trigger, notice="" if ack.acked else TROUBLE)
        self._tell(spot, done.notice)
        return done

    def _who(self) -> Json:
        identity = self._platform.identity
        return {
            "token": identity.verification_token,
            "team_id": identity.team_id,
            "team_domain": identity.team_domain,
            "api_app_id": identity.app_id,
        }

    def _response_url(self, user_id: str, channel: Channel, message: Message | None = None) -> str:
        key = self._platform.response_urls.issue(
            user_id,
            channel.id,
            message.ts if message else None,
            message.thread_ts if message else None,
        )
        return f"{self._platform.base_url}/response/{key}"

    def _entered(self, channel_id: str, user_id: str) -> Channel:
        channel = self._platform.workspace.channel(channel_id)
        if user_id not in channel.members:
            raise Refused("not_a_member", f"{user_id} is not in {channel_id}")
        return channel

    def in_message(self, user_id: str, channel_id: str, message_ts: str) -> Spot:
        """Before a message that the person can see."""
        platform = self._platform
        channel = self._entered(channel_id, user_id)
        message = channel.messages.get(message_ts)
        if message is None or message.ephemeral_to not in {None, user_id}:
            raise Refused("message_not_found", f"no message {message_ts} for {user_id}", 404)
        container: Json = {
            "type": "message",
            "message_ts": message.ts,
            "channel_id": channel.id,
            "is_ephemeral": message.ephemeral_to is not None,
        }
        if message.thread_ts:
            container["thread_ts"] = message.thread_ts
        return Spot(
            user=user_id,
            blocks=message.blocks or [],
            values=message.state.setdefault(user_id, {}),
            context={
                "container": container,
                "channel": {"id": channel.id, "name": _shown_name(channel)},
                "message": wire.message(platform, message),
                "response_url": self._response_url(user_id, channel, message),
            },
            channel=channel,
            thread_ts=message.thread_ts,
        )

    def in_view(self, user_id: str, view_id: str) -> Spot:
        """Before a modal or Home that the person has open."""
        view = self.own_view(user_id, view_id)
        return Spot(
            user=user_id,
            blocks=view.body["blocks"],
            values=view.values,
            context={"container": {"type": "view", "view_id": view.id}},
            view=view,
        )

    def own_view(self, user_id: str, view_id: str) -> View:
        """The view, if it is that person's."""
        view = self._platform.views.by_id(view_id)
        if view.user != user_id:
            raise Refused("view_not_found", f"{view_id} is not open for {user_id}", 404)
        return view

    async def act(
        self, spot: Spot, action_id: str, value: Any = None, block_id: str | None = None
    ) -> Done:
        """Use an element; raises Refused when it is not there or offers no such value."""
        platform = self._platform
        place = elements.find(spot.blocks, action_id, value, block_id)
        held = elements.chosen(place, value)
        if place.keeps_state:
            spot.values.setdefault(place.block_id, {})[place.action_id] = held
        if place.silent:  # inputs speak when the form is submitted, unless told otherwise
            return Done(ack=Ack(acked=True), trigger_id="")
        trigger = platform.triggers.issue(spot.user, spot.view.id if spot.view else None)
        payload = self.interaction("block_actions", spot.user) | {
            "trigger_id": trigger,
            "actions": [elements.action(place, held, platform.workspace.clock.ts())],
            **self._context(spot),
            "state": {"values": elements.values(spot.blocks, spot.values)},
        }
        ack = await platform.courier.deliver(Envelope(kind="interactive", payload=payload))
        done = Done(ack=ack, trigger_id=trigger, notice="" if ack.acked else TROUBLE)
        self._tell(spot, done.notice)
        return done

    async def suggest(self, spot: Spot, action_id: str, query: str) -> Ack:
        """Ask the app for the options of an external select."""
        place = elements.find(spot.blocks, action_id)
        payload = self.interaction("block_suggestion", spot.user) | {
            "action_id": place.action_id,
            "block_id": place.block_id,
            "value": query,
            **self._context(spot),
        }
        return await self._platform.courier.deliver(Envelope(kind="interactive", payload=payload))

    def _context(self, spot: Spot) -> Json:
        if spot.view is None:
            return spot.context
        return spot.context | {"view": wire.view(self._platform, spot.view)}

    def _tell(self, spot: Spot, notice: str) -> None:
        if spot.view is not None:
            spot.view.notice = notice
            self._platform.viewed(spot.view)
        elif notice and spot.channel is not None:
            answers.slackbot(self._platform, spot.channel, spot.user, notice, spot.thread_ts)

    def interaction(self, kind: str, user_id: str) -> Json:
        identity, user = self._platform.identity, self._platform.workspace.user(user_id)
        return {
            "type": kind,
            "user": {
                "id": user.id,
                "username": user.name,
                "name": user.name,
                "team_id": identity.team_id,
            },
            "api_app_id": identity.app_id,
            "token": identity.verification_token,
            "team": {"id": identity.team_id, "domain": identity.team_domain},
            "enterprise": None,
            "is_enterprise_install": False,
        }


def _shown_name(channel: Channel) -> str:
    return {"public": channel.name, "private": "privategroup", "im": "directmessage"}[channel.kind]
