"""The configuration is read whole, or every wrong key is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.config import load
from bot.errors import ConfigError
from bot.settings import SLACK_API, Settings

EXAMPLE = Path(__file__).parents[3] / "sbatchat.example.toml"
TOKENS = {"SLACK_BOT_TOKEN": "xoxb-1-secretvalue", "SLACK_APP_TOKEN": "xapp-1-secretvalue"}


def read(folder: Path, text: str, slack: dict[str, str] | None = None) -> Settings:
    file = folder / "sbatchat.toml"
    file.write_text(text, encoding="utf-8")
    environment = TOKENS if slack is None else slack
    return load({**environment, "SBATCHAT_CONFIG": str(file)})


def refusal(folder: Path, text: str, slack: dict[str, str] | None = None) -> str:
    with pytest.raises(ConfigError) as error:
        read(folder, text, slack)
    return str(error.value)


def test_the_example_is_usable_once_its_files_are_there(tmp_path: Path) -> None:
    for name in ("id_ed25519", "known_hosts"):
        (tmp_path / name).touch()
    settings = read(tmp_path, EXAMPLE.read_text(encoding="utf-8").replace("~/.ssh/", ""))
    alice = settings.clusters["alice"]
    assert alice.host == "login.example.org"
    assert alice.key == tmp_path / "id_ed25519"
    assert alice.site.nemo_dir == "~/vertex-oss-training/nemo"
    assert alice.site.slurm_types == {"a3m": "hcc-a3m", "a3u": "hcc-a3u"}
    assert alice.all_roots == (
        "~",
        "/gcs",
        "~/vertex-oss-training/nemo",
        "~/vertex-oss-training/nemo_rl",
    )
    assert settings.cluster_of("C0123ABCD") == "alice"
    assert settings.ask_above("alice") == 100.0
    assert settings.slack.socket_mode
    assert settings.slack.api_url == SLACK_API


def test_the_examples_comments_are_options_that_exist(tmp_path: Path) -> None:
    """Uncommented, the example is still understood."""
    text = EXAMPLE.read_text(encoding="utf-8").replace("~/.ssh/", "")
    for name in ("id_ed25519", "id_ed25519-cert.pub", "known_hosts"):
        (tmp_path / name).touch()
    (tmp_path / "wandb-key").write_text("0123456789abcdef")
    (tmp_path / "wandb-key").chmod(0o600)
    lines = text.splitlines()
    begun = lines.index("[store]")
    freed = [line.removeprefix("# ") if _is_option(line) else line for line in lines[begun:]]
    joined = "\n".join(freed).replace('"22",\n#     ', '"22",\n')
    settings = read(tmp_path, joined)
    assert settings.clusters["alice"].agent
    assert settings.ask_above("alice") == 500.0
    assert settings.clusters["alice"].proxy_command[0] == "gcloud"
    assert set(settings.secrets_of("alice")) == {"HF_TOKEN", "WANDB_API_KEY"}


def _is_option(line: str) -> bool:
    return line.startswith("# ") and line.split()[2:3] == ["="]


MINIMAL = '[clusters.alice]\nhost = "h"\nknown_hosts = "sbatchat.toml"\n'


def test_a_cluster_needs_little_more_than_a_host(tmp_path: Path) -> None:
    alice = read(tmp_path, MINIMAL).clusters["alice"]
    assert (alice.port, alice.tick_fast, alice.tick_slow) == (22, 5.0, 60.0)
    assert alice.allow.users == ()
    assert alice.allow.channels == ()


def test_one_cluster_is_the_default_and_several_are_not(tmp_path: Path) -> None:
    assert read(tmp_path, MINIMAL).cluster_of("C9") == "alice"
    two = MINIMAL + MINIMAL.replace("alice", "bob")
    assert read(tmp_path, two).cluster_of("C9") == ""


WRONG = """
[store]
url = "mysql://bot:hunter2@db/x"
[clusters.alice]
host = 5
prot = 22
tick_fast = "soon"
roots = ["home"]
slurm_types = { a3u = "v100" }
port = 99999
proxy_command = "ssh -W"
[clusters.alice.alow]
users = []
[clusters.alice.allow]
users = ["ana"]
[clusters.alice.nemo]
cachedir = "x"
[clusters."b b"]
host = "x"
[policcy]
[channels.general]
cluster = "alice"
"""


def test_every_wrong_key_is_named_at_once(tmp_path: Path) -> None:
    said = refusal(tmp_path, WRONG, {"SLACK_API_URL": "http://x/api"})
    lines = {line.strip().partition(":")[0]: line for line in said.splitlines()[1:]}
    assert set(lines) == {
        "store.url",
        "clusters.alice.host",
        "clusters.alice.prot",
        "clusters.alice.tick_fast",
        "clusters.alice.roots.0",
        "clusters.alice.slurm_types.a3u",
        "clusters.alice.port",
        "clusters.alice.proxy_command",
        "clusters.alice.alow",
        "clusters.alice.allow.users.0",
        "clusters.alice.nemo.cachedir",
        "clusters.b b",
        "policcy",
        "channels.general",
        "SLACK_API_URL",
        "SLACK_BOT_TOKEN",
        "SLACK_APP_TOKEN",
    }
    assert "Did you mean `port`" in lines["clusters.alice.prot"]
    assert "Did you mean `allow`?" in lines["clusters.alice.alow"]
    assert "Did you mean `cache_dir`?" in lines["clusters.alice.nemo.cachedir"]
    assert "Did you mean `policy`?" in lines["policcy"]
    assert "`/api/`" in lines["SLACK_API_URL"]
    assert "hunter2" not in said
    assert "Input should" not in said


def test_contradictions_are_found(tmp_path: Path) -> None:
    text = MINIMAL + 'key = "nowhere"\ntick_slow = 1.0\n[channels.C1]\ncluster = "alcie"\n'
    assert "clusters.alice: `tick_fast` is longer than `tick_slow`" in refusal(tmp_path, text)
    said = refusal(tmp_path, text.replace("tick_slow = 1.0\n", ""))
    assert "channels.C1.cluster: there is no `alcie`. Did you mean `alice`?" in said
    assert f"clusters.alice.key: there is no file {tmp_path / 'nowhere'}" in said


@pytest.mark.parametrize(
    ("slack", "key"),
    [
        ({}, "SLACK_BOT_TOKEN"),
        ({"SLACK_BOT_TOKEN": "xoxb-1"}, "SLACK_APP_TOKEN"),
        ({"SLACK_BOT_TOKEN": "xapp-1", "SLACK_APP_TOKEN": "xapp-1"}, "SLACK_BOT_TOKEN"),
        ({"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xoxb-1"}, "SLACK_APP_TOKEN"),
    ],
)
def test_missing_or_swapped_tokens_are_named(
    tmp_path: Path, slack: dict[str, str], key: str
) -> None:
    assert f"\n  {key}: " in refusal(tmp_path, MINIMAL, slack)


def test_a_signing_secret_stands_for_the_app_token(tmp_path: Path) -> None:
    slack = {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_SIGNING_SECRET": "abc"}
    assert not read(tmp_path, MINIMAL, slack).slack.socket_mode


def test_tokens_are_not_asked_of_what_needs_no_slack(tmp_path: Path) -> None:
    file = tmp_path / "sbatchat.toml"
    file.write_text(MINIMAL, encoding="utf-8")
    assert load({"SBATCHAT_CONFIG": str(file)}, slack=False).slack.bot_token is None


def test_tokens_do_not_belong_in_the_file(tmp_path: Path) -> None:
    said = refusal(tmp_path, MINIMAL + '[slack]\nbot_token = "xoxb-2-other"\n')
    assert "slack: does not belong in the file" in said
    assert "xoxb-2-other" not in said


def test_secrets_are_known_to_the_redactor_and_shown_nowhere(tmp_path: Path) -> None:
    store = '[store]\nurl = "postgresql://bot:hunter2hunter2@db/x"\n'
    settings = read(tmp_path, MINIMAL + store)
    assert set(settings.secret_values) == {*TOKENS.values(), "hunter2hunter2"}
    assert "secretvalue" not in repr(settings)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "There is no configuration at"),
        (b"[clusters\n", "is not TOML"),
        (b"\xff\xfe", "is not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(
    tmp_path: Path, content: bytes | None, said: str
) -> None:
    file = tmp_path / "sbatchat.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match=said):
        load({"SBATCHAT_CONFIG": str(file)})


def test_a_folder_in_place_of_the_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load({"SBATCHAT_CONFIG": str(tmp_path)})


def test_a_secret_comes_from_the_environment_or_a_private_file(tmp_path: Path) -> None:
    file = tmp_path / "wandb-key"
    file.write_text("0123456789abcdef\n")
    file.chmod(0o600)
    said = """
