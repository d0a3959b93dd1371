"""File systems, rights and the operating system's limits."""

from __future__ import annotations

from bot.diagnosis.rule import Action, Rule, Strength

_GROUP = "storage"

RULES = (
    Rule(
        label="storage-quota",
        group=_GROUP,
        title="The disk quota is used up.",
        remedy="Delete or move files, or write elsewhere; set HF_HOME to scratch for downloads.",
        patterns=(r"\[Errno 122\]", r"Disk quota exceeded"),
        actions=(Action.RESUBMIT_OPTION,),
    ),
    Rule(
        label="storage-no-space",
        group=_GROUP,
        title="The file system is full.",
        remedy="Free space or use another folder, then resume.",
        patterns=(r"\[Errno 28\]", r"No space left on device"),
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
        ),
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
            r"file write failed",
            r"inline_container\.cc.*(?:write|unexpected pos)",
        ),
        actions=(Action.RERUN_SAME, Action.RESUME),
        transient=True,
    ),
    Rule(
        label="too-many-open-files",
        group=_GROUP,
        title="The limit of open files is reached.",
        remedy="Raise ulimit -n or use fewer workers.",
        patterns=(r"\[Errno 24\]", r"Too many open files", r"\[Errno 23\]"),
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
            r"[Ff]ork: (?:retry: )?Resource temporarily unavailable",
            r"BlockingIOError: \[Errno 11\]",
            r"libgomp: Thread creation failed",
            r"failed to create thread",
        ),
        actions=(Action.RESUBMIT_OPTION,),
    ),
    Rule(
        label="permission-denied",
        group=_GROUP,
        title="The program may not use[ {path}] a path it needs.",
        remedy="Correct the rights, or choose another path.",
        patterns=(
            r"PermissionError: \[Errno 13\] Permission denied: '(?P<path>[^']+)'",
            r"PermissionError: \[Errno 1?[13]\]",
            r"\[Errno 30\] Read-only file system",
        ),
        actions=(Action.RESUBMIT_OPTION,),
        lines=(
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
        title="A command of the script may not use a path.",
        remedy="Correct the rights, or choose another path.",
        patterns=(
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
