"""The configuration of the demo's bot, written the way an administrator would."""

from __future__ import annotations

import json
from pathlib import Path

from bot.demo.cluster import ClusterAddress
from bot.demo.slack.workspace import ADMIN, ADMINS, RESEARCHER, TRAINING

CLUSTER = "alice"
ASK_ABOVE = 8.0
"""GPU-hours; two nodes for an hour are 16, so the demo shows both ways."""


def settings_file(
    address: ClusterAddress,
    *,
    database: Path,
    users: tuple[str, ...] = (RESEARCHER,),
    channels: tuple[str, ...] = (TRAINING,),
    ask_above: float = ASK_ABOVE,
) -> str:
    """Return the TOML that points a bot at an embedded cluster."""
    return f"""\
[store]
url = {_text(f"sqlite:///{database}")}

[policy]
ask_above_gpu_hours = {ask_above}

[admins]
channel = {_text(ADMINS)}

[secrets]
HF_TOKEN = {{ file = {_text(str(address.beyond.hf_token))} }}
WANDB_API_KEY = {{ file = {_text(str(address.beyond.wandb_key))} }}

[services]
hugging_face = {_text(address.beyond.hugging_face)}
wandb = {_text(address.beyond.wandb)}

[clusters.{CLUSTER}]
host = {_text(address.host)}
port = {address.port}
user = {_text(address.user)}
key = {_text(str(address.key))}
known_hosts = {_text(str(address.known_hosts))}
account = {_text(address.account)}
roots = ["~", {_text(address.images)}, {_text(address.cache)}, {_text(address.gcs)}]
tick_fast = 1.0
tick_slow = 10.0

[clusters.{CLUSTER}.nemo]
dir = {_text(address.workdir)}
images = {_text(address.images)}
image = "nemo-20250721.sqsh"
cache_dir = {_text(address.cache)}
tokenizer_source = {_text(address.tokenizer_url)}

[clusters.{CLUSTER}.nemo_rl]
dir = {_text(address.nemo_rl)}
image = "nemo_rl-h20260302.sqsh"

[clusters.{CLUSTER}.images]
region = {_text(address.beyond.zone)}
mount = {_text(address.gcs)}

[clusters.{CLUSTER}.slurm_types]
a3m = "hcc-a3m"
a3u = "hcc-a3u"

[clusters.{CLUSTER}.allow]
users = {json.dumps(users)}
channels = {json.dumps(channels)}
operators = {_text_list(ADMIN)}
"""


def _text(value: str) -> str:
    # A JSON string is a TOML string.
    return json.dumps(value)


def _text_list(*values: str) -> str:
    return json.dumps(values)
