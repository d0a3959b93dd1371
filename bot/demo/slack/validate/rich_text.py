"""The rich_text block and its elements."""

from __future__ import annotations

from collections.abc import Mapping

from bot.demo.slack.validate.shape import (
    Check,
    anything,
    array,
    boolean,
    integer,
    one_of,
    pattern,
    record,
    string,
    tagged,
    url,
)

_STYLE = record(
    {},
    dict.fromkeys(
        (
            "bold",
            "code",
            "italic",
            "strike",
            "underline",
            "highlight",
            "client_highlight",
            "unlink",
        ),
        boolean,
    ),
)


def _leaf(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    return record({"type": anything, **required}, {"style": _STYLE, **(optional or {})})


_LEAVES: dict[str, Check] = {
    "text": _leaf({"text": string(1)}),
    "link": _leaf({"url": url(3000)}, {"text": string(), "unsafe": boolean}),
    "user": _leaf({"user_id": pattern(r"[UW][A-Z0-9]{2,}", "must be a valid user")}),
    "usergroup": _leaf({"usergroup_id": pattern(r"S[A-Z0-9]{2,}", "must be a valid usergroup")}),
    "channel": _leaf({"channel_id": pattern(r"[CDG][A-Z0-9]{2,}", "must be a valid channel")}),
    "team": _leaf({"team_id": string(1)}),
    "emoji": _leaf(
        {"name": string(1)}, {"unicode": string(), "url": url(3000), "skin_tone": integer(1, 6)}
    ),
    "broadcast": _leaf({"range": one_of("here", "channel", "everyone")}),
    "color": _leaf({"value": string(1)}),
    "date": _leaf(
        {"timestamp": integer(0), "format": string(1)}, {"url": url(3000), "fallback": string(1)}
    ),
}
_LEAF = tagged(_LEAVES)
_BORDER = {"border": one_of(0, 1)}
_SECTION = record({"type": anything, "elements": array(_LEAF)})

_PARTS = tagged(
    {
        "rich_text_section": _SECTION,
        "rich_text_list": record(
            {
                "type": anything,
                "style": one_of("bullet", "ordered"),
                "elements": array(tagged({"rich_text_section": _SECTION})),
            },
            {"indent": integer(0, 8), "offset": integer(0), **_BORDER},
        ),
        "rich_text_quote": record({"type": anything, "elements": array(_LEAF)}, _BORDER),
        "rich_text_preformatted": record(
            {
                "type": anything,
                "elements": array(tagged({name: _LEAVES[name] for name in ("text", "link")})),
            },
            {**_BORDER, "language": string(1)},
        ),
    }
)

RICH_TEXT = tagged(
    {
        "rich_text": record(
            {"type": anything, "elements": array(_PARTS)}, {"block_id": string(1, 255)}
        )
    }
)
