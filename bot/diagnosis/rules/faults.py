"""Crashes of the program itself, on the GPU or the CPU."""

from __future__ import annotations

from bot.diagnosis.rule import Action, Rule, Strength
from bot.diagnosis.signals import ended_by

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
            r"CUDA_ERROR_ASSERT|cudaErrorAssert",
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
            r"Error while creating shared memory segment|failed to extend /dev/shm",
            r"posix_fallocate failed ?: No space left on device",
            r"Please check that /dev/shm or the directory you specified has more available",
            r"\[Errno 28\].*'/(?:psm_|pym-|mp-)",
            r"_multiprocessing_helpers\.py.*\[Errno 28\]",
        ),
        actions=(Action.FEWER_WORKERS,),
        quiet=True,
        lines=(
            (
                "gn1:12:13 [2] misc/shmutils.cc:72 NCCL WARN Error: failed to extend "
                "/dev/shm/nccl-7xQk2B to 9637892 bytes"
            ),
            (
                "gn1:12:13 [2] include/shm.h:48 NCCL WARN Call to posix_fallocate failed : No "
                "space "
                "left on device"
            ),
            "OSError: [Errno 28] No space left on device: '/psm_3f1b2c4d'",
        ),
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
                r"(?i)cuda (?:driver )?(?:error|failure)\b.*(?:misaligned address|an illegal "
                r"instruction|invalid program counter|unspecified launch failure|operation not "
                r"supported on global/shared|the launch timed out and was terminated)"
            ),
            r"Triton Error \[CUDA\]: (?:misaligned|an illegal|unspecified)",
            r"CUDA_ERROR_(?:ILLEGAL|MISALIGNED|LAUNCH_FAILED|INVALID_PC)",
            r"cudaError(?:Illegal|MisalignedAddress|LaunchFailure|InvalidPc)",
            r"\bWarp (?:Illegal|Out-of-range|Misaligned)",
            r"CU(?:BLAS|DNN|SPARSE|SOLVER)_STATUS_(?:EXECUTION_FAILED|INTERNAL_ERROR)",
            r"NVRM: Xid .*: (?:8|11|13|25|31|32|39|69|7[0-2]),",
        ),
        actions=(Action.RERUN_SAME, Action.RESUBMIT_BLOCKING),
        transient=True,
        strength=Strength.FAULT,
        lines=(
            "RuntimeError: Triton Error [CUDA]: misaligned address",
            "gn1:41:52 [3] NCCL WARN Cuda failure 719 'unspecified launch failure'",
            "RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasGemmEx`",
            "NVRM: Xid (PCI:0000:9a:00): 31, pid=4242, name=python, Ch 00000008, MMU Fault",
        ),
    ),
    Rule(
        label="cuda-oom",
        group="gpu-memory",
        title="A CUDA library could not start on the GPU; mostly its memory is used up.",
        remedy="Lower the micro batch, and look whether another process holds the GPU; rerun once "
        "with CUDA_LAUNCH_BLOCKING=1.",
        patterns=(r"CU(?:BLAS|DNN|SOLVER|SPARSE)_STATUS_NOT_INITIALIZED",),
        actions=(Action.LESS_GPU_MEMORY, Action.SHOW_LOG),
        strength=Strength.FAULT,
        lines=(
            "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate`",
        ),
    ),
    Rule(
        label="segfault",
        group=_GROUP,
        title="A process crashed with a segmentation fault.",
        remedy="Rerun once with PYTHONFAULTHANDLER=1; if it follows one node, exclude it.",
        patterns=(
            r"[Ss]egmentation fault",
            r"Segfault encountered",
            *ended_by(11, "SEGV"),
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
            *ended_by(7, "BUS"),
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
            r"Aborted +\(core dumped\)",
            r"tasks? [\d,-]+: Aborted",
            r"^(?:\S+: line \d+: +)?(?:\d+ )?Aborted\b",
            r"Fatal Python error: Aborted",
            *ended_by(6, "ABRT"),
        ),
        actions=(Action.FETCH_LOG,),
        transient=True,
        strength=Strength.SIGNAL,
    ),
)
