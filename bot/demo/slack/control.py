"""The control interface `/_local/…`: act as a person, look at what they see, order faults."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from bot.demo.slack import http_events, people, shown, uploads
from bot.demo.slack.errors import Refused, SlackError
from bot.demo.slack.faults import Faults
from bot.demo.slack.forms import Forms
from bot.demo.slack.interactions import Done, Interactions, Spot
from bot.demo.slack.model import Json
from bot.demo.slack.platform import Platform

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@web.middleware
async def refusals(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer what cannot be done with its reason."""
    try:
        return await handler(request)
    except Refused as refused:
        body = {"ok": False, "error": refused.code, "message": refused.message}
        return web.json_response(body, status=refused.status)
    except SlackError as error:
        return web.json_response(error.answer(), status=404 if "not_found" in error.code else 400)


async def body_of(request: web.Request) -> Json:
    """The JSON object of a request."""
    try:
        body = await request.json() if request.can_read_body else {}
    except json.JSONDecodeError:
        raise Refused("invalid_json") from None
    if not isinstance(body, dict):
        raise Refused("json_not_object")
    return body


def need(body: Json, *names: str) -> list[Any]:
    """The named values; raises Refused with those that are missing."""
    missing = [name for name in names if name not in body]
    if missing:
        raise Refused("missing_field", ", ".join(missing))
    return [body[name] for name in names]


def _done(done: Done) -> Json:
    ack = done.ack
    return {
        "ok": True,
        "acked": ack.acked,
        "ack_ms": None if ack.ms is None else round(ack.ms, 2),
        "ack": ack.payload,
        "trigger_id": done.trigger_id,
        "error": done.notice or None,
    }


