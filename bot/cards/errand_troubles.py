"""What can go wrong with an errand: the script's code and its output → what it was, what to do."""

from __future__ import annotations

from dataclasses import dataclass

import re2

from bot.words import storage


@dataclass(frozen=True)
class Trouble:
    """One way to fail: by the script's own code, and by a text in its output."""

    codes: frozenset[str]
    sentence: str
    """`{detail}` is what the script named."""
    remedy: str = ""
    pattern: str = ""
    """Empty fits every output."""


_GCLOUD = frozenset({"ask", "copy"})
_GIT = frozenset({"clone", "fetch", "submodules"})
_PIP = frozenset({"pip"})
_NET = (
    r"(?i)could not resolve|name resolution|network is unreachable|connection (?:timed out|refused"
    r"|reset)|failed to connect|no route to host|NewConnectionError|unable to access.*timed out"
)
_FULL = r"(?i)no space left on device|disk quota exceeded"
_LOGIN = "Log in on the login node once with `gcloud auth login`, then try again."


def _of(*codes: str) -> frozenset[str]:
    return frozenset(codes)


TROUBLES: tuple[Trouble, ...] = (
    Trouble(
        _GCLOUD | _GIT | _PIP | _of("full"),
        "The disk on the cluster is full.",
        "Free some room there (`du -sh ~/*` shows what is large), then try again.",
        _FULL,
    ),
    Trouble(_of("full"), "The disk of {detail} is full.", "Free some room there, then try again."),
    Trouble(
        _GCLOUD,
        "gcloud has no account on the login node.",
        _LOGIN,
        r"(?i)active account|credentialed accounts|reauthenticat|invalid_grant|gcloud auth login",
    ),
    Trouble(
        _GCLOUD,
        "The organisation's policy forbids reading {detail} from there.",
        "Its administrators can allow it (VPC Service Controls); the text below names the rule.",
        r"(?i)prohibited by organization.s policy|vpcServiceControls",
    ),
    Trouble(
        _GCLOUD,
        "The account on the login node may not read {detail}.",
        "Ask the owner of the bucket for the role Storage Object Viewer, or log in as somebody who "
        "has it.",
        r"(?i)does not have (?:permission|storage\.)|permission.*denied|HTTPError 403|AccessDenied",
    ),
    Trouble(
        _GCLOUD,
        "There is no {detail}.",
        "Look at the name and at the region; images that are there already: `/nemo image list`.",
        r"(?i)matched no objects|not found: 404|HTTPError 404|No URLs matched",
    ),
    Trouble(
        _GIT,
        "Git on the login node has no credentials for {detail}.",
        "Put some in place on the login node (for googlesource.com: "
        "https://www.googlesource.com/new-password), never into Slack. Then try again.",
        r"(?i)could not read username|authentication failed|terminal prompts disabled"
        r"|error: 40[13]|permission denied \(publickey|access denied",
    ),
    Trouble(
        _GIT,
        "There is no git repository {detail}.",
        "Its address is `repo` in the bot's configuration.",
        r"(?i)repository.*not found|not appear to be a git repository|does not exist",
    ),
    Trouble(
        _GCLOUD | _GIT | _PIP,
        "The network does not lead there: {detail}.",
        "Try again; if it stays so, the login node has no way out, and the site's own mirror "
        "belongs into the bot's configuration (`repo`, `pip_options`, the buckets' `mount`).",
        _NET,
    ),
    Trouble(
        _PIP,
        "pip finds no {detail}.",
        "On a site without internet, `pip_options` under `[clusters.NAME.nemo]` names where the "
        "packages are.",
        r"(?i)no matching distribution|could not find a version",
    ),
    Trouble(_PIP, "pip could not install {detail}."),
    Trouble(_of("ask"), "gcloud could not find {detail}."),
    Trouble(_of("copy"), "Copying {detail} failed."),
    Trouble(_of("clone"), "{detail} could not be cloned."),
    Trouble(_of("fetch"), "News from {detail} could not be fetched; what is there is unchanged."),
    Trouble(_of("submodules"), "The submodules of {detail} are not all there."),
    Trouble(_of("checkout"), "{detail} could not be checked out; what was there is unchanged."),
    Trouble(_of("ref"), "There is no branch, tag or commit {detail}.", "Look at its spelling."),
    Trouble(
        _of("occupied"),
        "{detail} is there and is not what belongs there.",
        "Move it away, or name another folder in the bot's configuration.",
    ),
    Trouble(
        _of("theirs"),
        "{detail} belongs to another account, so git leaves it alone.",
        "Have it given to the login account, or name another folder in the bot's configuration.",
    ),
    Trouble(_of("closed"), "{detail} cannot be written.", "Change its rights on the cluster."),
    Trouble(_of("folder"), "{detail} is a folder.", "Name a file with `--to`."),
    Trouble(_of("name"), "{detail} does not end in .sqsh.", "Name such a file with `--to`."),
    Trouble(
        _of("outside"),
        "{detail} lies outside the folders that may be used.",
        "Name a place below one of `roots` with `--to`.",
    ),
    Trouble(
        _of("nothing"),
        "There is no {detail}.",
        "Look at the name; the folder of mounted buckets itself cannot be listed.",
    ),
    Trouble(_of("read"), "{detail} may not be read by the login account."),
    Trouble(
        _of("gcloud"),
        "There is no gcloud on the login node, and no mounted {detail}.",
        "Put it in place, or add its folder to `path` in the bot's configuration.",
    ),
    Trouble(_of("room"), "There is too little room: {room}.", "Free some, or take another disk."),
    Trouble(
        _of("size"),
        "The copy has another size than the original: {sizes}.",
        "It was thrown away; try again.",
    ),
    Trouble(
        _of("squashfs"),
        "{detail} is no squashfs image.",
        "The copy was thrown away; what was there before is unchanged.",
    ),
    Trouble(
        _of("truncated"),
        "{detail} itself is not whole: it is shorter than it says.",
        "The copy was thrown away; ask whoever uploads it.",
    ),
    Trouble(_of("place"), "It could not be put in place: {detail}."),
    Trouble(_of("git"), "There is no git on the login node.", "Its administrators install it."),
    Trouble(_of("no-python"), "There is no Python {detail} on the login node."),
    Trouble(_of("old-python"), "Python {detail} is too old; NeMo-Run needs 3.10 or newer."),
    Trouble(
        _of("venv"),
        "The virtual environment {detail} could not be made.",
        "On Debian and Ubuntu it takes the package python3-venv.",
    ),
    Trouble(_of("no-nemo-run"), "{detail} is installed, and its command does not answer."),
    Trouble(
        _of("no-launcher"),
        "The recipes hold no {detail}.",
        "Another branch, or another folder? See `branch` and `dir` in the bot's configuration.",
    ),
    Trouble(_of("launcher"), "{detail} does not answer with that NeMo-Run."),
    Trouble(
        _of("dead"),
        "It was killed on the login node, or the login node restarted.",
        "Nothing is half done: try again, and it goes on from what is there.",
    ),
    Trouble(_of("flock", "setsid"), "The login node lacks a program it takes (util-linux)."),
    Trouble(_of("no-room"), "The home folder on the cluster has no room, or cannot be written."),
)


SILENT = _of(
    *("ref", "outside", "name", "nothing", "room", "size", "squashfs", "truncated", "folder"),
    *("occupied", "theirs", "gcloud", "no-python", "old-python", "git", "no-launcher", "full"),
)
"""Codes that say it all: what was written before has nothing to do with them."""


def trouble(code: str, detail: str, output: str) -> tuple[str, str]:
    """Return what went wrong and what to do."""
    for one in TROUBLES:
        if code in one.codes and (not one.pattern or re2.search(one.pattern, output)):
            numbers = [_size(word) for word in detail.split()]
            pair = ([*numbers, "", ""])[:2]
            named = f"`{detail}`" if detail and " " not in detail else detail
            sentence = one.sentence.format(
                detail=named,
                room=f"{pair[0]} free, {pair[1]} needed",
                sizes=f"{pair[0]} instead of {pair[1]}",
            )
            return " ".join(sentence.split()), one.remedy
    return f"It failed ({code}).", ""


def _size(text: str) -> str:
    return storage(int(text)) if text.isdigit() else text
