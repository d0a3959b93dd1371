"""What `/nemo run` needs: recipes and their launcher, NeMo-Run, the image, the git server."""

from __future__ import annotations

from collections.abc import Callable

from bot.check import Check
from bot.checks.paths import image, image_check
from bot.cluster.survey import Survey
from bot.cluster_settings import ClusterSettings
from bot.words import count, storage

LEAST_MB = 1024
"""Room below which an image or a checkpoint will not fit."""
NEW_PASSWORD = "https://www.googlesource.com/new-password"  # noqa: S105  # a page, not a password
_NO_LOGIN = (
    "could not read Username",
    "terminal prompts disabled",
    "Authentication failed",
    "Permission denied",
    "error: 401",
    "error: 403",
)
_GAVE_UP = 124
"""What `timeout` returns."""


def _recipes(name: str, settings: ClusterSettings, seen: Survey) -> tuple[Check, ...]:
    """Say which recipes are there; where none are configured nor there, they are not used."""
    title, folder = f"{name}: recipes", settings.nemo.dir
    if not seen["launcher"].worked:
        if not _configured(settings):
            detail = f"none at {folder}: only batch scripts can be submitted"
            return (Check(title, ok=True, detail=detail),)
        fix = f"Type `/nemo setup`, or set clusters.{name}.nemo.dir to the folder of run.py."
        return (Check(title, ok=False, detail=f"there is no {folder}/run.py", fix=fix),)
    checks = [Check(title, ok=True, detail=f"{folder}, {_checkout(settings, seen)}")]
    if not seen["nemo-write"].worked:
        fix = f"Let the login account write in {folder}: what a launch leaves lies there."
        checks.append(Check(f"{name}: work folder", ok=False, detail="closed to it", fix=fix))
    room = seen.room("nemo-room")
    if room is not None and room < LEAST_MB:
        fix = f"Make room where {folder} is."
        detail = f"{storage(room << 20)} are left"
        checks.append(Check(f"{name}: work folder", ok=False, detail=detail, fix=fix))
    return tuple(checks)


def _configured(settings: ClusterSettings) -> bool:
    return "nemo" in settings.model_fields_set


def _used(settings: ClusterSettings, seen: Survey) -> bool:
    return _configured(settings) or seen["launcher"].worked


def _checkout(settings: ClusterSettings, seen: Survey) -> str:
    """Say at which commit the recipes are, and what sets them apart from the server's."""
    if not seen["commit"].worked:
        return "not a git checkout"
    commit, branch = seen["commit"].text, seen["branch"].text
    said = [f"branch {branch}" if branch != "HEAD" else "no branch", f"commit {commit[:7]}"]
    changes = seen["changes"].text.strip()
    if changes.isdigit() and int(changes):
        said.append(f"{count(int(changes), 'file')} changed here")
    there = seen["git"].text.split()[:1]
    if seen["git"].worked and there and there[0] != commit and branch == settings.nemo.branch:
        said.append(f"the server is at {there[0][:7]} (`/nemo setup` follows it)")
    return ", ".join(said)


def _launcher(name: str, settings: ClusterSettings, seen: Survey) -> tuple[Check, ...]:
    """Say whether the launcher starts at all, and NeMo-Run is there."""
    if not seen["launcher"].worked:
        return ()
    python = seen["python"].text or settings.nemo.python
    told = seen["nemo-run"]
    if not told.worked:
        fix = f"Type `/nemo setup`, or set clusters.{name}.nemo.python to a Python that has it."
        said = f": {(told.text.splitlines() or ['it is not there'])[-1]}"
        if "PackageNotFoundError" in told.text:
            said = " has no NeMo-Run"
        return (Check(f"{name}: NeMo-Run", ok=False, detail=f"{python}{said}", fix=fix),)
    there = Check(f"{name}: NeMo-Run", ok=True, detail=f"{told.text} under {python}")
    helped = seen["help"]
    if helped.worked:
        return (there, Check(f"{name}: run.py", ok=True, detail="it starts and tells its options"))
    if helped.status == _GAVE_UP:
        said = "it did not start within 40 s"
    else:
        said = (helped.text.splitlines() or ["it does not start"])[-1]
    fix = f"See `{python} run.py --help` in {settings.nemo.dir}; `/nemo setup` mends what it made."
    return (there, Check(f"{name}: run.py", ok=False, detail=said, fix=fix))


def _image(name: str, settings: ClusterSettings, seen: Survey) -> tuple[Check, ...]:
    path = image(settings)
    if not path or not seen["launcher"].worked:
        return ()
    return (image_check(f"{name}: image", path, seen["image"], "/nemo image pull nemo"),)


def _server(name: str, settings: ClusterSettings, seen: Survey) -> tuple[Check, ...]:
    """Say whether the login account may fetch the recipes."""
    title, told, repo = f"{name}: git server", seen["git"], settings.nemo.repo
    branch = settings.nemo.branch
    if not _used(settings, seen):
        return ()
    if told.worked and told.text.strip():
        return (Check(title, ok=True, detail=f"{repo} lets the account in, {branch} is there"),)
    if told.worked:
        fix = f"Set clusters.{name}.nemo.branch to one that `git ls-remote {repo}` shows."
        return (Check(title, ok=False, detail=f"{repo} has no branch {branch}", fix=fix),)
    said = (told.text.splitlines() or ["no answer"])[-1]
    if any(sign in told.text for sign in _NO_LOGIN):
        fix = (
            f"Open {NEW_PASSWORD}, and paste what it shows into a terminal on the login node."
            if "googlesource" in repo
            else f"Give the login account credentials for it; at Google's, {NEW_PASSWORD} does."
        )
        detail = f"{repo} asks who it is: the account has no credentials for it"
        return (Check(title, ok=False, detail=detail, fix=fix),)
    if told.status == _GAVE_UP:
        said = "no answer within 20 s"
    fix = "See that the login node reaches it; what is there already can be launched all the same."
    return (Check(title, ok=False, detail=f"{repo}: {said}", fix=fix),)


Look = Callable[[str, ClusterSettings, Survey], tuple[Check, ...]]
CHECKS: tuple[Look, ...] = (_recipes, _launcher, _image, _server)
