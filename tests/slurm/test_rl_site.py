"""What lies on the embedded cluster for NeMo-RL: launch.sh, ray.sub, and what they run."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.cluster_fixture import Person

_HERE = "vertex-oss-training/nemo_rl"
_RUN = "launch.sh --cluster_type hcc-a3m --job_script algorithms"
_HF, _WANDB = f"hf_{'a' * 34}", "b" * 40


async def launch(person: Person, arguments: str, *, folder: str = _HERE) -> str:
    """Type what the documentation says; the job's id. No service is asked about tokens."""
    away = "unset HF_ENDPOINT WANDB_BASE_URL"
    said = (await person.ssh(f"cd {folder} && {away} && sbatch {arguments}")).stdout
    found = re.fullmatch(r"Submitted batch job (\d+)\n", said)
    assert found, said
    return found[1]


async def read(person: Person, path: str, *, folder: str = _HERE) -> str:
    """The text of a file below the folder."""
    return (await person.ssh(f"cat {folder}/{path}")).stdout


async def appears(person: Person, path: str, *, within: float = 30.0) -> None:
    """Wait for a file below the folder."""
    async with asyncio.timeout(within):
        while (await person.ssh(f"test -e {_HERE}/{path}", check=False)).returncode:
            await asyncio.sleep(0.3)


@asynccontextmanager
async def until_cancelled(person: Person, job: str) -> AsyncIterator[None]:
    """Leave the nodes free, however the body ends."""
    try:
        yield
    finally:
        await person.ssh(f"scancel {job}")
        await person.ended(job)


@pytest.fixture
async def copy(alice: Person) -> AsyncIterator[str]:
    """A folder like the real one, to be spoiled."""
    folder = "spoiled"
    await alice.ssh(f"cp -r {_HERE} {folder}")
    yield folder
    await alice.ssh(f"rm -rf {folder}")


async def test_two_nodes_train_and_the_loss_falls(alice: Person) -> None:
    """In NeMo-RL's line shapes; all that belongs to the job lies in a folder named by its id."""
    job = await launch(alice, f"-N 2 --partition=a3m {_RUN}/dpo.sh")
    assert await alice.ended(job) == "COMPLETED"
    log = await read(alice, f"{job}/nemo_rl_output.log")
    for line in (
        r"\[NRL_PHASE\]\[\S+\]\[\+0s\] launch\.sh started \(job=\d+ nodes=2\)",
        r"\[INFO\]\[.+\] Number of actors online: 16/16",
        r"\[INFO\]\[.+\] All workers connected!",
        r" +SETUP COMPLETE",
        r"Saving checkpoint for step 40\.\.\.",
        r"  • Total step time: \d+\.\d\ds",
        r"  • policy_training: \d+\.\d\ds \(\d+\.\d%\)",
        r"\[NRL_PHASE\]\[\S+\]\[\+\d+s\] launch\.sh exiting \(exit_code=0\)",
    ):
        assert re.search(rf"^{line}$", log, re.MULTILINE), line
    banner = "=" * 25
    epochs = re.findall(rf"^{banner} Epoch (\d)/4 {banner}$", log, re.MULTILINE)
    assert epochs == ["1", "2", "3", "4"]
    steps = re.findall(rf"^{banner} Step (\d+)/10 {banner}$", log, re.MULTILINE)
    assert steps == [str(step) for step in range(1, 11)] * 4
    losses = [float(loss) for loss in re.findall(r"^  • loss: (\S+)$", log, re.MULTILINE)]
    assert losses[0] == 0.6931  # the reference itself: log 2
    assert sum(losses[-10:]) < 0.9 * sum(losses[:10])
    found = (await alice.ssh(f"cd {_HERE}/{job} && ls . ray-logs checkpoints/*")).stdout.split()
    assert {"checkpoints", "nemo_rl_output.log", "ray-head.log", "ray-worker-1.log"} <= {*found}
    assert "attach.sh" not in found
    assert [name for name in found if "step_" in name] == [
        f"checkpoints/step_{step}:" for step in (20, 30, 40)
    ]
    assert {"training_info.json", "config.yaml", "train_dataloader.pt", "policy"} <= {*found}
    assert "error" not in log.lower()
    assert await read(alice, f"slurm-{job}.out") == ""
    shown = await alice.ssh("cd vertex-oss-training && git status --short")
    assert shown.stdout == ""


