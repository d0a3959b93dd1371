"""What the cluster reaches beyond itself: each stand-in works, and fails as documented."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from bot.demo.cluster import EmbeddedCluster
from bot.demo.cluster.process import run
from tests.cluster_fixture import Person

BUCKET = "vmds-containers-us"
NEMO = f"{BUCKET}/vmds_nemo_squashfs/nemo-20250721.sqsh"
RECIPES = "https://vertex-model-garden.googlesource.com/vertex-oss-training"
CUSTOM = "docker://us-docker.pkg.dev#alice-training/images/nemo-custom:25.07"
NOBODY = "CLOUDSDK_CONFIG=$HOME/nobody"


async def failed(person: Person, command: str) -> str:
    """What a command says that must fail."""
    done = await person.ssh(command, check=False)
    assert done.returncode == 1, done
    return done.stderr


async def said(person: Person, command: str) -> str:
    """What a command prints that must succeed."""
    return (await person.ssh(command)).stdout


async def test_gcloud_knows_who_is_logged_in(alice: Person) -> None:
    """As its own commands say, in the forms that scripts read."""
    listed = await said(alice, "gcloud auth list --filter=status:ACTIVE --format='value(account)'")
    assert listed == "alice@example.com\n"
    assert "*       alice@example.com" in await said(alice, "gcloud auth list")
    assert await said(alice, "gcloud config get-value account") == listed
    assert (await said(alice, "gcloud auth print-access-token")).startswith("ya29.")


async def test_gcloud_without_an_account_says_what_to_do(alice: Person) -> None:
    """The token, the copy and the login each in gcloud's words."""
    told = await failed(alice, f"{NOBODY} gcloud storage cp gs://{NEMO} nemo")
    first = "ERROR: (gcloud.storage.cp) You do not currently have an active account selected."
    assert told.splitlines()[0] == first
    assert "$ gcloud auth login" in await failed(alice, f"{NOBODY} gcloud auth print-access-token")
    assert "non-interactive" in await failed(alice, "gcloud auth login </dev/null")
    nobody = await alice.ssh(f"{NOBODY} gcloud config get-value account")
    assert (nobody.stdout, nobody.stderr) == ("", "(unset)\n")


async def test_a_credential_that_was_revoked_gives_no_token(alice: Person) -> None:
    """The service refuses it, not the program."""
    revoked = '{"alice@example.com": "1//revoked"}'
    await alice.ssh(f"cp -r .config/gcloud revoked; echo '{revoked}' >revoked/credentials.json")
    told = await failed(alice, "CLOUDSDK_CONFIG=$HOME/revoked gcloud auth print-access-token")
    assert "There was a problem refreshing your current auth tokens: ('invalid_grant" in told


async def test_an_object_is_copied_while_one_looks_on(alice: Person) -> None:
    """To a file beside the wished one, which takes its name when it is whole."""
    copy = asyncio.create_task(said(alice, f"gcloud storage cp gs://{NEMO} here.sqsh"))
    growing = "until [ -s here.sqsh_.gstmp ]; do sleep 0.1; done; ls here.sqsh"
    assert "No such file" in (await alice.ssh(growing, check=False)).stderr
    assert not copy.done()
    await copy
    assert await said(alice, f"cmp here.sqsh /gcs/{NEMO} && ls here.sqsh*") == "here.sqsh\n"
    listed = await said(alice, f"gcloud storage ls -l gs://{NEMO}")
    assert listed.split()[0] == await said(alice, "stat -c %s here.sqsh | tr -d '\\n'")


async def test_objects_that_cannot_be_had(alice: Person) -> None:
    """Each with its own reason."""
    copy = "gcloud storage cp gs://{} x".format
    assert await failed(alice, copy(f"{BUCKET}/none")) == (
        "ERROR: (gcloud.storage.cp) The following URLs matched no objects or files:\n"
        f"-gs://{BUCKET}/none\n"
    )
    internal = await failed(alice, copy(f"{BUCKET}/vmds_nemo_squashfs/nemo-internal.sqsh"))
    assert "does not have storage.objects.get access to the Google Cloud Storage object" in internal
    outside = await failed(alice, copy("vmds-containers-restricted/nemo.sqsh"))
    assert "403: Request is prohibited by organization's policy. vpcServiceControls" in outside
    assert "gs://nowhere not found: 404" in await failed(alice, copy("nowhere/nemo.sqsh"))


