"""NeMo-RL training: a job script that the recipes' `launch.sh` runs in a container."""

from __future__ import annotations

import posixpath
import re
from typing import Annotated

from pydantic import AfterValidator

from bot.errors import FieldError, InputRefused
from bot.model import File, Launch
from bot.options import Option, RetriesOption, flag, word
from bot.shapes import Path, Setting, Switch
from bot.workload import MOST_TEXT, Fitted, Found, Need, Site, Texts, Workload
from bot.workloads.nemo_rl import launcher, wandb
from bot.workloads.nemo_rl.launcher import RlJob

ALGORITHMS = ("dpo", "grpo", "sft")
"""Those that the documentation names."""
_FOLDER = "algorithms"
_MOST = MOST_TEXT - 536
"""Bytes of a job script that was certainly read to its end."""


def _script(path: str) -> str:
    """Return the job script that is meant: `dpo` and `dpo.sh` are `algorithms/dpo.sh`."""
    if "/" in path or path.startswith(("~", "$")):
        return path
    return f"{_FOLDER}/{path}" if path.endswith(".sh") else f"{_FOLDER}/{path.lower()}.sh"


class NemoRlRun(RlJob):
    """One run of a job script."""

    job_script: Annotated[
        Annotated[Path, AfterValidator(_script)],
        word(
            "SCRIPT",
            "--job-script",
            help="`dpo`, `grpo`, `sft`, or another job script, such as `algorithms/mine.sh`",
        ),
    ]
    args: Annotated[
        tuple[Setting, ...],
        Option(
            (),
            "settings of the training, such as `dpo.max_num_steps=50`, if the launcher takes any",
            "KEY=VALUE",
            positional=True,
            rest=True,
        ),
    ] = ()
    no_wandb: Annotated[
        Switch,
        flag("--no-wandb", help="switch Weights & Biases off, in a copy of the job script"),
    ] = False
    retries: RetriesOption = 0


def complete(options: NemoRlRun, site: Site) -> NemoRlRun:
    """Write in the site's defaults; the script is named from the launcher's folder on."""
    where = launcher.folder(site)
    path = site.path(options.job_script, where)
    return launcher.complete(options, site).model_copy(
        update={"job_script": path.removeprefix(f"{where}/") if where else path}
    )


def launch(options: NemoRlRun, site: Site) -> Launch:
    """Return the documented call of `sbatch`."""
    run = complete(options, site)
    script = wandb.copy_of(run.job_script) if run.no_wandb else run.job_script
    behind = ("--", *run.args) if run.args else ()
    return launcher.launch(run, site, (run.habits.job_script, script, *behind))


def needs(options: NemoRlRun, site: Site) -> tuple[Need, ...]:
    """Name the files that a launch reads, and the copy that it makes."""
    where = launcher.folder(site)
    path = site.path(options.job_script, where)
    script = Need(
        field="job_script",
        path=path,
        kind="file",
        among=posixpath.join(where, _FOLDER),
        suffix=".sh",
        read=options.no_wandb,
    )
    copy = Need(field="copy", path=wandb.copy_of(path), kind="place", read=True)
    return (*launcher.needs(site), script, *((copy,) if options.no_wandb else ()))


def fit(options: NemoRlRun, found: Found) -> Fitted[NemoRlRun]:
    """Return the options fitted to the launcher on the cluster."""
    fitted = launcher.fit(options, found, "job_script")
    if fitted.errors or not options.args or fitted.options.habits.takes_args:
        return fitted
    problem = "The launcher on the cluster passes no settings on to the training"
    hint = "Leave them out, and change them in a copy of the job script"
    return Fitted(fitted.options, (FieldError("args", problem, hint),))


def files(options: NemoRlRun, site: Site, texts: Texts) -> tuple[File, ...]:
    """Return the copy of the job script without W&B, where it is wished."""
    if not options.no_wandb:
        return ()
    script = site.path(options.job_script, launcher.folder(site))
    name, text = posixpath.basename(script), texts.get("job_script", "")
    copy = wandb.copy_of(script)
    there = texts.get("copy", "")
    if there and not wandb.ours(there):
        problem = f"`{posixpath.basename(copy)}` is there already and somebody else made it"
        raise _cannot(problem, "Give it another name on the cluster, or run it as the job script")
    if len(text.encode()) > _MOST or "\N{REPLACEMENT CHARACTER}" in text:
        raise _cannot(f"`{name}` is too long, or no text, so it cannot be copied")
    if wandb.holds_secret(text):
        raise _cannot(
            f"`{name}` holds what looks like a secret, so no copy of it is made",
            "Move it to `configs/auth.sh` on the cluster; revoke it if others can read the script",
        )
    changed = wandb.without_wandb(text)
    if changed == text and not re.search(re.escape(wandb.OFF), text):
        raise _cannot(
            f"Nothing in `{name}` starts the training in a way that is known here",
            f"Set `{wandb.OFF}` in a copy of it on the cluster and run that",
        )
    change = wandb.change(text, changed)
    return (File(path=copy, text=wandb.marked(changed, script), of=script, change=change),)


def resume(options: NemoRlRun, folder: str) -> NemoRlRun | None:
    """Return the options of a run that goes on from the newest checkpoint in a folder."""
    if not options.habits.takes_args:
        return None
    for setting in options.args:
        key, _, value = setting.lstrip("+").partition("=")
        if key == _CHECKPOINTS:
            return options if value == folder else None
    args = (*options.args, f"{_CHECKPOINTS}={folder}")
    return options.model_copy(update={"args": args})


_CHECKPOINTS = "checkpointing.checkpoint_dir"
"""The setting that names where the training saves, and goes on from what is there."""


def _cannot(problem: str, hint: str = "") -> InputRefused:
    return InputRefused((FieldError("no_wandb", problem, hint),))


def _title(options: NemoRlRun) -> str:
    return options.job_name or posixpath.basename(options.job_script).removesuffix(".sh")


RUN = Workload(
    name="nemo-rl run",
    summary="Align a model: DPO, GRPO, SFT or another job script of NeMo-RL",
    model=NemoRlRun,
    complete=complete,
    resources=launcher.resources,
    batch=launcher.LAUNCHER,
    launch=launch,
    title=_title,
    heading=lambda options: f"NeMo-RL: {_title(options)}",
    needs=needs,
    fit=fit,
    files=files,
    resume=resume,
    follows=(("partition", "cluster_type"),),
    examples=(
        "/nemo-rl run dpo -N 2 -p a3m",
        "/nemo-rl run algorithms/sft.sh -N 4 --time 8h --no-wandb",
    ),
)