async def test_an_interactive_job_can_be_entered_until_it_is_told_to_end(alice: Person) -> None:
    """attach.sh comes some time after the cluster; a command gives its output and its status."""
    job = await launch(alice, "-N 2 --partition=a3m launch.sh --cluster_type hcc-a3m --interactive")
    async with until_cancelled(alice, job):
        await appears(alice, f"{job}/ray-logs/STARTED_RAY_HEAD")
        assert (await alice.ssh(f"ls {_HERE}/{job}/attach.sh", check=False)).returncode
        await appears(alice, f"{job}/attach.sh")
        log = await read(alice, f"{job}/nemo_rl_output.log")
        assert "Ray Cluster is idled, run this on the slurm head node to get a shell" in log

        async def attach(command: str, worker: str = "") -> tuple[int, str, str]:
            done = await alice.ssh(
                f"cd {_HERE} && COMMAND='{command}' bash {job}/attach.sh {worker}", check=False
            )
            return done.returncode, done.stdout, done.stderr

        assert (await attach("echo $SLURMD_NODENAME; exit 7"))[:2] == (7, "alice-a3m-0\n")
        assert (await attach("echo $SLURMD_NODENAME", "1"))[:2] == (0, "alice-a3m-1\n")
        nowhere = await attach("true", "2")
        assert nowhere[:2] == (1, "Error: WORKER_NUM must be between 1 and 1\n")
        shell = await alice.ssh(f"cd {_HERE} && echo 'hostname; pwd' | bash {job}/attach.sh 1")
        assert shell.stdout.endswith(f"/{_HERE}\n")

        train = f"python3 examples/run_dpo.py checkpointing.checkpoint_dir={job}/mine"
        train += " cluster.num_nodes=2 dpo.val_period=0 dpo.max_num_steps"
        status, first, _ = await attach(f"{train}=2")
        assert status == 0
        assert first.endswith("Max number of steps has been reached, stopping training early\n")
        status, second, _ = await attach(f"{train}=3")
        assert status == 0
        assert f"Resuming from checkpoint {job}/mine/step_2\n" in second
        assert re.findall(r"Step (\d+)/3 =", second) == ["3"]

        await alice.ssh(f"touch {_HERE}/{job}/ray-logs/ENDED")
        assert await alice.ended(job) == "COMPLETED"


async def test_a_worker_that_dies_ends_the_job(alice: Person) -> None:
    """With the line that NeMo-RL's launcher says it with, after what the driver made of it."""
    job = await launch(alice, f"-N 2 --partition=a3m {_RUN}/dpo.sh")
    async with until_cancelled(alice, job):
        await appears(alice, f"{job}/checkpoints/step_10")
        steps = (await alice.ssh(f"squeue -s -h -j {job} -o '%i %N'")).stdout.splitlines()
        worker = next(step for step in steps if step.endswith(" alice-a3m-1")).split()[0]
        await alice.ssh(f"scancel {worker}")
        assert await alice.ended(job) == "FAILED"
    log = await read(alice, f"{job}/nemo_rl_output.log")
    assert "Node: alice-a3m-1\n" in log.partition("ray.exceptions.ActorDiedError: ")[2]
    assert re.search(
        r"^\[ERROR\] Background srun 'ray-worker-1' died \(pid=\d+\)\. ", log, re.MULTILINE
    )
    assert "launch.sh exiting (exit_code=1)\n" in log


async def test_an_image_that_is_missing_or_cut_short_is_refused_as_enroot_does(
    alice: Person, copy: str
) -> None:
    """Before anything runs on the nodes."""
    image = f"{copy}/nemo_rl-h20260302.sqsh"
    for spoil, words in (
        (f"truncate -s 100 {image}", "FATAL ERROR: Failed to read file system tables"),
        (f"rm {image}", "[ERROR] No such file or directory: /"),
    ):
        await alice.ssh(spoil)
        job = await launch(alice, f"-p a3u {_RUN}/dpo.sh", folder=copy)
        assert await alice.ended(job) == "FAILED"
        log = await read(alice, f"{job}/nemo_rl_output.log", folder=copy)
        assert f"slurmstepd: error: pyxis:     {words}" in log


