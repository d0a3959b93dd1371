"""The node or the environment on it is not as the job needs it."""

from __future__ import annotations

from bot.diagnosis.rule import Action, Rule, Strength

_GROUP = "node-setup"

RULES = (
    Rule(
        label="slurm-prolog-failed",
        group=_GROUP,
        title="The prolog on[ {node}] a node failed, so the job could not start.",
        remedy="Resubmit without the node and tell the administrators.",
        patterns=(
            r"Prolog (?:failure on|hung on) node (?P<node>[\w.-]+)",
            r"Error running slurm (?:task )?prolog",
            r"[Pp]rolog error",
            r"[Tt]ask prolog .*(?:failed|status|exit)",
            r"(?i)\bprolog (?:failed|hung)\b",
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
            r"container_p_join: ",
            r"job_container.*(?:open|mount|setns) failed",
            r"[Nn]ode's? hostname .*(?:not resolv|unknown)",
            r"error: .*gethostbyname.*failed",
            r"Unable to resolve \"[\w.-]+\": (?:Host name lookup|Unknown host)",
            r"error: Failed to look up user|_get_uid|getpwuid.*failed",
        ),
        actions=(Action.EXCLUDE_NODE,),
        transient=True,
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
        ),
        actions=(Action.SHOW_LOG,),
    ),
    Rule(
        label="command-not-found",
        group=_GROUP,
        title="The program[ {program}] is not there on the node.",
        remedy="Activate the environment in the script, run inside the container, or give the full "
        "path.",
        patterns=(
            r"execve\(\): (?P<program>[^:]+): (?:No such file|Permission denied)",
            r"(?:line \d+|bash|sh|environment): (?P<program>[\w./+-]+): command not found",
            r": line \d+: (?P<program>\S+): No such file or directory$",
            r"^(?:/\S*/)?\w*sh: (?P<program>\S+): No such file or directory$",
            r"^(?:/\S*/)?\w*sh: \d+: [Cc]an(?:no|')t open '?(?P<program>[^' ]+)'?",
            r"^(?:/bin/)?sh: \d+: (?P<program>\S+): not found$",
            r"^\S*env: \W{0,3}(?P<program>[\w./+-]+?)\W{0,3}: No such file or directory",
            r"can't open file '(?P<program>[^']+)': \[Errno 2\] No such file",
            (
                r"FileNotFoundError: \[Errno 2\] No such file or directory: '(?P<program>(?:/\S*/)?"
                r"(?:git|gcc|g\+\+|nvcc|ninja|nvidia-smi|ffmpeg|srun|sbatch|squeue|torchrun|uv|ray|"
                r"docker|enroot|singularity|apptainer|wget|curl|hostname|scontrol)[\w.-]*)'"
            ),
            r"couldn't chdir to",
        ),
        lines=(
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
            r"Torch not compiled with CUDA enabled",
            r"Failed to infer device type",
            r"torch\.cuda\.is_available\(\) is False",
            r"ProcessGroupNCCL is only supported with GPUs, no GPUs found",
            r"(?:Error|ERROR)\b.*\b[Nn]o (?:NVIDIA )?GPUs? (?:found|detected|available)",
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
