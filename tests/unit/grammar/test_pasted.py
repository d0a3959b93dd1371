"""Commands pasted from the documentation."""

from __future__ import annotations

import pytest

from bot.errors import InputRefused
from bot.grammar import Parsed, parse
from bot.grammar.commands import Partitions
from bot.grammar.jobs import Cancel, Jobs
from bot.workloads.batch_script import Submit
from bot.workloads.nemo import NemoRun
from bot.workloads.nemo_rl.run import NemoRlRun

DOCUMENTED = NemoRun(
    recipe="pretrain/llama3p1_2b_pt.py",
    nodes=2,
    partition="a3m",
    slurm_type="hcc-a3m",
    workdir="$WORK_DIR",
    image="$WORK_DIR/nemo-demo.sqsh",
    experiment_name="nemo-demo-run",
)

ONE_LINE = (
    "python3 run.py -e slurm --slurm-type hcc-a3m --partition a3m -d $WORK_DIR"
    " -i $WORK_DIR/nemo-demo.sqsh -s pretrain/llama3p1_2b_pt.py -n 2"
    " --experiment-name nemo-demo-run"
)
AS_PRINTED = r"""export NEMORUN_HOME=$WORK_DIR && \
python3 run.py -e slurm --slurm-type hcc-a3m --partition a3m \
  -d $WORK_DIR -i $WORK_DIR/nemo-demo.sqsh \
  -s pretrain/llama3p1_2b_pt.py -n 2 \
  --experiment-name nemo-demo-run"""


def parsed(text: str, command: str = "/nemo") -> Parsed:
    found = parse(command, text)
    assert isinstance(found, Parsed)
    return found


@pytest.mark.parametrize(
    "text",
    [
        ONE_LINE,
        AS_PRINTED,
        AS_PRINTED.replace("&&", "&amp;&amp;"),
        AS_PRINTED.replace("\n", " "),
        AS_PRINTED.replace("--", "—").replace(" -n ", " –n "),
        AS_PRINTED.replace("run.py", "<http://run.py|run.py>"),
        f"$ {ONE_LINE}",
        f"cd $WORK_DIR\n\n# Launch the training job\n{AS_PRINTED}",
        f"NEMORUN_HOME=$WORK_DIR {ONE_LINE}",
        ONE_LINE.replace("$WORK_DIR", "${WORK_DIR}"),
        ONE_LINE.replace("python3", "python3.11"),
    ],
)
def test_the_documented_launch_is_understood(text: str) -> None:
    found = parsed(text)
    assert found.subcommand == "nemo run"
    assert found.options == DOCUMENTED
    assert found.notes == ()


def test_the_documented_work_directory_is_put_in() -> None:
    found = parsed(
        f"# Set the working directory\nexport WORK_DIR=$HOME/vertex-oss-training/nemo\n{AS_PRINTED}"
    )
    assert found.options == DOCUMENTED.model_copy(
        update={
            "workdir": "$HOME/vertex-oss-training/nemo",
            "image": "$HOME/vertex-oss-training/nemo/nemo-demo.sqsh",
        }
    )


def test_nemorun_home_stands_for_a_missing_work_directory() -> None:
    assert parsed("NEMORUN_HOME=/a/b python3 run.py -s x.py").options == NemoRun(
        recipe="x.py", workdir="/a/b"
    )


def test_a_folder_that_cannot_be_honoured_is_noted() -> None:
    assert "left out" in parsed("cd /other && python3 run.py -s x.py").notes[0]
    assert "NEMORUN_HOME" in parsed("NEMORUN_HOME=/a python3 run.py -s x.py -d /b").notes[0]


@pytest.mark.parametrize(
    "text",
    [
        "export HF_TOKEN=hf_abcdefghijklmnop && python3 run.py -s x.py",
        "export HF_TOKEN=hf_abcdefghijklmnop\nexport WANDB_API_KEY=abcdefghijklmnop\nrun x.py",
    ],
)
def test_a_pasted_secret_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(InputRefused) as refusal:
        parse("/nemo", text)
    assert "HF_TOKEN" in refusal.value.errors[0].message
    assert "revoke" in refusal.value.errors[0].hint
    assert "abcdefghijklmnop" not in repr(refusal.value.errors)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("sinfo", Partitions()),
        ("squeue", Jobs(which="all")),
        ("squeue --me", Jobs(which="mine")),
        ("squeue -u $USER", Jobs(which="mine")),
        ("scancel 75", Cancel(job="75")),
        ("sbatch train.sh", Submit(script="train.sh")),
        (
            "sbatch -N 2 -p a3m launch.sh --cluster_type hcc-a3m --job_script algorithms/dpo.sh",
            Submit(
                script="launch.sh",
                nodes=2,
                partition="a3m",
                args=("--cluster_type", "hcc-a3m", "--job_script", "algorithms/dpo.sh"),
            ),
        ),
        ("cd ~/jobs && sbatch train.sh 3", Submit(script="train.sh", args=("3",), chdir="~/jobs")),
    ],
)
def test_slurms_own_commands_are_understood(text: str, options: object) -> None:
    assert parsed(text, "/slurm").options == options