_REFUSED = (
    ("--cluster_type hcc-a5 --interactive", 2, "unknown cluster type: hcc-a5"),
    ("--cluster-type hcc-a3m --interactive", 2, "unrecognized option: --cluster-type"),
    ("--interactive", 2, "--cluster_type is required"),
    ("--cluster_type hcc-a3m", 2, "either --job_script or --interactive is required"),
    ("--cluster_type hcc-a3m --job_script x.sh", 1, "no such job script: x.sh"),
)


async def test_wrong_words_are_refused_before_the_folder_is_made(alice: Person) -> None:
    """In Slurm's own output, as there is no other place yet."""
    jobs = [await launch(alice, f"-p a3u launch.sh {words}") for words, _, _ in _REFUSED]
    for job, (_, status, words) in zip(jobs, _REFUSED, strict=True):
        assert await alice.ended(job) == "FAILED"
        assert f" ExitCode={status}:0 " in (await alice.ssh(f"scontrol show job -o {job}")).stdout
        assert (await read(alice, f"slurm-{job}.out")).startswith(f"launch.sh: {words}\n")
        assert (await alice.ssh(f"test -e {_HERE}/{job}", check=False)).returncode


async def test_what_wants_tokens_fails_without_them_and_never_shows_them(
    alice: Person, copy: str
) -> None:
    """A gated model, then Weights & Biases without a terminal; with both it trains."""
    await alice.ssh(f"sed -i 's/logger.log_dir/sft.max_num_steps=10 &/' {copy}/algorithms/sft.sh")
    log = ""
    for line, state, words in (
        ("", "FAILED", "huggingface_hub.errors.GatedRepoError: 401 Client Error.\n"),
        (f"export HF_TOKEN={_HF}", "FAILED", "api_key not configured (no-tty). call wandb.login"),
        (f"export WANDB_API_KEY={_WANDB}", "COMPLETED", "wandb: Run data is saved locally in /"),
    ):
        await alice.ssh(f"echo '{line}' >> {copy}/configs/auth.sh")
        job = await launch(alice, f"-p a3u {_RUN}/sft.sh", folder=copy)
        assert await alice.ended(job) == state
        log = await read(alice, f"{job}/nemo_rl_output.log", folder=copy)
        assert words in log
    losses = [float(loss) for loss in re.findall(r"^  • Loss: (\S+)$", log, re.MULTILINE)]
    assert losses[-1] < 0.8 * losses[0]
    shown = await alice.ssh(f"grep -rlE '{_HF}|{_WANDB}' {copy} --exclude=auth.sh", check=False)
    assert shown.stdout == ""


async def test_the_services_say_whether_a_token_is_good(alice: Person) -> None:
    """Where there are services to ask; each refuses in its own words."""
    token = alice.address.beyond.hf_token.read_text().strip()
    key = alice.address.beyond.wandb_key.read_text().strip()

    async def python(statement: str, environment: str) -> str:
        done = await alice.ssh(f"cd {_HERE} && {environment} python3 -c '{statement}'", check=False)
        return done.stderr if done.returncode else "well"

    fetch = 'from nemo_rl.utils.hub import fetch; fetch("{}/Small")'
    assert await python(fetch.format("meta-llama"), f"HF_TOKEN={token}") == "well"
    gated = await python(fetch.format("meta-llama"), f"HF_TOKEN={_HF}")
    assert "huggingface_hub.errors.GatedRepoError: 401 Client Error.\n" in gated
    assert await python(fetch.format("Qwen"), "HF_TOKEN=") == "well"
    settings = '{"wandb_enabled": True, "wandb": {"project": "x"}}'
    logger = f'from nemo_rl.utils.logger import Logger; Logger({{"logger": {settings}}})'
    assert await python(logger, f"WANDB_API_KEY={key}") == "well"
    refused = await python(logger, f"WANDB_API_KEY={_WANDB}")
    assert "wandb.errors.errors.AuthenticationError: API key verification failed." in refused
    short = await python(logger, "WANDB_API_KEY=abc")
    assert "ValueError: API key must be 40 characters long, yours was 3" in short


