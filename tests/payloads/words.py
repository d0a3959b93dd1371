"""Words that people, programs and logs may put into a card."""

from __future__ import annotations

NASTY: dict[str, str] = {
    "plain": "train.sh",
    "empty": "",
    "blank": " ",
    "line breaks": "\n\n",
    "mentions": "<!channel> <!here> <@U0RESEARCH1> <https://example.org|click> & &amp; < >",
    "mrkdwn": "*bold* _slanted_ ~gone~ > quoted\n• :rocket: `code`",
    "backticks": "` `` ``` ```fence```",
    "right to left": "\u202eevil\u202c \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "emoji": "\U0001f680\U0001f469\u200d\U0001f4bb :white_check_mark:",
    "control characters": "\x00\x1b[31mred\x1b[0m\r50%\r100%\b\x7f\u2028\ufeff",
    "curly": "\u201cquoted\u201d \u2014 \u2018dash\u2019 \u00a0",
    "a long name": "n" * 3_000,
    "a long name of wide letters": "\u6728" * 3_000,
    "many words": "word " * 2_000,
    "a long log": "\n".join(f"step {n}: loss {n / 7:.4f} <!channel> & `x`" for n in range(10_000)),
    "one endless line": "=" * 200_000,
}
"""By what is special about them."""