def test_options_behind_a_script_are_said_to_be_the_scripts() -> None:
    assert "goes to the script" in parsed("sbatch train.sh -N 2", "/slurm").notes[0]


@pytest.mark.parametrize(
    "text",
    [
        "squeue -p a3m",
        "scancel -u ana",
        "cd /x && rm -rf /",
        "export NEMORUN_HOME=$(id) && python3 run.py -s x.py",
        "gcloud storage cp gs://a b\npython3 run.py -s x.py",
        "export WORK_DIR=" + "$WORK_DIR" * 90 + "; export WORK_DIR=" + "$WORK_DIR" * 90 + "; sinfo",
        "python3 evil.py",
        "X=\\",
    ],
)
def test_what_goes_beyond_the_documentation_is_refused(text: str) -> None:
    with pytest.raises(InputRefused):
        parse("/nemo", text)


RL = NemoRlRun(job_script="algorithms/dpo.sh", nodes=2, cluster_type="hcc-a3m")
RL_LINE = "sbatch -N 2 launch.sh --cluster_type hcc-a3m --job_script algorithms/dpo.sh"


@pytest.mark.parametrize("command", ["/nemo-rl", "/nemo", ""])
@pytest.mark.parametrize(
    "text",
    [
        RL_LINE,
        RL_LINE.replace("_type", "-type").replace("_script", "-script"),
        RL_LINE.replace("--", "—").replace("launch.sh", "<http://launch.sh|launch.sh>"),
        f"cd $HOME/vertex-oss-training/nemo_rl/\n{RL_LINE}",
        f"cd ~/vertex-oss-training/nemo_rl; {RL_LINE}",
        RL_LINE.replace("launch.sh", "./launch.sh"),
        RL_LINE.replace("launch.sh", "$HOME/vertex-oss-training/nemo_rl/launch.sh"),
        RL_LINE.replace("hcc-a3m", "A3-Mega").replace("-N 2", "--nodes=2"),
        'export CLUSTER_TYPE="hcc-a3m" && sbatch -N2 launch.sh --job_script algorithms/dpo.sh',
    ],
)
def test_the_documented_nemo_rl_launch_is_understood(text: str, command: str) -> None:
    found = parsed(text, command)
    assert (found.subcommand, found.options, found.notes) == ("nemo-rl run", RL, ())


def test_scheduler_options_may_stand_on_either_side_of_the_launcher() -> None:
    expected = RL.model_copy(update={"partition": "a3m", "account": "research"})
    for text in (
        RL_LINE.replace("launch.sh", "-p a3m -A research launch.sh"),
        f"{RL_LINE} --partition a3m --account=research",
    ):
        assert parsed(text, "/nemo-rl").options == expected


def test_the_launcher_is_a_plain_script_after_slurm() -> None:
    found = parsed(RL_LINE, "/slurm")
    assert (found.subcommand, found.options) == (
        "slurm submit",
        Submit(
            script="launch.sh",
            nodes=2,
            args=("--cluster_type", "hcc-a3m", "--job_script", "algorithms/dpo.sh"),
        ),
    )


def test_another_folder_is_noted_since_the_launcher_runs_in_its_own() -> None:
    [note] = parsed(f"cd /scratch/mine; {RL_LINE}", "/nemo-rl").notes
    assert "/scratch/mine" in note


def test_sbatchs_number_of_tasks_is_not_taken_for_nodes() -> None:
    with pytest.raises(InputRefused) as refused:
        parse("/nemo-rl", RL_LINE.replace("-N 2", "-n 2"))
    assert refused.value.errors[0].hint == "Use `-N NODES`"
    assert parsed("run dpo -n 2", "/nemo-rl").options == RL.model_copy(
        update={"cluster_type": None}
    )


IMAGE = "gs://vmds-containers-us/vmds_nemo_squashfs/nemo-20250721.sqsh"
RECIPES = "https://vertex-model-garden.googlesource.com/vertex-oss-training"
MOUNTED = "/gcs/vmds-containers-us/vmds_nemo_rl_squashfs/nemo_rl-h20260302.sqsh"


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        (f"gcloud storage cp {IMAGE} .", "nemo image pull", {"image": IMAGE}),
        (
            f"gcloud storage cp {IMAGE} nemo-demo.sqsh",
            "nemo image pull",
            {"image": IMAGE, "to": "nemo-demo.sqsh"},
        ),
        (f"cp {MOUNTED} ~/rl/", "nemo image pull", {"image": MOUNTED, "to": "~/rl/"}),
        (
            f"gcloud storage cp\n{IMAGE} nemo-demo.sqsh",
            "nemo image pull",
            {"image": IMAGE, "to": "nemo-demo.sqsh"},
        ),
        (f"{MOUNTED} \\\n  ~/rl/", "nemo image pull", {"image": MOUNTED, "to": "~/rl/"}),
        (f"{IMAGE} DESTINATION", "nemo image pull", {"image": IMAGE}),
        (MOUNTED, "nemo image pull", {"image": MOUNTED}),
        (
            "enroot import -o ~/my_nemo.sqsh docker://us-docker.pkg.dev/p/r/i:1",
            "nemo image build",
            {"reference": "us-docker.pkg.dev/p/r/i:1", "name": "my_nemo.sqsh"},
        ),
        ("git submodule update --init --recursive", "nemo-rl setup", {}),
        ("pip install git+https://github.com/NVIDIA/NeMo-Run.git", "nemo setup", {}),
        (
            f"git clone -b release-allowlist-ga {RECIPES}",
            "nemo setup",
            {},
        ),
        (
            "git clone https://github.com/NVIDIA-NeMo/RL.git --recursive",
            "nemo-rl setup",
            {},
        ),
    ],
)
def test_the_lines_that_set_up_are_understood(text: str, name: str, values: dict[str, str]) -> None:
    """As the documentation prints them."""
    read = parse("/nemo", text)
    assert isinstance(read, Parsed)
    assert read.subcommand == name
    assert read.options.model_dump(exclude_unset=True) == values