[secrets]
HF_TOKEN = { env = "MY_HF_TOKEN" }
WANDB_API_KEY = { file = "wandb-key" }
NGC_API_KEY = { env = "NGC_API_KEY" }
[clusters.alice.secrets]
HF_TOKEN = { env = "ALICES" }
"""
    environment = {**TOKENS, "MY_HF_TOKEN": "hf_everybodys", "ALICES": "hf_alices"}
    settings = read(tmp_path, MINIMAL + said, environment)
    held = settings.secrets_of("alice")
    values = {name: one.value.get_secret_value() for name, one in held.items() if one.value}
    assert values == {"HF_TOKEN": "hf_alices", "WANDB_API_KEY": "0123456789abcdef"}
    assert "NGC_API_KEY" in held["NGC_API_KEY"].source
    assert {"hf_everybodys", "hf_alices", "0123456789abcdef"} < set(settings.secret_values)
    assert "hf_alices" not in repr(settings)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('HF_TOKEN = "hf_secretvalue1"', "secrets.HF_TOKEN: is not a place"),
        ('HF_TOKEN = { value = "hf_secretvalue1" }', "secrets.HF_TOKEN: is not a place"),
        ('HF_TOKEN = { env = "A", file = "hf_secretvalue1" }', "secrets.HF_TOKEN: is not a place"),
        ("HF_TOKEN = {}", "secrets.HF_TOKEN: is not a place"),
        ('hf-token = { env = "A" }', "not possible as the name of a secret"),
        ('HF_TOKEN = { file = "none" }', "there is no file"),
        ('HF_TOKEN = { file = "open" }', "may be read by others. `chmod 600"),
        ('HF_TOKEN = { file = "empty" }', "is empty"),
        ('HF_TOKEN = { file = "words" }', "does not hold one word"),
        ('HF_TOKEN = { env = "WORDS" }', "does not hold one word"),
    ],
)
def test_a_secret_that_cannot_be_used_is_named_and_not_shown(
    tmp_path: Path, written: str, said: str
) -> None:
    for name, text in {"open": "x", "empty": "\n", "words": "hf_secretvalue1 more"}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o644 if name == "open" else 0o600)
    environment = {**TOKENS, "WORDS": "hf_secretvalue1\nmore"}
    found = refusal(tmp_path, f"{MINIMAL}[secrets]\n{written}\n", environment)
    assert said in found
    assert "hf_secretvalue1" not in found
