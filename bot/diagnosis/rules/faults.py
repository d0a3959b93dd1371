"""Crashes of the program itself, on the GPU or the CPU."""

from __future__ import annotations

from bot.diagnosis.rule import Action, Rule, Strength

_GROUP = "cuda-fault"

RULES = (
    Rule(
        label="cuda-device-assert",
        group=_GROUP,
        title="An assertion in a GPU kernel failed, mostly an index out of range.",
        remedy="Compare the tokenizer with the embedding's size, sequence length and labels; rerun "
        "once with CUDA_LAUNCH_BLOCKING=1 to see the place.",
        patterns=(
            r"\.(?:cu|cuh|h):\d+: .*[Aa]ssertion .* failed",
            r"device-side assert(?:ion)? triggered",
        ),
        actions=(Action.RESUBMIT_BLOCKING,),
    ),
    Rule(
        label="shm-too-small",
        group=_GROUP,
        title="Shared memory (/dev/shm) is too small for the data-loader workers.",
        remedy="Give the container more shared memory, or use fewer workers.",
        patterns=(
            r"DataLoader worker .*Bus error",
            r"insufficient shared memory \(shm\)",
            (
                r"unable to (?:open|write to|mmap|allocate) (?:file|shared memory).*(?:/dev/shm|"
                r"torch_\d+).*No space"
            ),
            r"/dev/shm\S*.*No space left on device",  # noqa: S108 - text of a message
            r"unable to allocate shared memory ?\(shm\)",
            r"Error while creating shared memory segment",
            r"_multiprocessing_helpers\.py.*\[Errno 28\]",
        ),
        actions=(Action.FEWER_WORKERS,),
        quiet=True,
    ),
    Rule(
        label="shm-too-small",
        group=_GROUP,
        title="Shared memory (/dev/shm) is too small for locks or queues between processes.",
        remedy="Give the container more shared memory, or use fewer workers.",
        patterns=(r"\[Errno 28\]",),
        actions=(Action.FEWER_WORKERS,),
        within=r"(?:multiprocessing/(?:synchronize|queues|heap|context|shared_memory)|"
        r"joblib/)",
    ),
    Rule(
        label="cuda-illegal-access",
        group=_GROUP,
        title="A GPU kernel touched memory it may not.",
        remedy="Rerun once; at the same place again, debug with CUDA_LAUNCH_BLOCKING=1; on the "
        "same node again, suspect its GPU.",
        patterns=(
            r"an illegal memory access was encountered",
            (
                r"CUDA error: (?:misaligned address|an illegal instruction|invalid program counter|"
                r"unspecified launch failure|operation not supported on global/shared)"
            ),
            r"CUDA_ERROR_(?:ILLEGAL|MISALIGNED)_ADDRESS",
            r"CUDA_ERROR_LAUNCH_FAILED",
        ),
        actions=(Action.RERUN_SAME, Action.RESUBMIT_BLOCKING),
        transient=True,
        strength=Strength.FAULT,
    ),
    Rule(
        label="segfault",
        group=_GROUP,
        title="A process crashed with a segmentation fault.",
        remedy="Rerun once with PYTHONFAULTHANDLER=1; if it follows one node, exclude it.",
        patterns=(
            r"[Ss]egmentation fault",
            r"exitcode *: -11\b",
            r"Signal 11\b",
            r"(?:received|Caught|caught) (?:signal )?\(?(?:SIGSEGV|11\b)|<Signals\.SIGSEGV",
            r"(?:exit(?:ed with)? (?:code|status)|exit_?code|rc)[:=]? *139\b",
            r"return code[ =:]+-11\b",
            r"exited on signal 11\b",
        ),
        actions=(Action.RERUN_SAME, Action.EXCLUDE_NODE),
        transient=True,
        strength=Strength.SIGNAL,
    ),
    Rule(
        label="bus-error",
        group=_GROUP,
        title="A process crashed with a bus error.",
        remedy="Look for a truncated memory-mapped file, full memory or a bad node; rerun once "
        "elsewhere.",
        patterns=(
            r"\bBus error\b",
            r"exitcode *: -7\b",
            r"Signal 7\b",
            r"received (?:signal )?SIGBUS|<Signals\.SIGBUS",
            r"(?:exit(?:ed with)? (?:code|status)|exit_?code|rc)[:=]? *135\b",
            r"return code[ =:]+-7\b",
            r"exited on signal 7\b",
        ),
        actions=(Action.EXCLUDE_NODE,),
        transient=True,
        strength=Strength.SIGNAL,
    ),
    Rule(
        label="sigabrt-unknown",
        group=_GROUP,
        title="A process aborted, and its own message is not in this log.",
        remedy="Fetch that rank's own output: a watchdog or a failed assertion in C++ is typical.",
        patterns=(
            r"exitcode *: -6\b",
            r"Signal 6\b",
            r"received (?:signal )?SIGABRT|<Signals\.SIGABRT",
            r"Aborted +\(core dumped\)",
            r"task \d+: Aborted",
            r"^(?:\S+: line \d+: +)?(?:\d+ )?Aborted\b",
            r"(?:exit(?:ed with)? (?:code|status)|exit_?code|rc)[:=]? *134\b",
            r"return code[ =:]+-6\b",
            r"exited on signal 6\b",
        ),
        actions=(Action.FETCH_LOG,),
        transient=True,
        strength=Strength.SIGNAL,
    ),
)
