"""How a NeMo-RL job is launched."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.errors import InputRefused
from bot.model import Resources
from bot.rerun import changed, difference
from bot.workload import Found, Need, Site
from bot.workloads.nemo_rl import RUN
from bot.workloads.nemo_rl.launcher import Habits, habits, lacking, resources
from bot.workloads.nemo_rl.run import NemoRlRun, complete, files, fit, launch, needs, resume

SITE = Site(
    home="/home/ana",
    account="research",
    partition="a3m",
    nemo_rl_dir="~/vertex-oss-training/nemo_rl",
    slurm_types={"big": "hcc-a4"},
)
FOLDER = "/home/ana/vertex-oss-training/nemo_rl"
LAUNCHER = """#!/bin/bash
#SBATCH --exclusive
# usage: sbatch launch.sh --cluster-type TYPE
while [ $# -gt 0 ]; do
  case "$1" in
    --cluster_type) type=$2; shift 2 ;;
    --job_script) script=$2; shift 2 ;;
    --interactive) interactive=1; shift ;;
    *) echo "unknown option: $*" >&2; exit 2 ;;
  esac
done
"""


def refusal(text: str, options: NemoRlRun) -> list[tuple[str, str]]:
    fitted = fit(complete(options, SITE), Found(texts={"launcher": text}))
    return [(error.message, error.hint) for error in fitted.errors]


def test_the_documented_command_comes_out_as_documented() -> None:
    made = launch(
        NemoRlRun(job_script="dpo", nodes=2, cluster_type="hcc-a3m"),
        Site(home="/home/ana", nemo_rl_dir="$HOME/vertex-oss-training/nemo_rl"),
    )
    assert made.argv == (
        "sbatch",
        "-N",
        "2",
        "launch.sh",
        "--cluster_type",
        "hcc-a3m",
        "--job_script",
        "algorithms/dpo.sh",
    )
    assert made.cwd == FOLDER
    assert made.secrets
    assert made.sbatch_options == ()


def test_scheduler_options_stand_before_the_launcher() -> None:
    """Behind it they would be the launcher's own and could not choose the queue."""
    run = NemoRlRun(
        job_script="algorithms/grpo.sh",
        partition="a3u",
        time="4h",
        qos="high",
        after=("75", "76"),
        exclude="alice-a3u-0",
        job_name="mine",
    )
    argv = launch(run, SITE).argv
    assert argv[: argv.index("launch.sh")] == (
        "sbatch",
        "-N",
        "1",
        "--partition=a3u",
        "--account=research",
        "--qos=high",
        "--time=04:00:00",
        "--job-name=mine",
        "--dependency=afterok:75:76",
        "--exclude=alice-a3u-0",
    )
    assert argv[argv.index("launch.sh") + 1 :] == (
        "--cluster_type",
        "hcc-a3u",
        "--job_script",
        "algorithms/grpo.sh",
    )


@pytest.mark.parametrize(
    ("typed", "script"),
    [
        ("dpo", "algorithms/dpo.sh"),
        ("GRPO", "algorithms/grpo.sh"),
        ("mine.sh", "algorithms/mine.sh"),
        ("algorithms/sft.sh", "algorithms/sft.sh"),
        ("$HOME/vertex-oss-training/nemo_rl/algorithms/dpo.sh", "algorithms/dpo.sh"),
        ("~/own/dpo.sh", "/home/ana/own/dpo.sh"),
        ("/gcs/b/dpo.sh", "/gcs/b/dpo.sh"),
    ],
)
def test_the_job_script_is_named_from_the_launchers_folder_on(typed: str, script: str) -> None:
    run = complete(NemoRlRun(job_script=typed), SITE)
    assert run.job_script == script
    assert complete(run, SITE) == run


def test_a_rerun_on_another_partition_takes_that_partitions_type() -> None:
    before = complete(NemoRlRun(job_script="dpo"), SITE)
    assert before.cluster_type == "hcc-a3m"
    assert changed(RUN, before, {"partition": "big"}, SITE).cluster_type == "hcc-a4"


