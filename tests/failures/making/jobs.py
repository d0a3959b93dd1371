"""How Slurm, the shell and the operating system end jobs."""

from __future__ import annotations

import asyncio

from bot.demo.cluster import EmbeddedCluster
from tests.failures.making.play import Play

_STEPS = """\
for step in $(seq 1 8); do
  echo "[default0]:Training epoch 0, iteration $step/1000 | lr: 3e-05 | global_step: $step | reduced_train_loss: 9.$step"
  sleep 0.2
done
"""  # noqa: E501


async def _owner_cancels(cluster: EmbeddedCluster, job: str) -> None:
    await asyncio.sleep(4)
    await cluster.run("scancel", job, user=cluster.address.user)


async def _admin_cancels(cluster: EmbeddedCluster, job: str) -> None:
    await asyncio.sleep(4)
    await cluster.run("scancel", job)


async def _node_crashes(cluster: EmbeddedCluster, job: str) -> None:
    await asyncio.sleep(4)
    shown = await cluster.run("squeue", "-hj", job, "-o", "%N")
    node = shown.stdout.strip()
    await cluster.crash_node(node)
    await asyncio.sleep(45)  # Slurm takes SlurmdTimeout to notice
    await cluster.revive_node(node)


JOBS = (
    Play(
        "time-limit", "slurm-time-limit", "It may run for a minute.",
        _STEPS + "srun sleep 600", ("--time=1",), ("DUE TO TIME LIMIT",),
    ),
    Play(
        "time-limit-handled", "slurm-time-limit", "It is warned, saves, and goes on waiting.",
        "trap 'echo saving checkpoint' USR1\n" + _STEPS + "sleep 600 & wait; sleep 600 & wait",
        ("--time=1", "--signal=B:USR1@20"), ("DUE TO TIME LIMIT",),
    ),
    Play(
        "cancelled-by-owner", "slurm-cancelled", "Its owner cancels it.",
        _STEPS + "srun sleep 600", meddle=_owner_cancels, proof=("CANCELLED AT",),
    ),
    Play(
        "cancelled-by-admin", "slurm-cancelled", "The administrator cancels it.",
        _STEPS + "srun sleep 600", meddle=_admin_cancels, proof=("CANCELLED AT",),
    ),
    Play(
        "node-crashed", "slurm-node-fail", "The node dies under it.",
        _STEPS + "srun sleep 600", ("--no-requeue",), ("NODE FAILURE", "Node failure"),
        meddle=_node_crashes, transient=True,
    ),
    Play(
        "memory-limit", "host-oom", "It takes more memory than it asked for.",
        "srun python3 -c \"import time; b = bytearray(900 << 20); time.sleep(60)\"",
        ("--mem=300M",), ("exceeded memory limit", "Exceeded job memory", "oom", "memory limit"),
    ),
    Play(
        "killed-bare", "host-oom-suspected", "Something kills Python with signal 9.",
        _STEPS + "bash -c 'kill -9 $$'\nexit $?", proof=("Killed",),
    ),
    Play(
        "killed-step", "host-oom-suspected", "Something kills a task of srun with signal 9.",
        _STEPS + "srun bash -c 'kill -9 $$'", proof=("Killed", "signal 9"),
    ),
    Play(
        "too-many-tasks", "slurm-step-resources", "srun asks for more than the job has.",
        "srun -n 4000 hostname", proof=("More processors requested",),
    ),
    Play(
        "step-memory", "slurm-step-resources", "A step asks for more memory than the job has.",
        "srun --mem=200G hostname", ("--mem=1G",), ("emory required by task", "not available"),
    ),
    Play(
        "no-module-command", "command-not-found", "The node has no environment modules.",
        "module load cuda/12.8\nnvcc --version\nexit $?", proof=("module: command not found",
        "nvcc: command not found"), also=("module-not-found",),
    ),
    Play(
        "srun-no-program", "command-not-found", "The program is not on the node.",
        "srun --ntasks=2 torchrun-nightly train.py", ("--ntasks=2",), ("execve", "No such file"),
    ),
    Play(
        "shell-no-program", "command-not-found", "A slip in the program's name.",
        "set -e\npyhton3 train.py", proof=("command not found",),
    ),
    Play(
        "no-script", "command-not-found", "The script to start is not there.",
        "bash launch/pretrain.sh", proof=("No such file or directory",),
        also=("config-file-missing", "unclassified-exception", "dataset-missing"),
    ),
    Play(
        "not-executable", "permission-denied", "The script lacks the right to be executed.",
        "printf '#!/bin/bash\\ntrue\\n' > go-$SLURM_JOB_ID.sh\n./go-$SLURM_JOB_ID.sh",
        proof=("Permission denied",), also=("command-not-found",),
    ),
    Play(
        "bash-quote", "bash-syntax", "A quotation mark is not closed.",
        "echo starting\npython3 -c \"print(1)\nsrun hostname\n",
        proof=("unexpected EOF", "syntax error"),
    ),
    Play(
        "bash-paren", "bash-syntax", "An unquoted parenthesis in an override.",
        "python3 train.py model.layers=(1 2)\n", proof=("syntax error",),
    ),
    Play(
        "segfault", "segfault", "Python reads address 0.",
        _STEPS + "srun python3 -X faulthandler -c 'import ctypes; ctypes.string_at(0)'",
        proof=("Segmentation fault", "signal 11"),
    ),
    Play(
        "bus-error", "bus-error", "A mapped file is cut short.",
        "python3 - <<'E'\nimport mmap, os\nname = f'map-{os.getpid()}'\nf = open(name, 'wb+')\n"
        "f.truncate(1 << 20)\nm = mmap.mmap(f.fileno(), 1 << 20)\nf.truncate(0)\n"
        "os.unlink(name)\nm[5000]\nE\nexit $?", proof=("Bus error",),
    ),
    Play(
        "abort", "sigabrt-unknown", "Python aborts without a word.",
        _STEPS + "srun python3 -c 'import os; os.abort()'", proof=("Aborted", "signal 6"),
    ),
    Play(
        "write-to-root", "permission-denied", "It writes where it may not.",
        "mkdir -p /etc/experiments/run1", proof=("Permission denied",),
    ),
    Play(
        "read-not-allowed", "permission-denied", "It reads a file of root's.",
        "python3 -c 'open(\"/etc/shadow\").read()'", proof=("PermissionError",),
    ),
    Play(
        "disk-full", "storage-no-space", "The device is full.",
        "python3 -c 'f = open(\"/dev/full\", \"w\"); f.write(\"x\" * 9999); f.flush()'",
        proof=("No space left",),
    ),
    Play(
        "disk-full-shell", "storage-no-space", "The device is full, for a tool of the shell.",
        "set -e\ndd if=/dev/zero of=/dev/full bs=1M count=1", proof=("No space left",),
    ),
    Play(
        "open-files", "too-many-open-files", "32 files may be open.",
        "ulimit -n 32\npython3 -c 'x = [open(\"/dev/null\") for _ in range(64)]'",
        proof=("Too many open files",),
    ),
    Play(
        "threads", "thread-limit", "No more threads may be started.",
        "ulimit -u 1\npython3 -c \"import threading, time\nfor _ in range(400): "
        "threading.Thread(target=time.sleep, args=(9,)).start()\"",
        proof=("can't start new thread", "Resource temporarily unavailable"),
    ),
    Play(
        "port-taken", "port-in-use", "Two servers want one port.",
        "python3 -m http.server 48123 & sleep 1\npython3 -m http.server 48123",
        proof=("Address already in use",), transient=True,
    ),
    Play(
        "import", "python-import", "A package is not installed.",
        "srun python3 -c 'import megatron.core'", proof=("ModuleNotFoundError",),
    ),
    Play(
        "import-name", "python-import", "The package has no such name.",
        "python3 -c 'from json import loadz'", proof=("ImportError",),
    ),
    Play(
        "syntax", "python-syntax-error", "A slip in the script.",
        "python3 train.py", proof=("SyntaxError",),
        files=(("train.py", "import os\n\ndef main()\n    print(os.getcwd())\n\nmain()\n"),),
    ),
    Play(
        "indent", "python-syntax-error", "A line is indented wrongly.",
        "python3 train.py", proof=("IndentationError",),
        files=(("train.py", "import os\n\ndef main():\nprint(os.getcwd())\n"),),
    ),
    Play(
        "config-file", "config-file-missing", "The configuration is not there.",
        "python3 train.py --config conf/llama_8b.yaml",
        proof=("FileNotFoundError",),
        files=(("train.py", "import sys\nprint('reading', sys.argv[2])\nopen(sys.argv[2]).read()\n"),),
    ),
    Play(
        "value-error", "unclassified-exception", "The program raises an error of its own.",
        _STEPS + "srun python3 train.py", proof=("ValueError",),
        files=(("train.py", "def check(rate):\n    if rate > 1:\n"
        "        raise ValueError(f'dropout must be below 1, not {rate}')\n\ncheck(1.5)\n"),),
    ),
    Play(
        "key-error", "unclassified-exception", "A key is not in a dictionary.",
        "srun -n 2 -l python3 train.py", ("--ntasks=2",), ("KeyError",),
        files=(("train.py", "scores = {'loss': 1.0}\nprint(scores['accuracy'])\n"),),
    ),
    Play(
        "only-exit-code", "cause-not-in-log", "The program says nothing and leaves with 1.",
        _STEPS + "srun -n 2 bash -c 'exit 1'", ("--ntasks=2",),
    ),
    Play(
        "stderr-thrown-away", "cause-not-in-log", "What Python said went to /dev/null.",
        "python3 -c 'import nothing_there' 2>/dev/null", (),
    ),
    Play(
        "good", "none", "It works.", _STEPS + "srun -n 2 hostname\necho done", ("--ntasks=2",),
    ),
    Play(
        "retried", "none", "A download fails twice and works then.",
        "for i in 1 2; do python3 -c 'raise ConnectionError(\"connection reset by peer\")'; done\n"
        + _STEPS + "echo 'Training finished.'",
    ),
    Play(
        "tolerated", "none", "A check fails, and that is meant.",
        "nvidia-smi || echo 'no GPU, on the CPU then'\n" + _STEPS + "echo saved; exit 0",
    ),
    Play(
        "timeout-tool", "none", "`timeout` ends a server when the work is done.",
        "timeout 3 python3 -m http.server 48124 || true\n" + _STEPS,
    ),
)  # fmt: skip
