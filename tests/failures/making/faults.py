"""How the operating system, Python and a program of one's own end jobs; and what is no failure."""

from __future__ import annotations

from tests.failures.making.play import STEPS, Play

FAULTS = (
    Play(
        "segfault",
        "segfault",
        "Python reads address 0.",
        STEPS + "srun python3 -X faulthandler -c 'import ctypes; ctypes.string_at(0)'",
        proof=("Segmentation fault", "signal 11"),
    ),
    Play(
        "bus-error",
        "bus-error",
        "A mapped file is cut short.",
        "python3 - <<'E'\nimport mmap, os\nname = f'map-{os.getpid()}'\nf = open(name, 'wb+')\n"
        "f.truncate(1 << 20)\nm = mmap.mmap(f.fileno(), 1 << 20)\nf.truncate(0)\n"
        "os.unlink(name)\nm[5000]\nE\nexit $?",
        proof=("Bus error",),
    ),
    Play(
        "abort",
        "sigabrt-unknown",
        "Python aborts without a word.",
        STEPS + "srun python3 -c 'import os; os.abort()'",
        proof=("Aborted", "signal 6"),
    ),
    Play(
        "write-to-root",
        "permission-denied",
        "It writes where it may not.",
        "mkdir -p /etc/experiments/run1",
        proof=("Permission denied",),
    ),
    Play(
        "read-not-allowed",
        "permission-denied",
        "It reads a file of root's.",
        "python3 -c 'open(\"/etc/shadow\").read()'",
        proof=("PermissionError",),
    ),
    Play(
        "disk-full",
        "storage-no-space",
        "The device is full.",
        'python3 -c \'f = open("/dev/full", "w"); f.write("x" * 9999); f.flush()\'',
        proof=("No space left",),
    ),
    Play(
        "disk-full-shell",
        "storage-no-space",
        "The device is full, for a tool of the shell.",
        "set -e\ndd if=/dev/zero of=/dev/full bs=1M count=1",
        proof=("No space left",),
    ),
    Play(
        "open-files",
        "too-many-open-files",
        "32 files may be open.",
        "ulimit -n 32\npython3 -c 'x = [open(\"/dev/null\") for _ in range(64)]'",
        proof=("Too many open files",),
    ),
    Play(
        "threads",
        "thread-limit",
        "No more threads may be started.",
        'ulimit -u 1\npython3 -c "import threading, time\nfor _ in range(400): '
        'threading.Thread(target=time.sleep, args=(9,)).start()"',
        proof=("can't start new thread", "Resource temporarily unavailable"),
    ),
    Play(
        "port-taken",
        "port-in-use",
        "Two servers want one port.",
        "python3 -m http.server 48123 & sleep 1\npython3 -m http.server 48123",
        proof=("Address already in use",),
        transient=True,
    ),
    Play(
        "import",
        "python-import",
        "A package is not installed.",
        "srun python3 -c 'import megatron.core'",
        proof=("ModuleNotFoundError",),
    ),
    Play(
        "import-name",
        "python-import",
        "The package has no such name.",
        "python3 -c 'from json import loadz'",
        proof=("ImportError",),
    ),
    Play(
        "syntax",
        "python-syntax-error",
        "A slip in the script.",
        "python3 train.py",
        proof=("SyntaxError",),
        files=(("train.py", "import os\n\ndef main()\n    print(os.getcwd())\n\nmain()\n"),),
    ),
    Play(
        "indent",
        "python-syntax-error",
        "A line is indented wrongly.",
        "python3 train.py",
        proof=("IndentationError",),
        files=(("train.py", "import os\n\ndef main():\nprint(os.getcwd())\n"),),
    ),
    Play(
        "config-file",
        "config-file-missing",
        "The configuration is not there.",
        "python3 train.py --config conf/llama_8b.yaml",
        proof=("FileNotFoundError",),
        files=(
            ("train.py", "import sys\nprint('reading', sys.argv[2])\nopen(sys.argv[2]).read()\n"),
        ),
    ),
    Play(
        "value-error",
        "unclassified-exception",
        "The program raises an error of its own.",
        STEPS + "srun python3 train.py",
        proof=("ValueError",),
        files=(
            (
                "train.py",
                "def check(rate):\n    if rate > 1:\n"
                "        raise ValueError(f'dropout must be below 1, not {rate}')\n\ncheck(1.5)\n",
            ),
        ),
    ),
    Play(
        "key-error",
        "unclassified-exception",
        "A key is not in a dictionary.",
        "srun -n 2 -l python3 train.py",
        ("--ntasks=2",),
        ("KeyError",),
        files=(("train.py", "scores = {'loss': 1.0}\nprint(scores['accuracy'])\n"),),
    ),
    Play(
        "only-exit-code",
        "cause-not-in-log",
        "The program says nothing and leaves with 1.",
        STEPS + "srun -n 2 bash -c 'exit 1'",
        ("--ntasks=2",),
    ),
    Play(
        "stderr-thrown-away",
        "cause-not-in-log",
        "What Python said went to /dev/null.",
        "python3 -c 'import nothing_there' 2>/dev/null",
        (),
    ),
    Play(
        "good",
        "none",
        "It works.",
        STEPS + "srun -n 2 hostname\necho done",
        ("--ntasks=2",),
    ),
    Play(
        "retried",
        "none",
        "A download fails twice and works then.",
        "for i in 1 2; do python3 -c 'raise ConnectionError(\"connection reset by peer\")'; done\n"
        + STEPS
        + "echo 'Training finished.'",
    ),
    Play(
        "tolerated",
        "none",
        "A check fails, and that is meant.",
        "nvidia-smi || echo 'no GPU, on the CPU then'\n" + STEPS + "echo saved; exit 0",
    ),
    Play(
        "timeout-tool",
        "none",
        "`timeout` ends a server when the work is done.",
        "timeout 3 python3 -m http.server 48124 || true\n" + STEPS,
    ),
)