def test_a_rerun_without_wandb_says_so_and_no_more() -> None:
    """What was read of the launcher is nothing that a person changed."""
    before = complete(NemoRlRun(job_script="dpo"), SITE)
    after = changed(RUN, before, {"no_wandb": True})
    told = after.model_copy(update={"habits": Habits(singleton=True)})
    assert difference(before, told) == "no wandb"


def test_resources_are_whole_nodes_and_the_launchers_own_time() -> None:
    run = complete(NemoRlRun(job_script="dpo", nodes=2), SITE)
    header = "#!/bin/bash\n#SBATCH --time=02:00:00\n"
    asked = Resources(partition="a3m", nodes=2, gpus_per_node=8, time=timedelta(hours=2))
    assert resources(run, header) == asked
    typed = run.model_copy(update={"time": "01:00:00"})
    assert resources(typed, header).time == timedelta(hours=1)
    assert resources(run).time is None


def test_a_partition_of_no_known_type_is_asked_about() -> None:
    [(message, hint)] = refusal(LAUNCHER, NemoRlRun(job_script="dpo", partition="general"))
    assert message == "Which cluster type is partition `general`?"
    assert hint == "Add `--cluster_type` `hcc-a3m`, `hcc-a3u`, `hcc-a4` or `hcc-a3h`"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (LAUNCHER, Habits()),
        (
            LAUNCHER.replace("--cluster_type)", "--cluster-type)").replace("_script)", "-script)"),
            Habits(cluster_type="--cluster-type", job_script="--job-script"),
        ),
        (
            LAUNCHER.replace("--cluster_type)", "--cluster-type|--cluster_type)"),
            Habits(cluster_type="--cluster_type"),
        ),
        (
            "opts=$(getopt -l cluster-type:,job_script: -- $1)",
            Habits(cluster_type="--cluster-type"),
        ),
        ('exec python3 tools/launch.py "$@"\n', Habits()),
        (LAUNCHER.replace("#SBATCH --exclusive", "#SBATCH -d singleton"), Habits(singleton=True)),
        (
            LAUNCHER.replace("    *) echo", "    --) shift; break ;;\n    *) echo"),
            Habits(takes_args=True),
        ),
    ],
)
def test_the_launchers_own_spelling_is_taken(text: str, found: Habits) -> None:
    assert habits(text) == found
    assert not lacking(text, "cluster_type", "job_script")


def test_a_launcher_that_lacks_an_option_is_refused_in_words() -> None:
    text = LAUNCHER.replace("--job_script", "--script")
    [(message, hint)] = refusal(text, NemoRlRun(job_script="dpo"))
    assert message == "The launcher on the cluster has no option `--job_script`"
    assert hint == "It knows `--cluster_type`, `--script` and `--interactive`"


def test_the_fitted_spelling_is_what_runs() -> None:
    text = LAUNCHER.replace("--cluster_type", "--cluster-type")
    run = fit(complete(NemoRlRun(job_script="dpo"), SITE), Found(texts={"launcher": text})).options
    stored = NemoRlRun.model_validate(run.model_dump(mode="json"))
    assert "--cluster-type" in launch(stored, SITE).argv


def test_waiting_for_a_job_does_not_lift_the_launchers_singleton() -> None:
    """An option of the command line replaces the one of the header."""
    text = LAUNCHER.replace("#SBATCH --exclusive", "#SBATCH --dependency=singleton")
    run = fit(
        complete(NemoRlRun(job_script="dpo", after=("75",)), SITE), Found(texts={"launcher": text})
    ).options
    assert "--dependency=afterok:75,singleton" in launch(run, SITE).argv


def test_settings_of_the_training_pass_only_through_a_launcher_that_takes_them() -> None:
    run = NemoRlRun(job_script="dpo", args=("dpo.max_num_steps=5",))
    [(message, hint)] = refusal(LAUNCHER, run)
    assert message == "The launcher on the cluster passes no settings on to the training"
    assert "copy of the job script" in hint
    taking = LAUNCHER.replace("    *) echo", '    --) shift; extra=("$@"); break ;;\n    *) echo')
    fitted = fit(complete(run, SITE), Found(texts={"launcher": taking})).options
    assert launch(fitted, SITE).argv[-3:] == ("algorithms/dpo.sh", "--", "dpo.max_num_steps=5")