async def test_the_mounted_buckets(cluster: EmbeddedCluster, alice: Person) -> None:
    """Objects can be read by their names; one is cut short."""
    gcs = cluster.address.gcs
    folder = f"{gcs}/{BUCKET}/vmds_nemo_squashfs"
    whole = int(await said(alice, f"stat -c %s {folder}/nemo-20250721.sqsh"))
    assert await said(alice, f"head -c 4 {folder}/nemo-20250721.sqsh") == "hsqs"
    assert int(await said(alice, f"stat -c %s {folder}/nemo-truncated.sqsh")) < whole
    if cluster.address.user != "root":  # to whom nothing is closed
        unreadable = await alice.ssh(f"test -r {folder}/nemo-internal.sqsh", check=False)
        assert unreadable.returncode == 1
    if cluster.address.other is not None:  # otherwise the folder is the account's own
        assert (await alice.ssh(f"ls {gcs}", check=False)).returncode


async def test_ssh_through_the_tunnel(cluster: EmbeddedCluster) -> None:
    """A proxy command for a client outside; a machine that is not there is not found."""
    address, beyond = cluster.address, cluster.address.beyond
    proxy = " ".join(beyond.tunnel())
    argv = ["ssh", "-F", "none", "-i", str(address.key), "-o", f"ProxyCommand={proxy}"]
    argv += ["-o", f"UserKnownHostsFile={address.known_hosts}", "-o", "BatchMode=yes"]
    argv += ["-o", f"HostKeyAlias=[{address.host}]:{address.port}", f"{address.user}@login"]
    environment = {"PATH": "/usr/bin:/bin"}
    done = await run([*argv, "head -c 300000 /dev/zero | wc -c"], environment=environment)
    assert done.stdout.strip() == "300000"
    wrong = [part if part != beyond.machine else "elsewhere" for part in beyond.tunnel()]
    refused = await run(wrong, environment=environment, check=False)
    assert "instances/elsewhere' was not found" in refused.stderr


async def test_the_recipes_want_a_credential(alice: Person) -> None:
    """Git's own words without one; a cookie or a stored password will do."""
    clone = "GIT_TERMINAL_PROMPT=0 git clone -q -b release-allowlist-ga"
    refused = await alice.ssh(f"HOME=/tmp {clone} {RECIPES} /tmp/recipes.$$", check=False)
    assert refused.stderr.strip() == (
        "fatal: could not read Username for 'https://vertex-model-garden.googlesource.com': "
        "terminal prompts disabled"
    )
    await alice.ssh(f"rm -rf by-cookie && {clone} {RECIPES} by-cookie && cd by-cookie/nemo")
    stored = (
        "mkdir -p other && cut -f 7 .gitcookies | sed"
        " 's|/|%2f|g; s|.*|https://git-alice:&@vertex-model-garden.googlesource.com|'"
        " >other/.git-credentials && export HOME=$PWD/other"
        f" && rm -rf other/r && git config --global credential.helper store && {clone} {RECIPES}"
    )
    await alice.ssh(f"{stored} other/r && ls other/r/nemo/run.py")
    wrong = "echo https://a:b@vertex-model-garden.googlesource.com >other/.git-credentials"
    denied = f"{wrong} && export HOME=$PWD/other && {clone} {RECIPES} other/s"
    told = (await alice.ssh(denied, check=False)).stderr
    assert f"fatal: Authentication failed for '{RECIPES}/'" in told


async def test_the_checkout_is_a_clone_that_can_be_updated(alice: Person) -> None:
    """From the documented address."""
    git = "git -C vertex-oss-training"
    assert await said(alice, f"{git} remote get-url origin") == f"{RECIPES}\n"
    await alice.ssh(f"GIT_TERMINAL_PROMPT=0 {git} pull -q --ff-only")
    assert await said(alice, f"{git} status --porcelain") == ""


async def test_nemo_rl_is_cloned_with_its_submodule(alice: Person) -> None:
    """Without it, the submodule's line begins with a minus."""
    rl, status = "https://github.com/NVIDIA-NeMo/RL", "git -C rl submodule status"
    await alice.ssh(f"rm -rf rl && git clone -q {rl} rl")
    assert (await said(alice, status)).startswith("-")
    await alice.ssh("git -C rl submodule update -q --init --recursive")
    assert (await said(alice, status)).startswith(" ")
    assert await said(alice, "git -C rl checkout -q v0.5.0 && cat rl/VERSION") == "0.5.0\n"
    none = await alice.ssh("git clone -q https://github.com/NVIDIA-NeMo/None", check=False)
    assert "repository 'https://github.com/NVIDIA-NeMo/None/' not found" in none.stderr


async def test_nemo_run_can_be_installed(alice: Person) -> None:
    """From its repository into an environment of one's own, where it works."""
    await alice.ssh(
        "python3 -m venv env && env/bin/pip install -q git+https://github.com/NVIDIA/NeMo-Run.git"
    )
    assert "Usage: nemo" in await said(alice, "NO_COLOR=1 COLUMNS=200 env/bin/nemo --help")
    shown = "import nemo_run; print(nemo_run.__version__, nemo_run.__file__)"
    version, file = (await said(alice, f"env/bin/python -c '{shown}'")).split()
    assert version[0].isdecimal()
    assert "/env/lib/" in file