@pytest.mark.parametrize(
    "text",
    [
        "git status",
        "git clone https://h/other",
        "cp",
        "cp a b",
        "gcloud auth login",
        "pip install x",
        "git submodule status",
        "enroot import docker://a docker://b",
        "enroot start x",
    ],
)
def test_other_lines_of_these_programs_are_no_commands(text: str) -> None:
    """There is no shell here."""
    with pytest.raises(InputRefused):
        parse("/nemo", text)


@pytest.mark.parametrize(
    "before",
    [
        "",
        "source bash_utils.sh\n# Assuming you want to take the compute node number 5.\n",
        "cd ~/vertex-oss-training/nemo_rl && source bash_utils.sh && ",
    ],
)
def test_the_documented_shell_on_one_node_is_understood(before: str) -> None:
    told = 'export CLUSTER_TYPE="hcc-a3u" # --> if you have A3-Ultra cluster\n'
    for typed, named in ((before, {}), (f"{told}{before}", {"cluster_type": "hcc-a3u"})):
        found = parsed(f"{typed}nemorlinteractive 5", "/nemo-rl")
        assert found.subcommand == "nemo-rl shell"
        assert found.options.model_dump(exclude_unset=True) == {"node": 5, **named}


@pytest.mark.parametrize(
    ("command", "verb", "line"),
    [
        ("/nemo", "run", ONE_LINE),
        ("/nemo", "run", AS_PRINTED),
        ("/nemo-rl", "run", RL_LINE),
        ("/nemo-rl", "interactive", "sbatch -N 2 launch.sh --cluster_type hcc-a3m --interactive"),
        ("/slurm", "submit", "sbatch -N 2 train.sh"),
        ("/nemo", "setup", f"git clone -b release-allowlist-ga {RECIPES}"),
        ("/nemo", "image pull", f"gcloud storage cp {IMAGE} ."),
    ],
)
def test_a_verb_may_stand_before_a_pasted_line(command: str, verb: str, line: str) -> None:
    """The help says `/nemo run`, the documentation `python3 run.py`."""
    alone, after = parsed(line, command), parsed(f"{verb} {line}", command)
    assert (after.subcommand, after.options) == (alone.subcommand, alone.options)


def test_a_script_named_like_a_program_is_still_a_script() -> None:
    found = parsed("submit python3 train.py", "/slurm")
    assert found.options == Submit(script="python3", args=("train.py",))


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("gcloud auth login", "/slurm doctor"),
        ("gcloud auth configure-docker us-docker.pkg.dev", "/slurm doctor"),
        ("ssh $USER_NAME@machine-addr", "/slurm clusters"),
        ("source bash_utils.sh", "/nemo-rl shell N"),
        ("bash 75/attach.sh", "/nemo-rl exec 75 -- CMD"),
        ("bash attach.sh", "/nemo-rl exec JOB -- CMD"),
        ("attach 4", "/nemo-rl exec 4 -- CMD"),
        ("release 4", "/slurm cancel 4"),
        ("extend", "while Slurm's own time limit"),
        ("git pull", "/nemo setup"),
        ("tail -f experiments/x/75.log", "/slurm logs JOB"),
        (f"gcloud storage cp {IMAGE.replace('us', '<region>', 1)} .", "/nemo image pull nemo"),
        (RL_LINE.replace("-N 2", "-N <num_nodes>"), "-N 2"),
        ("bash <job_id>/attach.sh", "/slurm jobs"),
        ("logs <whatever you want>", "without the brackets"),
    ],
)
def test_what_cannot_be_run_here_says_what_can(text: str, instead: str) -> None:
    with pytest.raises(InputRefused) as refused:
        parse("/nemo", text)
    [wrong] = refused.value.errors
    assert instead in wrong.hint


def test_brackets_in_quotes_are_no_placeholder() -> None:
    found = parsed("logs 75 --grep '<unk>'", "/slurm")
    assert found.options.model_dump()["grep"] == "<unk>"
