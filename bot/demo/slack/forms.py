"""Submitting and closing modals, and what the app answers to it."""

from __future__ import annotations

from typing import Any

from bot.demo.slack import elements, fields, wire
from bot.demo.slack.delivery import Envelope
from bot.demo.slack.errors import Refused, SlackError
from bot.demo.slack.interactions import TROUBLE, Done, Interactions
from bot.demo.slack.model import Json, View
from bot.demo.slack.platform import Platform
from bot.demo.slack.validate import view as validate


class Forms:
    """Modals as a person uses them."""

    def __init__(self, platform: Platform, interactions: Interactions) -> None:
        self._platform = platform
        self._interactions = interactions

    async def submit(self, user_id: str, view_id: str, given: Json) -> Done:
        """Fill in and submit; `given` is {block_id: {action_id: value}} or {action_id: value}."""
        view = self._interactions.own_view(user_id, view_id)
        if view.kind != "modal":
            raise Refused("not_a_modal")
        self._fill(view, given)
        view.errors = fields.errors(view.body["blocks"], view.values)
        if view.errors:
            self._platform.viewed(view)
            # not the app's refusal and no mistake of the caller: the person sees it in the form
            raise Refused("incomplete", " ".join(view.errors.values()), status=200)
        trigger = self._platform.triggers.issue(user_id, view.id)
        payload = self._interactions.interaction("view_submission", user_id) | {
            "trigger_id": trigger,
            "view": wire.view(self._platform, view),
            "response_urls": self._response_urls(view),
        }
        ack = await self._platform.courier.deliver(Envelope(kind="interactive", payload=payload))
        view.notice = "" if ack.acked else TROUBLE
        if ack.acked:
            try:
                self._carry_out(view, ack.payload)
            except SlackError:
                view.notice = TROUBLE
        self._platform.viewed(view)
        return Done(ack=ack, trigger_id=trigger, notice=view.notice)

    async def close(self, user_id: str, view_id: str, *, everything: bool = False) -> None:
        """Close a modal; the app hears of it if it asked to."""
        view = self._interactions.own_view(user_id, view_id)
        self._platform.views.close(view, everything=everything)
        self._platform.viewed(view)
        if view.body.get("notify_on_close"):
            payload = self._interactions.interaction("view_closed", user_id) | {
                "view": wire.view(self._platform, view),
                "is_cleared": everything,
            }
            await self._platform.courier.deliver(Envelope(kind="interactive", payload=payload))

    def _fill(self, view: View, given: Json) -> None:
        for name, value in given.items():
            nested = value.items() if isinstance(value, dict) else [(name, value)]
            block_id = name if isinstance(value, dict) else None
            for action_id, one in nested:
                place = elements.find(view.body["blocks"], action_id, block_id=block_id)
                held = elements.chosen(place, one)
                view.values.setdefault(place.block_id, {})[place.action_id] = held

    def _response_urls(self, view: View) -> list[Json]:
        """An address for each channel chosen in a select that asked for one."""
        urls: list[Json] = []
        for place in elements.places(view.body["blocks"]):
            held = view.values.get(place.block_id, {}).get(place.action_id, {})
            channel = held.get("selected_conversation") or held.get("selected_channel")
            if place.element.get("response_url_enabled") and channel:
                key = self._platform.response_urls.issue(view.user, channel)
                urls.append(
                    {
                        "block_id": place.block_id,
                        "action_id": place.action_id,
                        "channel_id": channel,
                        "response_url": f"{self._platform.base_url}/response/{key}",
                    }
                )
        return urls

    def _carry_out(self, view: View, answer: Any) -> None:
        views = self._platform.views
        answer = answer if isinstance(answer, dict) else {}
        match answer.get("response_action"):
            case None:
                views.close(view)
            case "clear":
                views.close(view, everything=True)
            case "errors":
                known = {block.get("block_id") for block in view.body["blocks"]}
                view.errors = {
                    key: str(one) for key, one in answer["errors"].items() if key in known
                }
                if not view.errors:
                    view.notice = TROUBLE
            case "update":
                views.replace(view, validate.checked(answer.get("view"), "modal"))
            case "push":
                views.push(view.user, validate.checked(answer.get("view"), "modal"))
            case _:
                view.notice = TROUBLE
