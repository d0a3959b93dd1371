"""views.*: modals and Home."""

from __future__ import annotations

from bot.demo.slack import wire
from bot.demo.slack.arguments import Arguments, missing
from bot.demo.slack.errors import SlackError
from bot.demo.slack.methods.method import Method
from bot.demo.slack.model import Json, View
from bot.demo.slack.platform import Platform
from bot.demo.slack.validate import view as validate
from bot.demo.slack.validate.blocks import Surface


def _body(
    platform: Platform, arguments: Arguments, kind: Surface, *, replaces: View | None = None
) -> Json:
    tree = arguments.tree("view", "invalid_arguments")
    if tree is None:
        raise missing("view")
    body = validate.checked(tree, kind)
    _check_external_id(platform, body.get("external_id"), replaces)
    return body


def _check_external_id(platform: Platform, external_id: str | None, replaces: View | None) -> None:
    if not external_id:
        return
    try:
        other = platform.views.by_external_id(external_id)
    except SlackError:
        return
    if other is not replaces:
        raise SlackError("duplicate_external_id")


def opened(platform: Platform, arguments: Arguments) -> Json:
    """Open a modal for the person who caused the trigger."""
    trigger = _trigger(arguments)
    body = _body(platform, arguments, "modal")
    user, _ = platform.triggers.exchange(trigger)
    return _shown(platform, platform.views.open(user, body))


def pushed(platform: Platform, arguments: Arguments) -> Json:
    """Put a modal on top of the one that caused the trigger."""
    trigger = _trigger(arguments)
    body = _body(platform, arguments, "modal")
    user, _ = platform.triggers.exchange(trigger)
    return _shown(platform, platform.views.push(user, body))


def _trigger(arguments: Arguments) -> str:
    trigger = arguments.text("trigger_id") or arguments.text("interactivity_pointer")
    if not trigger:
        raise missing("trigger_id")
    return trigger


def updated(platform: Platform, arguments: Arguments) -> Json:
    """Replace an open view."""
    if view_id := arguments.text("view_id"):
        view = platform.views.by_id(view_id)
    elif external_id := arguments.text("external_id"):
        view = platform.views.by_external_id(external_id)
    else:
        raise missing("view_id")
    body = _body(platform, arguments, view.kind, replaces=view)
    platform.views.replace(view, body, arguments.text("hash"))
    return _shown(platform, view)


def published(platform: Platform, arguments: Arguments) -> Json:
    """Set a person's Home tab."""
    user = arguments.required("user_id")
    platform.workspace.user(user)
    if not platform.manifest.home_enabled:
        raise SlackError("not_enabled")
    body = _body(platform, arguments, "home", replaces=platform.views.homes.get(user))
    return _shown(platform, platform.views.publish(user, body, arguments.text("hash")))


def _shown(platform: Platform, view: View) -> Json:
    platform.viewed(view)
    return {"view": wire.view(platform, view)}


METHODS = (
    Method(name="views.open", call=opened, tier=4),
    Method(name="views.push", call=pushed, tier=4),
    Method(name="views.update", call=updated, tier=4),
    Method(name="views.publish", call=published, tier=4),
)
