"""How a recipe is launched."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.errors import InputRefused
from bot.model import Resources
from bot.rerun import changed, difference
from bot.workload import Need, Site
from bot.workloads import WORKLOADS
from bot.workloads.nemo import NEMO, NemoRun, complete, launch, needs, notes, resources

SITE = Site(
    home="/home/ana",
    account="research",
    partition="a3m",
    nemo_dir="~/vertex-oss-training/nemo",
    python="~/venv/bin/python3",
    image="nemo-20250721.sqsh",
    images="/images",
    cache_dir="$HOME/cache",
    slurm_types={"big": "hcc-a4"},
)
NEMO_DIR = "/home/ana/vertex-oss-training/nemo"


def test_the_documented_command_comes_out_as_documented() -> None:
    run = NemoRun(
        recipe="pretrain/llama3p1_2b_pt.py",
        nodes=2,
        partition="a3m",
        slurm_type="hcc-a3m",
        workdir="$WORK_DIR",
        image="$WORK_DIR/nemo-demo.sqsh",
        experiment_name="nemo-demo-run",
    )
    made = launch(run, Site(home="/home/ana", nemo_dir="$HOME/vertex-oss-training/nemo"))
    assert made.argv == (
        "python3",
        "run.py",
        "-e",
        "slurm",
        "--slurm-type",
        "hcc-a3m",
        "--partition",
        "a3m",
        "-d",
        NEMO_DIR,
        "-i",
        f"{NEMO_DIR}/nemo-demo.sqsh",
        "-s",
        "pretrain/llama3p1_2b_pt.py",
        "-n",
        "2",
        "--experiment-name",
        "nemo-demo-run",
    )
    assert made.cwd == NEMO_DIR
    assert dict(made.env) == {
        "NEMORUN_HOME": NEMO_DIR,
        "COLUMNS": "512",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    assert made.sbatch_options == ()


def test_the_sites_defaults_fill_what_was_left_out() -> None:
    assert complete(NemoRun(recipe="pretrain/x_pt.py"), SITE) == NemoRun(
        recipe="pretrain/x_pt.py",
        partition="a3m",
        slurm_type="hcc-a3m",
        workdir=NEMO_DIR,
        image="/images/nemo-20250721.sqsh",
        experiment_name="x_pt",
        cache_dir="/home/ana/cache",
        account="research",
    )


@pytest.mark.parametrize(
    ("recipe", "name"), [("sft/-rf.py", "rf"), ("sft/--.py", "experiment"), ("a@b.py", "a-b")]
)
def test_an_experiment_is_named_after_any_recipe(recipe: str, name: str) -> None:
    """The name is one that could be typed."""
    run = complete(NemoRun(recipe=recipe), SITE)
    assert run.experiment_name == name
    assert NemoRun.model_validate(run.model_dump()) == run


def test_completing_twice_changes_nothing() -> None:
    once = complete(NemoRun(recipe="x.py", log_dir="logs", data_dir="/gcs/d"), SITE)
    assert complete(once, SITE) == once
    assert once.log_dir == f"{NEMO_DIR}/logs"


def test_options_that_run_py_lacks_go_to_sbatch() -> None:
    run = NemoRun(
        recipe="x.py", time="04:00:00", qos="high", after=("75", "76"), exclude="alice-a3m-0"
    )
    made = launch(run, SITE)
    assert made.sbatch_options == (
        "--time=04:00:00",
        "--qos=high",
        "--exclude=alice-a3m-0",
        "--dependency=afterok:75:76",
    )
    assert not any("time" in word or "qos" in word for word in made.argv)
    assert made.argv[0] == "/home/ana/venv/bin/python3"
    assert made.argv[-2:] == ("--account", "research")


def test_folders_that_are_mounted_are_passed_and_made() -> None:
    run = NemoRun(recipe="x.py", log_dir="logs", cache_dir="~/c", data_dir="/gcs/d")
    made = launch(run, SITE)
    words = " ".join(made.argv)
    assert f"--log-dir {NEMO_DIR}/logs --cache-dir /home/ana/c --data-dir /gcs/d" in words
    assert made.folders == (f"{NEMO_DIR}/logs", "/home/ana/c")


def test_what_run_py_has_goes_to_it_and_the_rest_to_sbatch() -> None:
    run = NemoRun(recipe="x.py", nodes=2, time="04:00:00", qos="high", account="a", log_dir="/l")
    flags = ("-e", "--script", "--num-nodes", "-d", "--time", "--log_dir")
    made = launch(run, SITE.model_copy(update={"flags": flags}))
    assert made.argv[2:] == (
        *("-e", "slurm", "-d", NEMO_DIR, "--script", "x.py", "--num-nodes", "2"),
        *("--log_dir", "/l", "--time", "04:00:00"),
    )
    assert made.sbatch_options == ("--partition=a3m", "--account=a", "--qos=high")


@pytest.mark.parametrize(
    ("word", "placed"),
    [
        ("--ckpt=~/c", "--ckpt=/home/ana/c"),
        ("--ckpt=$WORK_DIR/c", f"--ckpt={NEMO_DIR}/c"),
        ("--ckpt=/gcs/c", "--ckpt=/gcs/c"),
        ("--name=~x", "--name=~x"),
        ("--mock", "--mock"),
    ],
)
def test_paths_in_options_of_run_py_are_put_in_place(word: str, placed: str) -> None:
    run = complete(NemoRun(recipe="x.py", extra=(word,)), SITE)
    assert run.extra == (placed,)
    lies = [need.path for need in needs(run, SITE) if need.kind == "any"]
    assert lies == ([placed.partition("=")[2]] if "=/" in placed else [])


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (NemoRun(recipe="x.py", partition="big"), "hcc-a4"),
        (NemoRun(recipe="x.py", partition="a3u"), "hcc-a3u"),
        (NemoRun(recipe="x.py", partition="cpu"), None),
        (NemoRun(recipe="x.py", partition="big", slurm_type="hcc-a3h"), "hcc-a3h"),
    ],
)
def test_the_cluster_type_follows_the_partition(run: NemoRun, expected: str | None) -> None:
    assert complete(run, SITE).slurm_type == expected


@pytest.mark.parametrize(
    ("image", "path"),
    [
        ("a.sqsh", "/images/a.sqsh"),
        ("sub/a.sqsh", f"{NEMO_DIR}/sub/a.sqsh"),
        ("/gcs/b/a.sqsh", "/gcs/b/a.sqsh"),
        ("~/a.sqsh", "/home/ana/a.sqsh"),
        ("$WORK_DIR/a.sqsh", f"{NEMO_DIR}/a.sqsh"),
    ],
)
def test_images_are_always_absolute(image: str, path: str) -> None:
    assert complete(NemoRun(recipe="x.py", image=image), SITE).image == path


def test_resources_are_whole_nodes_of_eight_gpus() -> None:
    run = NemoRun(recipe="x.py", nodes=4, partition="a3m", time="02:00:00")
    asked = resources(complete(run, SITE))
    assert asked == Resources(partition="a3m", nodes=4, gpus_per_node=8, time=timedelta(hours=2))
    assert asked.gpu_hours == 64


def test_needs_name_the_paths_by_their_options() -> None:
    run = NemoRun(recipe="pretrain/x.py", data_dir="/gcs/d")
    assert needs(run, SITE) == (
        Need(field="workdir", path=NEMO_DIR, kind="folder"),
        Need(
            field="recipe",
            path=f"{NEMO_DIR}/pretrain/x.py",
            kind="file",
            among=NEMO_DIR,
            suffix=".py",
        ),
        Need(
            field="image",
            path="/images/nemo-20250721.sqsh",
            kind="file",
            among="/images",
            suffix=".sqsh",
        ),
        Need(field="data_dir", path="/gcs/d", kind="folder"),
        Need(field="cache_dir", path="/home/ana/cache", kind="place"),
    )


def test_a_type_that_the_recipes_do_not_list_is_noted_and_allowed() -> None:
    assert "hcc-a3h" in notes(NemoRun(recipe="x.py", slurm_type="hcc-a3h"))[0]
    assert notes(NemoRun(recipe="x.py", slurm_type="hcc-a4")) == ()


def test_a_rerun_changes_only_what_was_asked() -> None:
    before = NemoRun(recipe="x.py", nodes=4, partition="general")
    after = changed(NEMO, before, {"partition": "a3m", "nodes": 2})
    assert after == NemoRun(recipe="x.py", nodes=2, partition="a3m")
    assert difference(before, after) == "nodes: 4 → 2, partition: general → a3m"
    short = NemoRun(recipe="x.py", nodes=4, partition="general", time="00:05:00")
    assert difference(before, short) == "time limit: the partition's default → 5 min"
    assert difference(before, before) == ""


def test_a_rerun_on_another_partition_takes_that_partitions_type() -> None:
    before = complete(NemoRun(recipe="x.py", partition="a3m"), SITE)
    assert changed(NEMO, before, {"partition": "a3u"}).slurm_type == "hcc-a3u"
    assert changed(NEMO, before, {"partition": "big"}, SITE).slurm_type == "hcc-a4"
    assert changed(NEMO, before, {"partition": "other"}).slurm_type == "hcc-a3m"
    both = {"partition": "a3u", "slurm_type": "hcc-a4"}
    assert changed(NEMO, before, both).slurm_type == "hcc-a4"


def test_a_rerun_changes_options_of_run_py_by_their_names() -> None:
    before = NemoRun(recipe="x.py", extra=("--seed=1", "--tags", "a", "b", "--mock"))
    after = changed(NEMO, before, {"extra": ("--seed=2", "--max_steps=5")})
    assert after.extra == ("--tags", "a", "b", "--mock", "--seed=2", "--max_steps=5")
    said = difference(before, after)
    assert said.startswith("other options: --seed=1 --tags")
    with pytest.raises(InputRefused) as refused:
        changed(
            WORKLOADS["slurm submit"],
            WORKLOADS["slurm submit"].model.model_validate({"script": "a.sh"}),
            {"extra": ("--seed=2",), "cache_dir": "/c"},
        )
    assert [error.field for error in refused.value.errors] == ["cache_dir", "--seed"]


def test_a_dry_run_is_no_change() -> None:
    assert difference(NemoRun(recipe="x.py", dry_run=True), NemoRun(recipe="x.py")) == ""


def test_gpus_are_left_open_while_the_cluster_type_is() -> None:
    assert resources(NemoRun(recipe="x.py", partition="cpu")).gpus_per_node is None


def test_a_rerun_refuses_what_the_workload_does_not_have() -> None:
    submit = WORKLOADS["slurm submit"]
    options = submit.model.model_validate({"script": "a.sh"})
    with pytest.raises(InputRefused) as refusal:
        changed(submit, options, {"cache_dir": "/c", "image": "/i"})
    assert [error.field for error in refusal.value.errors] == ["cache_dir", "image"]


@pytest.mark.parametrize(
    ("path", "base", "found"),
    [
        ("", "/b", ""),
        ("a/./b", "/b", "/b/a/b"),
        ("/a//b/", "/b", "/a/b"),
        ("~", "", "/home/ana"),
        ("~x", "/b", "/b/~x"),
        ("$HOME", "/b", "/home/ana"),
    ],
)
def test_paths_are_resolved_below_their_base(path: str, base: str, found: str) -> None:
    assert SITE.path(path, base) == found


def test_a_path_stays_as_typed_while_home_is_unknown() -> None:
    assert Site().path("~/a", "/b") == "~/a"
    assert Site().path("$WORK_DIR/a") == "$WORK_DIR/a"
    assert Site(nemo_dir="~/n").path("$WORK_DIR/a") == "~/n/a"
