"""Launch a training recipe on the cluster with NeMo-Run."""

from __future__ import annotations

import argparse
import ast
import os
import shlex
import sys
from pathlib import Path

import nemo_run as run

GPUS_PER_NODE = {"hcc-a3h": 8, "hcc-a3m": 8, "hcc-a3u": 8, "hcc-a4": 8}


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__)
    add = made.add_argument
    add("-e", "--executor", choices=["slurm"], default="slurm", help="where to run")
    add("--slurm-type", choices=sorted(GPUS_PER_NODE), default="hcc-a3m", help="cluster type")
    add("-p", "--partition", default="general", help="Slurm partition (see sinfo)")
    add("-d", "--work-dir", type=Path, default=Path.cwd(), help="directory with the recipes")
    add("-i", "--image", type=Path, required=True, help="container image (.sqsh)")
    add("-s", "--script", type=Path, required=True, help="recipe, relative to the directory")
    add("-n", "--nodes", type=int, default=1, help="number of nodes")
    add("--experiment-name", help="default: the recipe's name")
    add("--log-dir", type=Path, help="where logs and checkpoints go")
    add("--cache-dir", type=Path, help="where downloads are kept (default: ~/.cache)")
    add("--data-dir", type=Path, help="where the training data is")
    add("--checkpoint-every", type=int, metavar="STEPS", help="default: as the recipe says")
    add("--account", default=os.environ.get("SLURM_ACCOUNT", "research"), help="Slurm account")
    return made


def check(arguments: argparse.Namespace) -> str | None:
    """What is wrong with the arguments, or nothing."""
    if arguments.nodes < 1:
        return f"argument -n/--nodes: must be at least 1, not {arguments.nodes}"
    if arguments.checkpoint_every is not None and arguments.checkpoint_every < 1:
        return "argument --checkpoint-every: must be at least 1"
    if not (arguments.work_dir / arguments.script).is_file():
        return f"recipe not found: {arguments.work_dir / arguments.script}"
    if not arguments.image.is_file():
        return f"container image not found: {arguments.image}"
    return None


def tasks(work_dir: Path, recipe: Path) -> list[Path]:
    """The recipes that run one after another: those in a recipe's TASKS, or just itself."""
    for statement in ast.parse((work_dir / recipe).read_text(encoding="utf-8")).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="TASKS")], value=value):
                return [Path(each) for each in ast.literal_eval(value)]
    return [recipe]


def executor(arguments: argparse.Namespace, name: str) -> run.SlurmExecutor:
    """One task on each node; this cluster has no pyxis, so the image is not entered."""
    work_dir = arguments.work_dir.resolve()
    variables = {
        "EXPERIMENT_NAME": name,
        "PYTHONPATH": work_dir,
        "LOG_DIR": (arguments.log_dir or work_dir / "nemo_experiments").absolute(),
        "CACHE_DIR": (arguments.cache_dir or Path.home() / ".cache").absolute(),
        "DATA_DIR": (arguments.data_dir or work_dir / "data").absolute(),
        "OMP_NUM_THREADS": 1,
    }
    if arguments.checkpoint_every:
        variables["CHECKPOINT_EVERY"] = arguments.checkpoint_every
    return run.SlurmExecutor(
        account=arguments.account,
        partition=arguments.partition,
        time=None,  # the partition's default
        nodes=arguments.nodes,
        ntasks_per_node=1,
        gpus_per_node=GPUS_PER_NODE[arguments.slurm_type],
        container_image=None,
        env_vars={key: shlex.quote(str(value)) for key, value in variables.items()},
        tunnel=run.LocalTunnel(job_dir=""),
        packager=run.Packager(),
    )


def main() -> None:
    """Submit the recipe, a job for each task, and leave; NeMo-Run prints the status."""
    made = parser()
    arguments = made.parse_args()
    if problem := check(arguments):
        made.error(problem)
    name = arguments.experiment_name or arguments.script.stem
    found = tasks(arguments.work_dir, arguments.script)
    before: list[str] = []
    with run.Experiment(name) as experiment:
        for task in found:
            path = str((arguments.work_dir / task).resolve())
            added = experiment.add(
                run.Script(path=path, entrypoint="python3"),
                executor=executor(arguments, name),
                name=name if len(found) == 1 else task.stem,
                dependencies=before,
            )
            before = [added]
        experiment.run(detach=True)


if __name__ == "__main__":
    sys.exit(main())
