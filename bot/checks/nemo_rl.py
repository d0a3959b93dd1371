"""What `/nemo-rl` needs: its folder, launcher, submodules and image."""

from __future__ import annotations

from collections.abc import Callable

from bot.check import Check
from bot.checks.paths import image_check
from bot.cluster.survey import Survey
from bot.cluster_settings import ClusterSettings
from bot.words import count


def _nemo_rl(name: str, settings: ClusterSettings, seen: Survey) -> tuple[Check, ...]:
    title, rl = f"{name}: NeMo-RL", settings.nemo_rl
    configured = "nemo_rl" in settings.model_fields_set
    if not seen["rl-launcher"].worked:
        if not configured:
            return ()
        missing = f"no {rl.launcher} in {rl.dir}" if seen["rl-folder"].worked else f"no {rl.dir}"
        fix = f"Type `/nemo-rl setup`, or set clusters.{name}.nemo_rl.dir and launcher."
        return (Check(title, ok=False, detail=f"there is {missing}", fix=fix),)
    commit = seen["rl-commit"]
    at = f", commit {commit.text}" if commit.worked else ""
    checks = [Check(title, ok=True, detail=f"{rl.dir}/{rl.launcher}{at}")]
    if not seen["rl-write"].worked:
        fix = f"Let the login account write in {rl.dir}: each job makes its folder there."
        checks.append(Check(f"{title} folder", ok=False, detail="closed to it", fix=fix))
    checks += _submodules(title, seen)
    if configured or seen["rl-image"].worked:
        path = f"{rl.dir}/{rl.image or 'nemo_rl-*.sqsh'}"
        checks.append(
            image_check(f"{title} image", path, seen["rl-image"], "/nemo image pull nemo-rl")
        )
    return tuple(checks)


def _submodules(title: str, seen: Survey) -> tuple[Check, ...]:
    """Say which submodules are empty; a checkout without any says nothing."""
    told = seen["rl-submodules"]
    lines = told.text.splitlines() if told.worked else []
    if not lines:
        return ()
    empty = [line.split()[1] for line in lines if line.startswith("-")]
    if empty:
        fix = "Type `/nemo-rl setup`: it fetches them."
        detail = f"{count(len(empty), 'submodule')} empty: {', '.join(empty[:3])}"
        return (Check(f"{title} submodules", ok=False, detail=detail, fix=fix),)
    return (Check(f"{title} submodules", ok=True, detail=f"all {len(lines)} are there"),)


Look = Callable[[str, ClusterSettings, Survey], tuple[Check, ...]]
CHECKS: tuple[Look, ...] = (_nemo_rl,)
