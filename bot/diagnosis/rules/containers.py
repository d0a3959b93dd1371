"""enroot, pyxis and the images they start."""

from __future__ import annotations

from bot.diagnosis.rule import Action, Rule, Strength

_GROUP = "container"

RULES = (
    Rule(
        label="container-no-token",
        group=_GROUP,
        title="gcloud gives no access token for the registry.",
        remedy="Somebody must run `gcloud auth login` on the login node, in a terminal; then "
        "build the image again.",
        patterns=(r"^image build: no access token from gcloud",),
        actions=(Action.RERUN_SAME,),
    ),
    Rule(
        label="container-image-reference",
        group=_GROUP,
        title="The registry has no such image or tag.",
        remedy="Look at the name and the tag; nothing that is there was touched.",
        patterns=(
            (
                r"URL https://(?:nvcr\.io|gcr\.io|[\w-]+\.gcr\.io|[\w-]+\.pkg\.dev)/v2/"
                r"\S+/manifests/\S+ returned error code: 404"
            ),
        ),
        actions=(Action.RESUBMIT_IMAGE,),
    ),
    Rule(
        label="container-image-auth",
        group=_GROUP,
        title="The cluster's Google account may not read this image.",
        remedy="`gcloud auth list` on the login node shows the account; it needs the role Artifact "
        "Registry Reader on the repository. Then run this again.",
        patterns=(
            (
                r"URL https://(?:gcr\.io|[\w-]+\.gcr\.io|[\w-]+\.pkg\.dev)/\S+ returned "
                r"error code: 40[13]"
            ),
        ),
        actions=(Action.SET_SECRET, Action.RERUN_SAME),
    ),
    Rule(
        label="container-registry-unknown",
        group=_GROUP,
        title="The node does not find the registry {host}.",
        remedy="Look at its name; a node without internet needs a registry that it can reach.",
        patterns=(r"^curl: \(6\) Could not resolve host: (?P<host>[\w-]+(?:\.[\w-]+)+)$",),
    ),
    Rule(
        label="container-image-reference",
        group=_GROUP,
        title="The image is named in a way that enroot takes for another registry's.",
        remedy="Write HOST#path/image:tag, or the absolute path of the .sqsh file; the refusal "
        "does not mean missing credentials.",
        patterns=(
            r"registry-1\.docker\.io/v2/(?:library/)?[\w-]+(?:\.[\w-]+)+[/:]",
            r"importing docker image: [^/.\s]\S*\.(?:sqsh|squashfs)",
            r"registry-1\.docker\.io/v2/\S*\.(?:sqsh|squashfs|sif|img)\b",
            r"registry-1\.docker\.io/v2/[^/\s]*(?:docker|http|https):",
            r"Invalid image reference",
            r"Could not resolve host: (?:docker|dockerd|https?|docker-archive)\b",
            r"[Nn]o such file or directory: \S+\.(?:sqsh|squashfs)",
            r"image (?:format|scheme) not (?:supported|recognized)",
            r"Image not found: ",
            r"returned error code: 404",
            r"manifest (?:for \S+ not found|unknown)",
            r"FATAL: +could not open image",
            r"docker: invalid reference format",
        ),
        actions=(Action.RESUBMIT_IMAGE,),
    ),
    Rule(
        label="container-rate-limit",
        group=_GROUP,
        title="The registry's pull limit is used up.",
        remedy="Use registry credentials or an image that is on the cluster already, or try later.",
        patterns=(
            r"returned error code: 429",
            r"toomanyrequests",
            r"You have reached your (?:un)?(?:authenticated )?pull rate limit",
        ),
        actions=(Action.RERUN_SAME, Action.RESUBMIT_IMAGE),
        transient=True,
    ),
    Rule(
        label="container-image-auth",
        group=_GROUP,
        title="The registry refuses the image for want of credentials.",
        remedy="Put valid registry credentials into enroot's credentials file and resubmit.",
        patterns=(
            r"returned error code: 40[13]",
            r"unauthorized: (?:authentication required|access)",
            r"pull access denied for",
            r"denied: (?:requested access|Permission|Unauthenticated)",
            r"Authentication (?:is required|failed) for .*(?:registry|nvcr|docker)",
        ),
        actions=(Action.SET_SECRET,),
    ),
    Rule(
        label="container-no-space",
        group=_GROUP,
        title="There is no room where the image is unpacked.",
        remedy="Free space where the image is written. Where temporary files are what fills the "
        "disk, point ENROOT_CACHE_PATH, ENROOT_DATA_PATH and ENROOT_TEMP_PATH to a larger one, or "
        "import the image once to shared storage and use the .sqsh file.",
        patterns=(
            r"Write failed because No space left on device",
            (
                r"(?:hooks\.d|enroot|unsquashfs|mksquashfs|pyxis|squashfs-root)\S*.*No space left "
                r"on device"
            ),
            r"FATAL ERROR: .*(?:write|Failed to write).*(?:No space|output block)",
            r"/run/(?:user|enroot|pyxis)\S*: No space left on device",
            r"failed to copy .*/(?:squashfs|enroot)\S*.*No space left",
            r"(?i)FATAL: .*no space left on device",
        ),
        actions=(Action.RESUBMIT_IMAGE, Action.TELL_ADMIN),
    ),
    Rule(
        label="container-squashfs-corrupt",
        group=_GROUP,
        title="The image file is damaged or incomplete.",
        remedy="Import or copy the image again to a fresh path, from one node only.",
        patterns=(
            r"Can't find a (?:valid )?SQUASHFS superblock",
            r"unsquashfs: .*(?:corrupt|read_block|failed to read|Bad)",
            (
                r"FATAL ERROR: ?(?:failed to read|read_\w+: failed|File system corrupt\w*|Failed "
                r"to read)"
            ),
            r"squashfs.*(?:zlib|xz|lzo|lz4|zstd) (?:uncompress|decompression) failed",
            r"SQUASHFS error: ",
            r"^image build: what enroot made is not whole",
        ),
        actions=(Action.RESUBMIT_IMAGE,),
    ),
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
            r"FATAL: .*container creation failed: .*mount",
            r"bind source path does not exist: ?(?P<mount>\S+)",
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
            r"pyxis: +mkdir: cannot create directory",
            r"mkdir: cannot create directory .*(?:enroot|pyxis).*: Permission denied",
            r"pyxis: +tar \(child\): /\S+: ",
            r"failed to create user namespace",
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
            r"enroot-\w+: failed to (?:set capabilities|create|unshare|mount overlay)",
            r"pyxis: couldn't mkdir ",
            r"pyxis: seccomp filter failed",
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
        ),
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
        ),
        actions=(Action.RESUBMIT_IMAGE,),
    ),
    Rule(
        label="container-docker-socket",
        group=_GROUP,
        title="The Docker daemon cannot be reached or may not be used.",
        remedy="Use an image of a registry or a .sqsh file.",
        patterns=(
            r"permission denied while trying to connect to the Docker daemon socket",
            r"Cannot connect to the Docker daemon",
            r"dial unix /var/run/docker\.sock",
        ),
        actions=(Action.RESUBMIT_IMAGE,),
    ),
)
