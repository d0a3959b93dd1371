"""What the cluster's programs reach beyond it, and what each login account needs for that.

One daemon answers for all hosts (`site/opt/lib/services`). Git and the stand-in programs reach it
as an HTTPS proxy, so that the addresses of the documentation hold; it knows no other hosts.
"""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.demo.cluster import certificate, images, repositories
from bot.demo.cluster.plan import Plan
from bot.demo.cluster.tree import Tree

_OPT = Path(__file__).parents[1] / "site" / "opt"
HOSTS = (
    "github.com",
    "vertex-model-garden.googlesource.com",
    "oauth2.googleapis.com",
    "huggingface.co",
    "api.wandb.ai",
    "us-docker.pkg.dev",
    "gcr.io",
    "nvcr.io",
    "registry-1.docker.io",
)
GOOGLE_ACCOUNT = "alice@example.com"
PROJECT = "alice-training"
ZONE = "europe-north1-c"
_RATE = 4 << 20
"""Bytes per second of a copy from a bucket, so that one sees it go on."""


@dataclass(frozen=True)
class Admission:
    """The credentials that the services accept; each cluster has its own."""

    git: str
    google: str
    hugging_face: str
    wandb: str
    signing: str

    @classmethod
    def fresh(cls) -> Admission:
        """Make new ones, in the shapes of the real ones."""
        return cls(
            git=f"1//{secrets.token_hex(20)}",
            google=f"1//{secrets.token_hex(30)}",
            hugging_face=f"hf_{secrets.token_hex(17)}",
            wandb=secrets.token_hex(20),
            signing=secrets.token_hex(32),
        )


async def install(
    outside: Tree, tree: Tree, plan: Plan, admission: Admission, *, python: Path
) -> None:
    """Fill the folders of the site's programs, of the services and of the buckets."""
    shutil.copytree(
        _OPT, outside.opt, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
    )
    (outside.opt / "etc").mkdir()
    pem, key = certificate.make(HOSTS)
    (outside.opt / "etc" / "ca.pem").write_bytes(pem)
    (outside.opt / "etc" / "gitconfig").write_text(_gitconfig(tree, plan))
    (outside.opt / "etc" / "site.json").write_text(json.dumps(_site(tree, plan), indent=1))
    services = outside.opt / "services"
    services.mkdir(mode=0o700)
    for name, content in (
        ("certificate.pem", pem),
        ("key.pem", key),
        ("secrets.json", json.dumps(_admitted(admission)).encode()),
    ):
        (services / name).write_bytes(content)
    (packages,) = python.glob("lib/python3*/site-packages")
    await repositories.make(
        services / "git", python=python, packages=str(tree.python / packages.relative_to(python))
    )
    images.fill(outside.gcs)


def furnish(home: Path, admission: Admission) -> None:
    """Give an account what logging in left: Google's, and a cookie for the recipes' git server."""
    host = repositories.RECIPES.partition("/")[0]
    cookie = f"{host}\tFALSE\t/\tTRUE\t2147483647\to\t{admission.git}\n"
    _private(home / ".gitcookies", cookie)
    (home / ".gitconfig").write_text("[http]\n\tcookiefile = ~/.gitcookies\n")
    gcloud = home / ".config" / "gcloud"
    (gcloud / "configurations").mkdir(parents=True)
    (gcloud / "configurations" / "config_default").write_text(
        f"[core]\naccount = {GOOGLE_ACCOUNT}\nproject = {PROJECT}\n[compute]\nzone = {ZONE}\n"
    )
    _private(gcloud / "credentials.json", json.dumps({GOOGLE_ACCOUNT: admission.google}))


def session(tree: Tree, plan: Plan) -> Mapping[str, str]:
    """What sessions find in their environment."""
    url = f"http://127.0.0.1:{plan.ports.services}"
    return {
        "GIT_CONFIG_SYSTEM": f"{tree.opt}/etc/gitconfig",
        "HF_ENDPOINT": f"{url}/huggingface.co",
        "WANDB_BASE_URL": f"{url}/api.wandb.ai",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


def _admitted(admission: Admission) -> dict[str, object]:
    return {
        "git_cookie": admission.git,
        "git_password": admission.git,
        "google": {admission.google: GOOGLE_ACCOUNT},
        "hugging_face": admission.hugging_face,
        "wandb": admission.wandb,
        "signing": admission.signing,
    }


def _gitconfig(tree: Tree, plan: Plan) -> str:
    proxy = f"http://127.0.0.1:{plan.ports.services}"
    return f"[http]\n\tproxy = {proxy}\n\tsslCAInfo = {tree.opt}/etc/ca.pem\n"


def _site(tree: Tree, plan: Plan) -> dict[str, object]:
    """What the stand-in programs know of the site."""
    login = {"project": PROJECT, "zone": ZONE, "ports": {"22": plan.ports.ssh}}
    return {
        "proxy": f"http://127.0.0.1:{plan.ports.services}",
        "buckets": str(tree.gcs),
        "rate": _RATE,
        "forbidden": images.forbidden(),
        "perimeter": [images.PERIMETER],
        "machines": {plan.host: login, "alice-login-0": login},
    }


def _private(path: Path, text: str) -> None:
    path.touch(mode=0o600)
    path.write_text(text)
