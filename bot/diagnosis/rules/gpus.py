"""GPU memory, GPU hardware and drivers."""

from __future__ import annotations

from bot.diagnosis.rule import Action, Rule, Strength

_TO_BLAME = r"(?:46|48|54|62|64|74|79|95|109|110|119|120|136|140|143|14[4-9]|150|151|155|156|158)"

RULES = (
    Rule(
        label="cuda-oom",
        group="gpu-memory",
        title="The memory of a GPU ran out[ when {size} more were asked for].",
        remedy="Lower the micro batch or sequence length, recompute activations, shard more (TP, "
        "PP, FSDP), or lower the generation engine's share of memory.",
        patterns=(
            r"CUDA out of memory\. Tried to allocate (?P<size>[\d.]+ [KMGT]?i?B)",
            r"CUDA out of memory",
            r"CUDA error: out of memory",
            r"CUDA Error: out of memory",
            r"(?:cuMem\w+|cudaMalloc\w*) .*(?:out of memory|CUDA_ERROR_OUT_OF_MEMORY)",
            r"HIP out of memory",
            r"^\S*OutOfMemoryError: CUDA",
            r"RESOURCE_EXHAUSTED: Out of memory (?:while trying to allocate|allocating)",
            r"ncclUnhandledCudaError.*out of memory",
            r"Cuda failure (?:2 )?'out of memory'",
            r"CUBLAS_STATUS_ALLOC_FAILED",
        ),
        actions=(Action.LESS_GPU_MEMORY, Action.SHOW_LOG),
    ),
    Rule(
        label="vllm-kv-cache",
        group="gpu-memory",
        title="The generation engine has too little GPU memory left for its KV cache.",
        remedy="Raise gpu_memory_utilization, lower max_model_len, or use more GPUs per engine.",
        patterns=(
            r"No available memory for the cache blocks",
            r"larger than the maximum number of tokens that can be stored in KV cache",
            r"is larger than the available KV cache memory",
            r"Free memory on device .* is less than desired GPU memory utilization",
        ),
        actions=(Action.LESS_GPU_MEMORY,),
    ),
    Rule(
        label="gpu-hardware",
        group="gpu-hw",
        title="A GPU, its memory or its link is broken.",
        remedy="Exclude the node, report it for draining, and resume from the last checkpoint.",
        patterns=(
            r"uncorrectable (?:NVLink error|ECC error)",
            r"Unable to determine the device handle for (?:GPU|gpu)",
            r"GPU has fallen off the bus",
            r"GPU is lost",
            r"[Dd]ouble[ -][Bb]it ECC error (?:detected|encountered|count exceeded)",
            r"(?i)remapping failure(?: occurred)? *: yes",
            r"NVLink (?:fatal|uncorrectable)",
            r"\bXid\b.*[:=] ?" + _TO_BLAME + r"\b",
            r"\bXid " + _TO_BLAME + r"\b",
            r"CUDA error: (?:hardware stack error|an? (?:uncorrectable|unspecified hardware))",
            r"CUDA_ERROR_(?:ECC|NVLINK)_UNCORRECTABLE",
            r"GPU (?:requires reset|access blocked by the operating system)",
        ),
        actions=(Action.EXCLUDE_NODE, Action.RESUME, Action.TELL_ADMIN),
        transient=True,
        strength=Strength.HARDWARE,
        quiet=True,
    ),
    Rule(
        label="gpu-fabric-manager",
        group="gpu-hw",
        title="The NVSwitch fabric of the node is not ready.",
        remedy="Exclude the node and report it: Fabric Manager is down or of another version.",
        patterns=(
            r"Error 802: system not yet initialized",
            r"CUDA error: system not yet initialized",
            r"CUDA_ERROR_SYSTEM_NOT_READY",
            r"[Ff]abric ?[Mm]anager.*(?:not running|failed|version mismatch)",
        ),
        actions=(Action.EXCLUDE_NODE, Action.TELL_ADMIN),
        transient=True,
        strength=Strength.HARDWARE,
        quiet=True,
    ),
    Rule(
        label="gpu-driver-mismatch",
        group="gpu-hw",
        title="The NVIDIA driver of the node does not fit its own libraries.",
        remedy="Exclude the node and report it: it needs a reboot after an update of the driver.",
        patterns=(
            r"(?i)driver/library version mismatch",
            r"system has unsupported display driver / cuda driver combination",
        ),
        actions=(Action.EXCLUDE_NODE, Action.TELL_ADMIN),
        transient=True,
    ),
    Rule(
        label="gpu-driver-mismatch",
        group="gpu-hw",
        title="The NVIDIA driver of the node is too old for the program.",
        remedy="Use an image that fits the driver, or a node with a newer one.",
        patterns=(
            r"The NVIDIA driver on your system is too old",
            r"CUDA driver version is insufficient for CUDA runtime version",
            r"forward compatibility was attempted on non supported HW",
            r"provided PTX was compiled with an unsupported toolchain",
            r"unsatisfied condition: cuda>=",
        ),
        actions=(Action.RESUBMIT_IMAGE, Action.EXCLUDE_NODE),
    ),
    Rule(
        label="gpu-arch-unsupported",
        group="gpu-hw",
        title="The program was not built for this kind of GPU.",
        remedy="Use an image or wheels built for it, or a partition with another kind of GPU.",
        patterns=(
            r"no kernel image is available for execution on the device",
            r"CUDA error: device kernel image is invalid",
            r"is not defined for option 'gpu-name'",
            r"only supports (?:Ampere|Hopper|Ada|Blackwell|Turing).* GPUs",
            r"requires (?:compute capability|device with capability|sm_?\d)",
            r"Unsupported gpu architecture",
        ),
        actions=(Action.RESUBMIT_IMAGE, Action.RESUBMIT_PARTITION),
    ),
)