CREDENTIALS = (
    "mkdir -p enroot && echo machine us-docker.pkg.dev login oauth2accesstoken"
    " password $(gcloud auth print-access-token) >enroot/.credentials"
)


async def test_enroot_makes_an_image(alice: Person) -> None:
    """From a private registry, with gcloud's token; never over a file that is there."""
    await alice.ssh(CREDENTIALS)
    order = f"ENROOT_CONFIG_PATH=$HOME/enroot enroot import -o $HOME/custom.sqsh {CUSTOM}"
    await alice.ssh(order)
    assert await said(alice, "head -c 4 custom.sqsh") == "hsqs"
    used = int(await said(alice, "od -An -tu8 -j40 -N8 custom.sqsh"))
    size = int(await said(alice, "stat -c %s custom.sqsh"))
    assert size - 4096 < used <= size
    assert "[ERROR] File already exists: " in await failed(alice, order)
    public = "docker://nvcr.io#nvidia/nemo:25.07"
    await alice.ssh(f"enroot import -o public.sqsh {public} && rm public.sqsh custom.sqsh")


async def test_images_that_cannot_be_made(cluster: EmbeddedCluster, alice: Person) -> None:
    """No token, a token for nothing, no such image, no such registry, not a reference."""
    await alice.ssh(CREDENTIALS)
    known = "ENROOT_CONFIG_PATH=$HOME/enroot "
    order = "enroot import -o x.sqsh docker://us-docker.pkg.dev#alice-training/{}".format
    anonymous = await failed(alice, order("images/nemo-custom:25.07"))
    assert "returned error code: 401 Unauthorized" in anonymous
    missing = await failed(alice, known + order("images/nemo-custom:25.08"))
    assert "/manifests/25.08 returned error code: 404 Not Found" in missing
    secret = await failed(alice, known + order("secret/nemo:1"))
    assert "returned error code: 403 Forbidden" in secret
    elsewhere = "enroot import -o x.sqsh docker://us-docker.pkg.dev/alice-training/x"
    assert "registry-1.docker.io/v2/us-docker.pkg.dev/" in await failed(alice, elsewhere)
    nowhere = await failed(alice, "enroot import -o x.sqsh docker://quay.io#a/b")
    assert "Could not resolve host: quay.io" in nowhere
    nonsense = await failed(alice, "enroot import -o x.sqsh 'docker://us-docker.pkg.dev#{YOUR}'")
    assert "[ERROR] Invalid image reference: docker://us-docker.pkg.dev#{YOUR}" in nonsense
    if cluster.address.other is None:
        pytest.skip("a full disk needs a mount of its own")
    small = f"{cluster.address.home}/small"
    await alice.ssh("mkdir -p small")
    await cluster.run("mount", "-t", "tmpfs", "-o", "size=1m,mode=777", "none", small)
    try:
        told = await failed(alice, known + f"enroot import -o small/x.sqsh {CUSTOM}")
        assert "Write failed because No space left on device" in told
    finally:
        await cluster.run("umount", small)


async def test_tokens_are_known_or_not(cluster: EmbeddedCluster) -> None:
    """Hugging Face and Weights & Biases."""
    beyond = cluster.address.beyond
    token, key = beyond.hf_token.read_text().strip(), beyond.wandb_key.read_text().strip()
    whoami = f"{beyond.hugging_face}/api/whoami-v2"
    assert (await _asked(whoami, f"Bearer {token}"))["name"] == "alice"
    question, viewer = f"{beyond.wandb}/graphql", b'{"query": "query {viewer {username}}"}'
    basic = b64encode(f"api:{key}".encode()).decode()
    found = await _asked(question, f"Basic {basic}", viewer)
    assert found["data"]["viewer"]["username"] == "alice"
    wrong = b64encode(b"api:wrong").decode()
    for url, header, body in ((whoami, "Bearer hf_no", None), (question, f"Basic {wrong}", viewer)):
        with pytest.raises(HTTPError) as refused:
            await _asked(url, header, body)
        assert refused.value.code == 401
        refused.value.close()


async def _asked(url: str, authorization: str, body: bytes | None = None) -> Any:
    request = Request(url, data=body, headers={"Authorization": authorization})  # noqa: S310 - ours

    def ask() -> Any:
        with urlopen(request, timeout=10) as answer:  # noqa: S310 - ours
            return json.load(answer)

    return await asyncio.to_thread(ask)