class Control:
    """Serves the control interface."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._interactions = Interactions(platform)
        self._forms = Forms(platform, self._interactions)

    def routes(self) -> list[web.RouteDef]:
        """Where each call is served."""
        return [
            web.post("/_local/slash", self.slash),
            web.post("/_local/message", self.message),
            web.post("/_local/upload", self.upload),
            web.post("/_local/shortcut", self.shortcut),
            web.post("/_local/click", self.act),
            web.post("/_local/select", self.act),
            web.post("/_local/options", self.options),
            web.post("/_local/submit", self.submit),
            web.post("/_local/close", self.close),
            web.post("/_local/home", self.home),
            web.post("/_local/channel", self.channel),
            web.post("/_local/user", self.user),
            web.post("/_local/invite", self.invite),
            web.post("/_local/remove", self.remove),
            web.post("/_local/faults", self.faults),
            web.post("/_local/request_url", self.request_url),
            web.get("/_local/messages", self.messages),
            web.get("/_local/views", self.views),
            web.get("/_local/traffic", self.traffic),
            web.get("/_local/deliveries", self.deliveries),
            web.get("/_local/info", self.info),
        ]

    async def slash(self, request: web.Request) -> web.Response:
        """{user_id, channel_id, command, text} → {acked, ack_ms, ack, trigger_id, error}."""
        body = await body_of(request)
        user, channel, command = need(body, "user_id", "channel_id", "command")
        text = str(body.get("text", ""))
        return web.json_response(
            _done(await self._interactions.slash(user, channel, command, text))
        )

    async def message(self, request: web.Request) -> web.Response:
        """{user_id, channel_id, text, thread_ts?, typed?} → {ts}."""
        body = await body_of(request)
        user, channel, text = need(body, "user_id", "channel_id", "text")
        said = people.say(
            self._platform,
            user,
            channel,
            text,
            thread_ts=body.get("thread_ts"),
            typed=bool(body.get("typed")),
        )
        return web.json_response({"ok": True, "ts": said.ts, "channel": said.channel})

    async def upload(self, request: web.Request) -> web.Response:
        """A form {user_id, channel_id, text?, thread_ts?, typed?, file…} → {ts}."""
        form = await uploads.form(request)
        user, channel = need(form.fields, "user_id", "channel_id")
        said = people.say(
            self._platform,
            user,
            channel,
            form.fields.get("text", ""),
            thread_ts=form.fields.get("thread_ts"),
            typed=bool(form.fields.get("typed")),
            files=form.files,
        )
        return web.json_response({"ok": True, "ts": said.ts, "channel": said.channel})

    async def shortcut(self, request: web.Request) -> web.Response:
        """{user_id, channel_id, message_ts, callback_id} → like slash."""
        asked = need(await body_of(request), "user_id", "channel_id", "message_ts", "callback_id")
        return web.json_response(_done(await self._interactions.shortcut(*asked)))

    async def act(self, request: web.Request) -> web.Response:
        """{user_id, channel_id + message_ts | view_id, action_id, value?, block_id?}."""
        body = await body_of(request)
        (action_id,) = need(body, "action_id")
        done = await self._interactions.act(
            self._spot(body), action_id, body.get("value"), body.get("block_id")
        )
        return web.json_response(_done(done))

    async def options(self, request: web.Request) -> web.Response:
        """Like click, `value` is what was typed into an external select → {options}."""
        body = await body_of(request)
        (action_id,) = need(body, "action_id")
        ack = await self._interactions.suggest(
            self._spot(body), action_id, str(body.get("value", ""))
        )
        return web.json_response({"ok": True, "acked": ack.acked, "ack": ack.payload})

    def _spot(self, body: Json) -> Spot:
        (user,) = need(body, "user_id")
        if "view_id" in body:
            return self._interactions.in_view(user, body["view_id"])
        channel, ts = need(body, "channel_id", "message_ts")
        return self._interactions.in_message(user, channel, ts)

    async def submit(self, request: web.Request) -> web.Response:
        """{user_id, view_id, values} → like slash, with the view's `errors`."""
        body = await body_of(request)
        user, view_id = need(body, "user_id", "view_id")
        view = self._platform.views.by_id(view_id)
        done = await self._forms.submit(user, view_id, body.get("values", {}))
        return web.json_response(_done(done) | {"errors": view.errors})

    async def close(self, request: web.Request) -> web.Response:
        """{user_id, view_id, everything?}."""
        body = await body_of(request)
        user, view_id = need(body, "user_id", "view_id")
        await self._forms.close(user, view_id, everything=bool(body.get("everything")))
        return web.json_response({"ok": True})

    async def home(self, request: web.Request) -> web.Response:
        """{user_id, tab?}: open the app's Home (or Messages) tab."""
        body = await body_of(request)
        (user,) = need(body, "user_id")
        people.open_home(self._platform, user, body.get("tab", "home"))
        return web.json_response({"ok": True})

    async def channel(self, request: web.Request) -> web.Response:
        """{name, private?, members?, topic?, archived?}; with `id`: change that one."""
        channel = people.channel(self._platform, await body_of(request))
        return web.json_response({"ok": True, "channel": shown.channel(channel)})

    async def user(self, request: web.Request) -> web.Response:
        """{name, is_admin?, title?} → {user}."""
        user = people.user(self._platform, await body_of(request))
        return web.json_response({"ok": True, "user": shown.user(user)})

    async def invite(self, request: web.Request) -> web.Response:
        """{channel_id, user_id}: `user_id` may be the bot's."""
        channel, user = need(await body_of(request), "channel_id", "user_id")
        people.invite(self._platform, channel, user)
        return web.json_response({"ok": True})

    async def remove(self, request: web.Request) -> web.Response:
        """{channel_id, user_id}."""
        channel, user = need(await body_of(request), "channel_id", "user_id")
        people.remove(self._platform, channel, user)
        return web.json_response({"ok": True})

    async def faults(self, request: web.Request) -> web.Response:
        """{clear?, rule?, drop_sockets?, disconnect?, duplicate_envelopes?, rate_limits?}."""
        body = await body_of(request)
        faults: Faults = self._platform.faults
        if body.get("clear"):
            faults.clear()
            self._platform.rates.enabled = True
        if "rule" in body:
            faults.add(body["rule"])
        if "duplicate_envelopes" in body:
            faults.duplicates = int(body["duplicate_envelopes"])
        if "rate_limits" in body:
            self._platform.rates.enabled = bool(body["rate_limits"])
        dropped = self._platform.sockets.drop() if body.get("drop_sockets") else 0
        if "disconnect" in body:
            await self._platform.sockets.disconnect(body["disconnect"])
        return web.json_response({"ok": True, "dropped": dropped})

    async def request_url(self, request: web.Request) -> web.Response:
        """{url | null}: deliver by signed HTTP there, or by Socket Mode again."""
        (url,) = need(await body_of(request), "url")
        await http_events.use(self._platform, url)
        return web.json_response({"ok": True})

    async def messages(self, request: web.Request) -> web.Response:
        """?channel=C…[&thread_ts=…][&user=U…][&limit=N]: what is there now, oldest first."""
        channel = self._platform.workspace.channel(request.query.get("channel", ""))
        found = shown.messages(
            self._platform,
            channel,
            thread_ts=request.query.get("thread_ts"),
            reader=request.query.get("user"),
            newest=int(request.query["limit"]) if "limit" in request.query else None,
        )
        return web.json_response({"ok": True, "messages": found})

    async def views(self, request: web.Request) -> web.Response:
        """?user=U…: the stack of modals, topmost last, and Home."""
        user = self._platform.workspace.user(request.query.get("user", ""))
        return web.json_response({"ok": True, **shown.views(self._platform, user.id)})

    async def traffic(self, request: web.Request) -> web.Response:
        """?since=SECONDS&method=NAME: the calls the app made."""
        since = float(request.query.get("since", 0))
        calls = self._platform.traffic.since(since, request.query.get("method"))
        return web.json_response({"ok": True, "calls": [one.shown() for one in calls]})

    async def deliveries(self, request: web.Request) -> web.Response:
        """?since=SECONDS: the envelopes sent to the app, and how it took them."""
        since = float(request.query.get("since", 0))
        found = [shown.delivery(one) for one in self._platform.courier.deliveries if one.at > since]
        return web.json_response({"ok": True, "deliveries": found})

    async def info(self, request: web.Request) -> web.Response:
        """[?user=U…]: ids, channels, users, commands and whether the bot is connected."""
        reader = request.query.get("user")
        return web.json_response({"ok": True, **shown.info(self._platform, reader)})
