"""enroot, pyxis and their like, once there is an image."""

from __future__ import annotations

from bot.diagnosis.rule import Action, Rule, Strength

_GROUP = "container"

RULES = (
    Rule(
        label="container-mount-failed",
        group=_GROUP,
        title="A mount of the container failed[: {mount}].",
        remedy="Correct the path in the mount list: it must exist and be readable, a file onto a "
        "file, a folder onto a folder.",
        patterns=(
            r"enroot-mount: failed to mount: (?P<mount>.+)",
            (
                r"--container-mounts: (?:source path does not exist|invalid|unable)[^:]*: "
                r"?(?P<mount>.*)"
            ),
            r"pyxis: .*(?:container-mounts|mount entry).*(?:invalid|does not exist)",
            r"error mounting \"(?P<mount>[^\"]+)\"",
            r"^(?:FATAL: +)?container creation failed: .*mount",
            r"enroot-mount: (?:failed|invalid)",
            (
                r"pyxis: (?:--container-mounts: |could not add mount entry: |mount (?:source|"
                r"target) must)"
            ),
            r"bind source path does not exist: ?(?P<mount>\S+)",
            r"^(?:Error: )?statfs (?P<mount>\S+): no such file or directory",
        ),
        lines=(
            (
                "FATAL:   container creation failed: mount hook function failure: mount "
                "/lustre/c->/c error: while mounting /lustre/c: mount source /lustre/c doesn't "
                "exist"
            ),
            "srun: error: pyxis: could not add mount entry: data:/data",
        ),
        actions=(Action.RESUBMIT_MOUNTS,),
    ),
    Rule(
        label="container-hook-failed",
        group=_GROUP,
        title="A start hook of the container runtime failed on the node.",
        remedy="Exclude the node and report it; recreate a named container whose files are at "
        "fault.",
        patterns=(
            r"hooks\.d/\S+ exited with return code",
            r"nvidia-container-cli: ",
            r"could not select device driver .*gpu",
            r"error running (?:\w+ )?hook #?\d",
        ),
        actions=(Action.EXCLUDE_NODE, Action.TELL_ADMIN),
        transient=True,
        strength=Strength.FAULT,
    ),
    Rule(
        label="container-runtime-setup",
        group=_GROUP,
        title="The container runtime is not usable on the node for this user.",
        remedy="Administrators must repair it; set ENROOT_*_PATH to folders you may write, or use "
        "another node meanwhile.",
        patterns=(
            (
                r"pyxis: +mkdir: cannot create directory .*: (?:Permission|Read-only|Not a dir|No "
                r"such|File ex)"
            ),
            r"mkdir: cannot create directory .*(?:enroot|pyxis).*: Permission denied",
            r"pyxis: +tar \(child\): /\S+: ",
            r"[Cc]ould not (?:open|create|write).*(?:enroot|pyxis).*cache",
            r"cache file: Permission denied",
            r"enroot-nsenter: failed to",
            r"enroot: command not found|execve\(\): enroot",
            r"spank_pyxis\.so: (?:Plugin|Cannot|cannot|Dlopen|dlopen)",
            r"sbatch: unrecognized option '--container|srun: unrecognized option '--container",
            r"^(?:sbatch|srun|salloc): unrecognized option '--(?:container|no-container)",
            (
                r"pyxis: (?:couldn't|unable to|failed to) (?:create|open|chown|"
                r"mkdir).*(?:director|runtime|/run/)"
            ),
            r"kernel\.unprivileged_userns_clone|user\.max_user_namespaces",
            r"enroot-(?:nsenter|aufs2ovlfs|mksquashovlfs|unshare): ",
            r"enroot-switchroot: failed to (?:switch|set|create|mount|register)",
            r"pyxis: couldn't mkdir ",
            r"pyxis: seccomp filter failed",
            (
                r"\[ERROR\] Command not found: (?:mksquashfs|unsquashfs|squashfuse|fuse-overlayfs|"
                r"curl|jq|parallel|zstd|flock|mountpoint)"
            ),
            r"Could not acquire rootfs lock",
            # Apptainer
            r"[Cc]ould not write info to setgroups|event for user namespace mappings",
            r"[Ff]ailed to (?:create container process|set mount propagation|unshare)\b",
            r"failed to exec fusermount|fusermount3?: (?:mount failed|fuse device not found)",
            (
                r"pyxis: (?:couldn't|could not|unable to|failed to) (?:get|read|join|set|chdir|"
                r"stat|lock|copy|allocate|register|execute|wait|import job)\b"
            ),
            r"pyxis: (?:couldn't|could not) create (?:enroot|in-memory|temporary|cache)",
            r"[Cc]ontainer runtime not configured or invalid",
        ),
        lines=(
            "slurmstepd: error: pyxis:     [ERROR] Command not found: mksquashfs",
            "slurmstepd: error: pyxis: couldn't get list of existing container filesystems",
            (
                "slurmstepd: error: pyxis:     enroot-switchroot: failed to switch root: "
                "/raid/enroot/x: Invalid argument"
            ),
        ),
        actions=(Action.EXCLUDE_NODE, Action.TELL_ADMIN),
    ),
    Rule(
        label="container-start-failed",
        group=_GROUP,
        title="The image was unpacked, but its first program cannot be executed.",
        remedy="Use an image that fits the node (architecture, shell), or "
        "--no-container-entrypoint.",
        patterns=(
            r"enroot-switchroot: failed to execute: ",
            r"exec (?:user process caused|container process).*(?:format error|no such file)",
            r"executable file not found in \$PATH",
            r"exec \S+: (?:exec format error|no such file or directory)",
            r"cannot execute binary file: Exec format error",
            r"/etc/rc: line \d+: ",
            r"^stat /\S+: no such file or directory$",
            r"image's architecture .*(?:could not run|does not match)|requested image's platform",
        ),
        lines=("/opt/conda/bin/python: cannot execute binary file: Exec format error",),
        actions=(Action.RESUBMIT_IMAGE,),
    ),
    Rule(
        label="container-name-missing",
        group=_GROUP,
        title="The container[ {container}] is not on the node, and no image is given.",
        remedy="Add --container-image.",
        patterns=(
            (
                r"a container with name \"(?P<container>[^\"]*)\" does not exist, and "
                r"--container-image"
            ),
            r"[Nn]o such container(?: file or directory)?: ",
            r"[Nn]o container with name or ID \"(?P<container>[^\"]+)\" found",
        ),
        actions=(Action.RESUBMIT_IMAGE,),
    ),
    Rule(
        label="container-docker-socket",
        group=_GROUP,
        title="The Docker daemon cannot be reached or may not be used.",
        remedy="Use an image of a registry or a .sqsh file.",
        patterns=(
            r"permission denied while trying to connect to the [Dd]ocker (?:daemon socket|API)",
            r"failed to connect to the docker API",
            r"Cannot connect to the Docker daemon",
            r"dial unix /var/run/docker\.sock",
        ),
        actions=(Action.RESUBMIT_IMAGE,),
    ),
)
