"""The node or the environment on it is not as the job needs it."""

from __future__ import annotations

from bot.diagnosis.rule import Action, Rule, Strength

_GROUP = "node-setup"

RULES = (
    Rule(
        label="slurm-prolog-failed",
        group=_GROUP,
        title="The prolog failed[ on {node}], so the job could not start.",
        remedy="Resubmit without the node and tell the administrators.",
        patterns=(
            r"Prolog (?:failure on|hung on) node (?P<node>[\w.-]+)",
            r"Error running slurm (?:task )?prolog",
            r"[Pp]rolog error",
            r"[Tt]ask prolog .*(?:failed|status|exit)",
            r"(?i)\bprolog (?:failed|hung)\b",
            r"TaskProlog failed",
        ),
        lines=(
            "slurmstepd: error: TaskProlog failed status=127",
            "srun: error: Task launch for StepId=23.0 failed on node hpc07: Job prolog failed",
        ),
        actions=(Action.EXCLUDE_NODE, Action.TELL_ADMIN),
        transient=True,
        strength=Strength.SCHEDULER,
    ),
    Rule(
        label="slurm-node-env",
        group=_GROUP,
        title="The node's environment for jobs is broken.",
        remedy="Resubmit without the node; report it if it happens again.",
        patterns=(
            r"(?:container|namespace)_[pg]_join(?:: | failed)",
            (
                r"Can't find an address, check slurm\.conf|can't find address for host \S+, check "
                r"slurm\.conf"
            ),
            r"Slurmd could not (?:create a batch|set up environment|connect IO|execve)",
            r"MPI plugin's pre-launch setup failed|Invalid MPI (?:plugin name|type)",
            r"^hostname: (?:Name or service not known|Host name lookup failure|Unknown host)",
            r"slurm_set_addr: Unable to resolve|getaddrinfo\(\S+:\d+\) failed: ",
            r"couldn't chdir to /tmp either",
            r"Failed to invoke task plugins|task_[gp]_pre_\w+: .*(?:error|failed)",
            r"job_container.*(?:open|mount|setns) failed",
            r"[Nn]ode's? hostname .*(?:not resolv|unknown)",
            r"error: .*gethostbyname.*failed",
            r"Unable to resolve \"[\w.-]+\": (?:Host name lookup|Unknown host)",
            r"error: Failed to look up user|_get_uid|getpwuid.*failed",
        ),
        lines=(
            "slurmstepd: error: container_g_join failed: 119383",
            (
                "srun: error: Task launch for StepId=7.0 failed on node n1: Slurmd could not set "
                "up environment for batch job"
            ),
        ),
        actions=(Action.EXCLUDE_NODE,),
        transient=True,
    ),
    Rule(
        label="slurm-node-env",
        group=_GROUP,
        title="The working folder {path} is not on the node, so the job ran in /tmp.",
        remedy="Submit from a folder that the nodes have, too, or give --chdir.",
        patterns=(r"couldn't chdir to [`'](?P<path>[^']+)': .*: going to /tmp instead",),
        lines=(
            (
                "slurmstepd: error: couldn't chdir to `/data/run': No such file or directory: "
                "going to /tmp instead"
            ),
        ),
        actions=(Action.RESUBMIT_OPTION,),
        strength=Strength.SIGNAL,  # many programs do not mind where they run
    ),
    Rule(
        label="slurm-step-resources",
        group=_GROUP,
        title="A step asks for more than its allocation has free.",
        remedy="Use --overlap or --exact, or give each step its share of CPUs and memory.",
        patterns=(
            (
                r"Unable to create step for job \S+: (?:More processors|Memory required|Requested|"
                r"Job/step)"
            ),
            r"Memory required by task is not available",
            r"srun: error: .*[Ss]tep creation .*(?:disabled|busy).*giving up",
            r"CPU binding outside of job step allocation",
            r"Unable to satisfy cpu bind request|Unable to layout tasks on given cpus",
            r"Too many job steps on node|Step limit reached for this job",
        ),
        lines=(
            (
                "slurmstepd: error: CPU binding outside of job step allocation, allocated CPUs "
                "are: 0x3"
            ),
        ),
        actions=(Action.RESUBMIT_OPTION,),
    ),
    Rule(
        label="module-not-found",
        group=_GROUP,
        title="An environment module[, {module},] does not exist.",
        remedy="Take a name from `module avail`, or drop the line where a container is used.",
        patterns=(
            r"Unable to locate a modulefile for '?(?P<module>[^'\s]+)",
            r"The following module\(s\) are unknown: \"?(?P<module>[^\"]+)",
            r"Lmod has detected the following error",
            r"These module\(s\) (?:or extension\(s\) )?exist but cannot be loaded",
            r"conflicts with the currently loaded module",
            (
                r"(?i)\bmodule '?(?P<module>[\w.+-]+/[\w.+/-]+)'? (?:not found|does not exist|"
                r"cannot be loaded)"
            ),
        ),
        lines=("ERROR: Module 'nvhpc/24.3' not found",),
        actions=(Action.SHOW_LOG,),
    ),
    Rule(
        label="command-not-found",
        group=_GROUP,
        title="The program[ {program}] is not there on the node.",
        remedy="Activate the environment in the script, run inside the container, or give the full "
        "path.",
        patterns=(
            r"execve\(\): (?P<program>[^:]+): No such file",
            r"(?:line \d+|bash|sh|environment): (?P<program>[\w./+-]+): command not found",
            r": line \d+: (?P<program>\S+): No such file or directory$",
            r"^(?:/\S*/)?\w*sh: (?P<program>\S+): No such file or directory$",
            r"^(?:/\S*/)?\w*sh: \d+: [Cc]an(?:no|')t open '?(?P<program>[^' ]+)'?",
            r"^\S+: \d+: (?P<program>\S+): not found$",
            r"^\S*env: \W{0,3}(?P<program>[\w./+-]+?)\W{0,3}: No such file or directory",
            r"can't open file '(?P<program>[^']+)': \[Errno 2\] No such file",
            (
                r"FileNotFoundError: \[Errno 2\] No such file or directory: '(?P<program>(?:/\S*/)?"
                r"(?:git|gcc|g\+\+|nvcc|ninja|nvidia-smi|ffmpeg|srun|sbatch|squeue|torchrun|uv|ray|"
                r"docker|enroot|singularity|apptainer|wget|curl|hostname|scontrol)[\w.-]*)'"
            ),
            r"^zsh:(?:\d+:)? command not found: (?P<program>\S+)",
            r"^(?P<program>[\w./+-]+): Command not found\.?$",
            (
                r"^(?:nohup|timeout|stdbuf|nice|numactl|setsid|time): (?:failed to run|cannot "
                r"run) command \W{0,3}(?P<program>[\w./+-]+?)\W{0,3}: No such file"
            ),
            (
                r"unable to find the specified executable file|could not access or execute an "
                r"executable"
            ),
            r"HYDU_create_process .*execvp error on file (?P<program>\S+) \(No such file",
            r"CondaError: Run 'conda init' before 'conda activate'",
            r"error: (?:Failed to spawn: `(?P<program>[^`]+)`|No virtual environment found)",
            r"(?P<program>Ninja) is required to load C\+\+ extensions",
            (
                r"(?:EnvironmentNameNotFound|EnvironmentLocationNotFound|Could not find conda "
                r"environment|Not a conda environment): (?P<program>\S+)"
            ),
            r"^exec: \W?(?P<program>[\w./+-]+)\W?: (?:not found|executable file not found)",
        ),
        lines=(
            "timeout: failed to run command ‘torchrun’: No such file or directory",
            "CondaError: Run 'conda init' before 'conda activate'",
            "EnvironmentNameNotFound: Could not find conda environment: px310",
            "zsh: command not found: torchrun",
            "bash: launch/pretrain.sh: No such file or directory",
            "sh: 0: cannot open launch.sh: No such file",
        ),
        actions=(Action.SHOW_LOG,),
        first=True,
    ),
    Rule(
        label="no-gpu-visible",
        group=_GROUP,
        title="The process sees no GPU.",
        remedy="Ask for GPUs (--gpus-per-node) and do not set CUDA_VISIBLE_DEVICES by hand.",
        patterns=(
            r"No CUDA GPUs are available",
            r"Found no NVIDIA driver on your system",
            r"no CUDA-capable device is detected",
            r"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver",
            r"CUDA error: invalid device ordinal",
            r"No (?:supported )?gpu backend found",
            r"No devices were found",
            r"MisconfigurationException: .*[Nn]o supported gpu",
            r"Torch not compiled with CUDA enabled|Error: Megatron requires CUDA",
            r"device >= 0 && device < num_gpus",
            r"Failed to infer device type",
            r"torch\.cuda\.is_available\(\) is False",
            r"ProcessGroupNCCL is only supported with GPUs, no GPUs found",
            (
                r"(?:Error|ERROR)\b.*\b[Nn]o (?:NVIDIA |CUDA )?GPUs? (?:was |were )?(?:found|"
                r"detected|available)"
            ),
            r"You requested gpu: \[?.*But your machine only has",
            r"[Nn]o visible GPU devices|[Nn]o supported devices found for platform CUDA",
            r"0 active drivers \(\[\]\)",
            r"CUDA_ERROR_NO_DEVICE|cudaErrorNoDevice|hipErrorNoDevice",
            r"you might not have a CUDA gpu",
            r"no GPU resources available|[Aa] GPU is needed|requires an? (?:NVIDIA |CUDA )?GPU\b",
            r"couldn't find libnvidia-ml\.so",
            r"Setting the available devices to be zero",
            r"^AssertionError: Invalid device id$",
            r"since the accelerator is not available",
            (
                r"^(?:ImportError|OSError): lib(?:cuda|nvidia-ml)\.so\.1: cannot open shared "
                r"object file"
            ),
            r"NVMLError_(?:DriverNotLoaded|LibraryNotFound)|NVML: Driver Not Loaded",
            r"(?:Error|Exception): .*\bCUDA is not available",
        ),
        lines=(
            "RuntimeError: 0 active drivers ([]). There should only be one.",
            "OSError: libcuda.so.1: cannot open shared object file: No such file or directory",
            (
                "MisconfigurationException: You requested gpu: [0, 1, 2, 3]\\n But your machine "
                "only has: [0]"
            ),
        ),
        actions=(Action.RESUBMIT_GPUS,),
    ),
    Rule(
        label="gpu-busy",
        group=_GROUP,
        title="The GPU is held by another process.",
        remedy="Resubmit on another node and report the process that was left over.",
        patterns=(
            r"CUDA-capable device(?:s|\(s\)) (?:is/)?are busy or unavailable",
            r"exclusive (?:process|thread) mode",
        ),
        actions=(Action.EXCLUDE_NODE, Action.TELL_ADMIN),
        transient=True,
    ),
)