async def test_workers_that_do_not_come_are_waited_for_so_long(alice: Person) -> None:
    """The launchers' own function, with the head alone online."""
    done = await alice.ssh(
        f"cd {_HERE}/scripts && echo 8 > ~/ray_worker_units && NRL_CONNECT_MINUTES=0 LOG_DIR=~"
        " SLURM_JOB_NUM_NODES=2 bash -c '. ./ray_cluster.sh; connect_workers'",
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout.endswith("Number of actors online: 8/16\n")
    assert done.stderr == (
        "[ERROR] Timed out waiting for all workers to connect (8/16 after 0 min)\n"
    )


async def test_upstreams_script_has_upstreams_layout_and_waits_for_its_name(alice: Person) -> None:
    """A second job of the same name is held back by the first."""
    run = "CONTAINER=$PWD/nemo_rl-h20260302.sqsh MOUNTS=$PWD:$PWD sbatch -p a3u -J up ray.sub"
    command = "python3 examples/run_grpo.py cluster.num_nodes=2 grpo.max_num_steps=20"
    said = await alice.ssh(f"cd {_HERE} && COMMAND='{command}' {run} && COMMAND= {run}")
    first, second = re.findall(r"\d+", said.stdout)
    async with until_cancelled(alice, second):
        shown = (await alice.ssh(f"squeue -h -j {second} -o '%r %E'")).stdout
        assert shown == "Dependency singleton(unfulfilled)\n"
        assert await alice.ended(first) == "COMPLETED"
        driver = await read(alice, f"{first}-logs/ray-driver.log")
        rewards = [float(reward) for reward in re.findall(r"Avg Reward: (\S+)", driver)]
        assert rewards[-1] > 2 * rewards[0]
        out = await read(alice, f"slurm-{first}.out")
        assert f"+ COMMAND='{command}'\n" in out
        assert "head: cluster ready, launching driver\n" in out
        found = (await alice.ssh(f"ls -a {_HERE}/{first}-logs")).stdout.split()
        assert {"ray-head.log", "ray-worker-1.log", "driver_command.sh", "ENDED"} <= {*found}
        await appears(alice, f"{second}-attach.sh")
        done = await alice.ssh(f"cd {_HERE} && COMMAND='echo here' bash {second}-attach.sh 1")
        assert done.stdout == "here\n"


async def test_upstreams_script_wants_all_gpus_of_a_node(alice: Person) -> None:
    """Said before anything is started."""
    job = await launch(
        alice,
        "-p a3u -N 1 --export=ALL,GPUS_PER_NODE=4,CONTAINER=x,MOUNTS= -J part ray.sub",
    )
    assert await alice.ended(job) == "FAILED"
    assert "Error: GPUS_PER_NODE=4 but GRES detected is gpu:8 meaning" in await read(
        alice, f"slurm-{job}.out"
    )


async def test_one_node_is_entered_by_its_number(alice: Person) -> None:
    """With the function of bash_utils.sh, which wants the cluster's type first."""

    async def enter(index: str, *, before: str = "export CLUSTER_TYPE=hcc-a3u;") -> tuple[str, str]:
        done = await alice.ssh(
            f"cd {_HERE}; {before} source bash_utils.sh;"
            f" echo 'echo $SLURMD_NODENAME' | nemorlinteractive {index}",
            check=False,
        )
        return done.stdout, done.stderr

    assert (await enter("1"))[0] == "alice-a3u-1\n"
    assert "set CLUSTER_TYPE first" in (await enter("1", before=""))[1]
    assert (await enter("5"))[1] == (
        "nemorlinteractive: partition a3u has no node 5; it has:\nalice-a3u-[0-1]\n"
    )
    assert (await enter(""))[1] == "Usage: nemorlinteractive NODE_INDEX\n"
