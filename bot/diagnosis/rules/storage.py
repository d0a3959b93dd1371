"""File systems, rights and the operating system's limits."""

from __future__ import annotations

from bot.diagnosis.rule import Action, Rule, Strength

_GROUP = "storage"

RULES = (
    Rule(
        label="storage-quota",
        group=_GROUP,
        title="The disk quota is used up[; {path} could not be written].",
        remedy="Delete or move files, or write elsewhere; set HF_HOME to scratch for downloads.",
        patterns=(r"\[Errno 122\]", r"Disk quota exceeded", r"os error 122|errno = 122|\bEDQUOT\b"),
        lines=(
            (
                "safetensors_rust.SafetensorError: Error while serializing: IoError(Os { code: "
                '122, kind: FilesystemQuotaExceeded, message: "Disk quota exceeded" })'
            ),
        ),
        actions=(Action.RESUBMIT_OPTION,),
    ),
    Rule(
        label="storage-no-space",
        group=_GROUP,
        title="The file system is full[; {path} could not be written].",
        remedy="Free space or use another folder, then resume.",
        patterns=(
            r"\[Errno 28\]",
            r"[Nn]o space left on device",
            r"Not enough (?:free )?disk space",
            r"os error 28|errno = 28|kind: StorageFull|\bENOSPC\b",
            r"No usable temporary directory found",
            r"database or disk is full",
        ),
        lines=(
            (
                "OSError: Not enough disk space. Needed: 305.79 GiB (download: 88.20 GiB, "
                "generated: 217.58 GiB, post-processed: Unknown size)"
            ),
            (
                "FileNotFoundError: [Errno 2] No usable temporary directory found in ['/tmp', "
                "'/var/tmp']"
            ),
        ),
        actions=(Action.RESUBMIT_OPTION, Action.RESUME),
    ),
    Rule(
        label="storage-stale-handle",
        group=_GROUP,
        title="A file of the network file system went stale.",
        remedy="Rerun; keep shared caches off the network file system.",
        patterns=(r"\[Errno 116\]", r"Stale (?:NFS )?file handle"),
        actions=(Action.RERUN_SAME, Action.RESUME),
        transient=True,
    ),
    Rule(
        label="storage-io-error",
        group=_GROUP,
        title="The file system answered with an input/output error.",
        remedy="Check the mount or node, and resume from the last whole checkpoint.",
        patterns=(
            r"\[Errno 5\]",
            r"Input/output error",
            r"\[Errno 121\] Remote I/O error",
            r"Transport endpoint is (?:not connected|shut)",
            r"\[Errno 10[78]\]",
            r"^OSError: \[Errno (?:6|19|61|70|71|112|512)\] ",
            (
                r"os error 5\b|errno = 5,|Remote I/O error|Cannot send after transport endpoint "
                r"shutdown"
            ),
            r"^(?:OSError|TimeoutError): \[Errno 110\] Connection timed out: '/",
        ),
        lines=("OSError: [Errno 70] Communication error on send: '/lustre/x/ckpt'",),
        actions=(Action.EXCLUDE_NODE, Action.RESUME),
        transient=True,
    ),
    Rule(
        label="storage-write-failed",
        group=_GROUP,
        title="Writing a file failed, and the system does not say why.",
        remedy="Check space, quota and health of the file system, then resume from the previous "
        "checkpoint.",
        patterns=(
            r"PytorchStreamWriter failed writing file",
            r"unexpected pos \d+ vs \d+",
            r"basic_ios::clear: iostream error",
            r"[Ff]ile write failed",
            r"inline_container\.cc.*(?:write|unexpected pos)",
            r"^OSError: \d+ requested and \d+ written",
            r"write\(\): fd \d+ failed with ",
            (
                r"^(?:OSError|RuntimeError): .*(?:[Uu]nable to (?:synchronously )?(?:write|flush|"
                r"extend)|[Ff]ailed to write)"
            ),
        ),
        lines=("OSError: 3014656 requested and 1507328 written",),
        actions=(Action.RERUN_SAME, Action.RESUME),
        transient=True,
    ),
    Rule(
        label="too-many-open-files",
        group=_GROUP,
        title="The limit of open files is reached.",
        remedy="Raise ulimit -n or use fewer workers.",
        patterns=(
            r"\[Errno 24\]",
            r"(?i)too many open files",
            r"\[Errno 23\]",
            r"received \d+ items of ancdata",
            r"os error 24\b|\bEMFILE\b",
        ),
        lines=("RuntimeError: received 0 items of ancdata",),
        actions=(Action.FEWER_WORKERS,),
    ),
    Rule(
        label="thread-limit",
        group=_GROUP,
        title="The limit of processes or threads is reached.",
        remedy="Lower OMP_NUM_THREADS and the number of workers, or raise ulimit -u.",
        patterns=(
            r"pthread_create failed",
            r"can't start new thread",
            r"[Ff]ork: (?:retry: )?(?:Resource temporarily unavailable|No child processes)",
            r"BlockingIOError: \[Errno 11\]",
            r"libgomp: Thread creation failed",
            r"failed to (?:create|spawn) (?:a )?(?:new )?thread",
            r"(?:pthread_create|fork|[Tt]hread creation|clone)\b.*Resource temporarily unavailable",
            r"ThreadPoolBuildError|kind: WouldBlock, message: .Resource temporarily unavailable",
            r"OMP: Error #34",
            r"via pthread_create\(\) failed|system_error: Resource temporarily unavailable",
            r"blas_thread_init|return code from pthread_create\(\) is",
            r"what\(\): +(?:thread: )?Resource temporarily unavailable",
            r"unable to create (?:new )?native thread|fork rejected by pids controller",
        ),
        lines=(
            (
                "pyo3_runtime.PanicException: The global thread pool has not been initialized.: "
                "ThreadPoolBuildError { kind: IOError(Os { code: 11, kind: WouldBlock, message: "
                '"Resource temporarily unavailable" }) }'
            ),
            "OMP: Error #34: System unable to allocate necessary resources for OMP thread:",
        ),
        actions=(Action.RESUBMIT_OPTION,),
    ),
    Rule(
        label="permission-denied",
        group=_GROUP,
        title="The program is denied what it needs[: {path}].",
        remedy="Correct the rights, or choose another path.",
        patterns=(
            r"PermissionError: \[Errno 13\] Permission denied: '(?P<path>[^']+)'",
            r"PermissionError: \[Errno 1?[13]\]",
            r"\[Errno 30\] Read-only file system",
            r"^(?:touch|mkdir|cp|mv|ln|tee|install|tar|rsync|git): .*: Read-only file system",
            r"execve\(\): (?P<path>[^:]+): Permission denied",
            r"os error 13\b|kind: PermissionDenied|errno = 13,",
            r"^OSError: \[Errno 13\]",
            r"can't open file '(?P<path>[^']+)': \[Errno 13\]",
            r"PermissionError at (?P<path>\S+) when downloading",
        ),
        actions=(Action.RESUBMIT_OPTION,),
        lines=(
            "slurmstepd: error: execve(): start-agent.sh: Permission denied",
            (
                "Traceback (most recent call last):\n"
                '  File "/usr/lib/python3.12/pathlib.py", line 1311, in mkdir\n'
                "FileNotFoundError: [Errno 2] No such file or directory: '/out/a/ckpt'\n"
                "During handling of the above exception, another exception occurred:\n"
                "Traceback (most recent call last):\n"
                '  File "/usr/lib/python3.12/pathlib.py", line 1315, in mkdir\n'
                "PermissionError: [Errno 13] Permission denied: '/out/a'"
            ),
        ),
    ),
    Rule(
        label="permission-denied",
        group=_GROUP,
        title="A command of the script is denied what it needs[: {path}].",
        remedy="Correct the rights, or choose another path.",
        patterns=(
            r"^(?:fatal|error): could not \w+.*: Permission denied$",
            r"^(?:rm|mv|cp|chmod|chown|ln|touch|mkdir|mount): .*: Operation not permitted$",
            r"^(?:\S+: )*(?:cannot \w+.*: )?Permission denied$",
            (
                r"^(?:mkdir|cp|mv|rm|touch|ln|tee|tar|cat|bash|sh|\S+\.sh|/\S+): .*: Permission "
                r"denied$"
            ),
        ),
        actions=(Action.RESUBMIT_OPTION,),
        strength=Strength.FAULT,  # scripts often go on after it
    ),
)
