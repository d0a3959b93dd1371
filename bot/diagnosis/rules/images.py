"""Images of containers: where they come from, and where they are unpacked."""

from __future__ import annotations

from bot.diagnosis.rule import Action, Rule

_GROUP = "container"

RULES = (
    Rule(
        label="container-runtime-setup",
        group=_GROUP,
        title="The container runtime is not usable on the node for this user.",
        remedy=(
            "Administrators must repair it (user namespaces, loop devices, session folders); use "
            "another node meanwhile."
        ),
        patterns=(
            # before full disks and mounts: "No space left on device" is said of namespaces, too
            r"could not use fakeroot: |cannot find new[ug]idmap: ",
            r"no loop devices available|could not attach image file to loop device",
            r"failed to resolve session directory|while applying cgroups config",
            r"container creation failed: hook function",
            r"pyxis: +[\w-]+: \S*(?:enroot|cache)\S*: Permission denied$",
            r"(?i)failed to (?:create|join|open) (?:a )?(?:new )?(?:user|mount|cgroup) namespace",
            (
                r"not allowed to create user namespace|unprivileged user namespaces? (?:is|are) "
                r"disabled"
            ),
        ),
        lines=(
            (
                "slurmstepd: error: pyxis:     enroot-nsenter: failed to create user namespace: "
                "No space left on device"
            ),
        ),
        actions=(Action.EXCLUDE_NODE, Action.TELL_ADMIN),
    ),
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
            r"image scheme not (?:supported|recognized)|image format not supported",
            r"Image not found: ",
            r"returned error code: 404",
            r"manifest (?:for \S+ not found|unknown)",
            r"could not open image \S+: (?:failed|lstat|open|stat|no such|while|path|image not)",
            r"invalid reference format",
            r"pyxis: +\[ERROR\] Invalid argument: \S*(?:://|\.sqsh)",
            r"failed to resolve reference|not found: manifest unknown|name unknown: ",
            r"repository \S+ not found: does not exist",
        ),
        lines=(
            (
                "FATAL:   could not open image /home/ada/img/nemo.sif: failed to retrieve path for "
                "/home/ada/img/nemo.sif: lstat /home/ada/img/nemo.sif: no such file or directory"
            ),
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
            r"unauthorized: (?:authentication required|access|incorrect)",
            r"The requested URL returned error: 40[13]\b",
            r"pull access denied for|unable to retrieve auth token: ",
            r"denied: (?:requested access|Permission|Unauthenticated|denied)",
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
            r"Failed to write to output filesystem",
            (
                r"(?:hooks\.d|enroot|unsquashfs|mksquashfs|pyxis|squashfs-root)\S*.*No space left "
                r"on device"
            ),
            r"FATAL ERROR: .*(?:write|Failed to write).*(?:No space|output block)",
            r"/run/(?:user|enroot|pyxis)\S*: No space left on device",
            r"failed to copy .*/(?:squashfs|enroot)\S*.*No space left",
            (
                r"^(?i)(?:while (?:making|creating|building|extracting)|unable to build|container "
                r"creation failed).*no space left on device"
            ),
            r"pyxis: .*No space left on device",
            r"\btar: (?:\./)?(?:usr|opt|etc|var|lib\w*|root|home)/\S+: .*No space left on device",
            r"failed to register layer: .*no space left|writing blob: .*no space left",
        ),
        lines=(
            (
                "tar: usr/lib/x86_64-linux-gnu/libcudnn_ops_infer.so.8.9.7: Cannot write: No "
                "space left on device"
            ),
            (
                "FATAL:   While making image from oci registry: error fetching image to cache: "
                "while building SIF from layers: packer failed to pack: copying blob: no space "
                "left on device"
            ),
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
            (
                r"read the squashfs image|bad superblock for squashfs|squashfuse\S* (?:exited "
                r"with|failed)"
            ),
            r"failed to mount squashfs filesystem|image (?:is|file) .*corrupt",
            r"(?:zlib|xz|lzo|lz4|zstd) uncompress failed with error code",
            r"Invalid image format: |image format not recognized",
            r"[Nn]ot a squashfs image|look like a squashfs image|File system corruption detected",
            (
                r"failed to read (?:file system|filesystem|fragment|inode|directory|uid/gid|"
                r"xattr)\w* table"
            ),
            r"enroot: .*Failed to mount: \S+\.sqsh|\[ERROR\] Failed to mount: ",
        ),
        lines=(
            (
                "FATAL:   container creation failed: mount hook function failure: mount "
                "/proc/self/fd/9->/var/apptainer/mnt/session/rootfs error: while mounting image "
                "/proc/self/fd/9: squashfuse_ll exited with status 255: Something went wrong "
                "trying to read the squashfs image."
            ),
            "slurmstepd: error: pyxis:     [ERROR] Invalid image format: /lustre/img/nemo.sqsh",
        ),
        actions=(Action.RESUBMIT_IMAGE,),
    ),
)
