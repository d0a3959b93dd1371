"""GPU memory, GPU hardware and drivers."""

from __future__ import annotations

from bot.diagnosis.rule import Action, Rule, Strength

_TO_BLAME = (
    r"(?:46|48|54|62|64|74|79|94|95|109|110|119|120|136|140|143|14[4-9]|150|151|155|156|158)"
)

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
            r"(?:CUDA (?:[Ee]rror|driver error)|Triton Error \[CUDA\]): out of memory",
            r"(?:cuMem\w+|cudaMalloc\w*)\b.*out of memory",
            r"CUDA_ERROR_OUT_OF_MEMORY|cudaErrorMemoryAllocation",
            r"CUresult error:? (?:result=)?2\b",
            r"HIP out of memory",
            r"^\S*OutOfMemoryError: (?:CUDA|Allocation on device)",
            r"RESOURCE_EXHAUSTED: (?:Out of memory|Failed to allocate request)",
            r"ncclUnhandledCudaError.*out of memory",
            r"Cuda failure (?:\d+ )?'out of memory'",
            r"Failed to CUDA (?:m|c|host )alloc",
            r"CU(?:BLAS|DNN|SPARSE|SOLVER|FFT)_(?:STATUS_)?ALLOC_FAILED",
            r"^Error (?:\d+ )?out of memory at line \d+ in file",
        ),
        lines=(
            "RuntimeError: Triton Error [CUDA]: out of memory",
            "RuntimeError: CUDA driver error: out of memory",
            "torch.OutOfMemoryError: Allocation on device ",
            "RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED",
            "gn1:41:52 [3] include/alloc.h:228 NCCL WARN Failed to CUDA calloc async 608 bytes",
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
            r"GPU memory was not properly cleaned up before initializing the vLLM instance",
            r"Error in memory profiling\. Initial free memory",
            r"Not enough memory\. Please try to increase --mem-fraction-static",
            r"max_total_num_tokens.*(?:too small|not enough)",
        ),
        lines=(
            (
                "AssertionError: Error in memory profiling. Initial free memory 10.2 GiB, "
                "current free "
                "memory 30.1 GiB."
            ),
            "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.",
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
            r"fallen off the bus",
            r"NV_ERR_(?:RESET_REQUIRED|GPU_IS_LOST)|NVIDIA probe routine failed for",
            r"^\| *(?:\d+ .*|N/A +|\d+% +)?ERR! .*\|$",  # a row of nvidia-smi's table
            r"GPU is lost",
            r"[Dd]ouble[ -][Bb]it ECC error (?:detected|encountered|count exceeded)",
            r"(?i)remapping failure(?: occurred)? *: yes",
            r"NVLink (?:fatal|uncorrectable)",
            r"\bXid\b.*[:=] ?" + _TO_BLAME + r"\b",
            r"\bXid " + _TO_BLAME + r"\b",
            r"CUDA error: (?:hardware stack error|an? (?:uncorrectable|unspecified hardware))",
            r"CUDA_ERROR_(?:ECC|NVLINK)_UNCORRECTABLE",
            r"GPU (?:requires reset|access blocked by the operating system)",
            r"Invalid access of peer GPU memory over nvlink or a hardware error",
            r"RmInitAdapter failed",
        ),
        lines=(
            (
                "RuntimeError: CUDA error: Invalid access of peer GPU memory over nvlink or a "
                "hardware "
                "error"
            ),
            "NVRM: GPU 0000:4e:00.0: RmInitAdapter failed! (0x24:0x72:1568)",
            "NVRM: Xid (PCI:0000:9a:00): 94, pid=4242, name=python, Contained: SM (0x1)",
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
            r"system not yet initialized",
            r"CUDA_ERROR_SYSTEM_NOT_READY|cudaErrorSystemNotReady",
            r"[Ff]abric ?[Mm]anager.*(?:not running|failed|version mismatch)",
        ),
        lines=(
            (
                "gn1:41:52 [4] misc/cudawrap.cc:36 NCCL WARN Cuda failure 802 'system not yet "
                "initialized'"
            ),
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
            r"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH|cudaErrorSystemDriverMismatch",
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
            r"[Ff]orward compatibility was attempted on non supported HW",
            r"provided PTX was compiled with an unsupported toolchain",
            r"CUDA_ERROR_(?:COMPAT_NOT_SUPPORTED_ON_DEVICE|UNSUPPORTED_PTX_VERSION)",
            r"cudaError(?:InsufficientDriver|CompatNotSupportedOnDevice|UnsupportedPtxVersion)",
            r"was detected and compatibility mode is UNAVAILABLE",
            r"unsatisfied condition: cuda>=",
        ),
        lines=(
            (
                "[[Forward compatibility was attempted on non supported HW "
                "(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE) cuInit()=804]]"
            ),
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
            r"CUDA_ERROR_NO_BINARY_FOR_GPU|cudaErrorNoKernelImageForDevice",
            r"device kernel image is invalid",
            r"CUDA capability sm_\d+ is not compatible with the current PyTorch installation",
            r"is not defined for option 'gpu-name'",
            (
                r"(?:only supports|requires?|[Yy]ou need) (?:NVIDIA "
                r")?(?:Ampere|Hopper|Ada|Blackwell|"
                r"Turing|Volta)\b"
            ),
            (
                r"(?i)requires? (?:a )?(?:gpus? with )?(?:compute|device with|cuda) capability|"
                r"requires? sm_?\d"
            ),
            r"(?i)only supported on (?:gpus|devices) (?:with|of) compute capability",
            r"(?i)compute capability [\d.]+ or higher (?:is )?required",
            r"Minimum capability: \d+\. Current capability: \d+",
            r"only supports devices of CUDA Capability|too old to be supported by the triton GPU",
            r"[Uu]nsupported (?:gpu|GPU) arch",
            r"Unknown CUDA arch|without targeting appropriate compute capability",
            r"(?:Ampere|Hopper|Ada|Blackwell)\+? GPU with cuda>=",
        ),
        lines=(
            (
                "ValueError: Bfloat16 is only supported on GPUs with compute capability of at "
                "least "
                "8.0. Your Tesla V100-SXM2-32GB GPU has compute capability 7.0."
            ),
            "AssertionError: Device compute capability 8.9 or higher required for FP8 execution.",
            (
                "ValueError: The quantization method fp8 is not supported for the current "
                "GPU. Minimum "
                "capability: 80. Current capability: 70."
            ),
            "ValueError: Your setup doesn't support bf16/gpu. You need Ampere+ GPU with cuda>=11.0",
            (
                "NVIDIA B200 with CUDA capability sm_100 is not compatible with the current "
                "PyTorch "
                "installation."
            ),
        ),
        actions=(Action.RESUBMIT_IMAGE, Action.RESUBMIT_PARTITION),
    ),
)