def test_needs_name_the_folder_the_launcher_the_image_and_the_script() -> None:
    found = {need.field: need for need in needs(NemoRlRun(job_script="dpo"), SITE)}
    assert list(found) == ["folder", "launcher", "image", "job_script"]
    assert found["launcher"].path == f"{FOLDER}/launch.sh"
    assert found["launcher"].read
    assert (found["image"].kind, found["image"].path) == ("some", FOLDER)
    assert found["job_script"] == Need(
        field="job_script",
        path=f"{FOLDER}/algorithms/dpo.sh",
        kind="file",
        among=f"{FOLDER}/algorithms",
        suffix=".sh",
    )


@pytest.mark.parametrize(
    ("image", "path"),
    [("rl.sqsh", f"{FOLDER}/rl.sqsh"), ("/gcs/b/rl.sqsh", "/gcs/b/rl.sqsh")],
)
def test_a_configured_image_must_be_there(image: str, path: str) -> None:
    site = SITE.model_copy(update={"nemo_rl_image": image})
    [need] = [n for n in needs(NemoRlRun(job_script="dpo"), site) if n.field == "image"]
    assert (need.kind, need.path) == ("file", path)


SCRIPT = "#!/bin/bash\nuv run examples/run_dpo.py --config x.yaml logger.wandb_enabled=True\n"


def test_without_wandb_a_copy_runs() -> None:
    run = complete(NemoRlRun(job_script="dpo", no_wandb=True), SITE)
    run = fit(run, Found(texts={"launcher": LAUNCHER})).options
    [copy] = files(run, SITE, {"job_script": SCRIPT})
    assert copy.path == f"{FOLDER}/algorithms/dpo.no-wandb.sh"
    assert copy.of == f"{FOLDER}/algorithms/dpo.sh"
    assert "logger.wandb_enabled=False\n" in copy.text
    assert copy.change == (
        "- uv run examples/run_dpo.py --config x.yaml logger.wandb_enabled=True\n"
        "+ uv run examples/run_dpo.py --config x.yaml logger.wandb_enabled=False"
    )
    assert launch(run, SITE).argv[-1] == "algorithms/dpo.no-wandb.sh"
    assert files(run, SITE, {"job_script": SCRIPT, "copy": copy.text}) == (copy,)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({"job_script": "#!/bin/bash\n./train\n"}, "Nothing in `dpo.sh` starts the training"),
        ({"job_script": SCRIPT, "copy": "mine"}, "somebody else made it"),
        ({"job_script": SCRIPT + "#" * 70_000}, "too long"),
        ({"job_script": f"HF_TOKEN=hf_{'abcdefghij' * 3}\n{SCRIPT}"}, "looks like a secret"),
    ],
)
def test_a_copy_that_cannot_be_made_is_refused(texts: dict[str, str], said: str) -> None:
    run = complete(NemoRlRun(job_script="dpo", no_wandb=True), SITE)
    with pytest.raises(InputRefused) as refused:
        files(run, SITE, texts)
    assert said in refused.value.errors[0].message


@pytest.mark.parametrize(
    ("takes", "args", "goes_on"),
    [
        (True, (), ("checkpointing.checkpoint_dir=/w/75/checkpoints",)),
        (True, ("dpo.lr=1",), ("dpo.lr=1", "checkpointing.checkpoint_dir=/w/75/checkpoints")),
        (True, ("+checkpointing.checkpoint_dir=/mine",), None),
        (
            True,
            ("checkpointing.checkpoint_dir=/w/75/checkpoints",),
            ("checkpointing.checkpoint_dir=/w/75/checkpoints",),
        ),
        (False, (), None),
    ],
)
def test_a_run_goes_on_where_its_launcher_takes_settings(
    takes: bool, args: tuple[str, ...], goes_on: tuple[str, ...] | None
) -> None:
    """A folder that its person chose stays; nothing is said to a launcher that refuses it."""
    run = NemoRlRun(job_script="dpo", args=args, habits=Habits(takes_args=takes))
    resumed = resume(run, "/w/75/checkpoints")
    assert (resumed.args if resumed else None) == goes_on
