"""Each thing that can be wrong with a login node is named, with what to do about it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr

from bot.check import Check
from bot.checks import CHECKS, secrets
from bot.checks.paths import image
from bot.cluster.slurm.text import RECORD, UNIT
from bot.cluster.survey import PROGRAMS, Survey, Told
from bot.cluster_settings import ClusterSettings
from bot.secret import Secret

CONFIG = """\
Configuration data as of 2026-03-02T10:00:00
AccountingStorageType   = accounting_storage/slurmdbd
AccountingStoreFlags    = job_comment
ClusterName             = alice
EnforcePartLimits       = NO
MinJobAge               = 300 sec
SLURM_VERSION           = 22.05.8
"""


COMMIT = "0123456789abcdef0123456789abcdef01234567"


def partition(name: str, up: str = "up") -> str:
    """Return one record as sinfo prints it."""
    fields = (name, up, "infinite", "1:00:00", "2", "idle", "gpu:8")
    return RECORD + "".join(f"{field}{UNIT}" for field in fields)


def survey(**changes: Told) -> Survey:
    """Return a login node on which all is well, but for these looks (`_` stands for `-`)."""
    well = {
        "host": "login-0",
        "user": "alice",
        "now": f"{datetime.now(UTC).timestamp():.0f}",
        "home": "/home/alice",
        "filesystem": "nfs",
        "room": "/dev/vda 100 50 5242880 50% /home",
        "write": "",
        "mode": "700",
        "lock": "",
        "kills": "",
        "lingers": "no",
        "config": CONFIG,
        "partitions": partition("a3m*") + partition("a3u"),
        "launcher": "",
        "nemo-write": "",
        "nemo-room": "/dev/vda 100 50 5242880 50% /home",
        "commit": COMMIT,
        "branch": "release-allowlist-ga",
        "changes": "0",
        "python": "/home/alice/nemo-venv/bin/python",
        "nemo-run": "0.11.1",
        "help": "usage: run.py",
        "image": "12582912 12582912",
        "git": f"{COMMIT}\trefs/heads/release-allowlist-ga",
        "account": "alice@example.com",
        "object-0": "",
        "rl-folder": "",
        "rl-launcher": "",
        "rl-write": "",
        "rl-commit": "1234567",
        "rl-submodules": f" {COMMIT} 3rdparty/Megatron-LM (heads/main)",
        "rl-image": "12582912 12582912",
        **{f"program-{name}": f"/usr/bin/{name}" for name in PROGRAMS},
    }
    told = {name: Told(text, 0) for name, text in well.items()}
    return Survey({**told, **{name.replace("_", "-"): one for name, one in changes.items()}})


def settings(**more: object) -> ClusterSettings:
    """Return a cluster's settings."""
    return ClusterSettings.model_validate({"host": "login", **more})


def checks(seen: Survey, how: ClusterSettings | None = None) -> list[Check]:
    """Return every check of a survey."""
    return [check for look in CHECKS for check in look("alice", how or settings(), seen)]


def test_a_sound_cluster_passes_every_check() -> None:
    """Nothing to do."""
    found = checks(
        survey(),
        settings(nemo={"dir": "~/nemo", "image": "nemo.sqsh"}, images={"region": "us-east4"}),
    )
    assert [check.line for check in found if not check.ok] == []
    assert {check.name.partition(": ")[2] for check in found} == {
        "clock",
        "home",
        "spool folder",
        "programs",
        "logout",
        "Slurm",
        "accounting",
        "partitions",
        "recipes",
        "NeMo-Run",
        "run.py",
        "image",
        "git server",
        "NeMo-RL",
        "NeMo-RL submodules",
        "NeMo-RL image",
        "gcloud",
        "buckets",
    }


WRONG = {
    "a clock that is an hour off": (
        survey(now=Told(str(int((datetime.now(UTC) - timedelta(hours=1)).timestamp())), 0)),
        "clock",
        "NTP",
    ),
    "a full home": (survey(write=Told("sync: No space left on device", 1)), "home", "Make room"),
    "a home that is nearly full": (
        survey(room=Told("/dev/vda 100 50 2048 99% /home", 0)),
        "home",
        "Make room",
    ),
    "a spool that others may read": (survey(mode=Told("755", 0)), "spool folder", "chmod 700"),
    "a home without locks": (
        survey(lock=Told("flock: 9: No locks available", 71)),
        "spool folder",
        "nolock",
    ),
    "no sbatch": (survey(program_sbatch=Told("", 127)), "programs", "slurm_bin"),
    "no flock": (survey(program_flock=Told("", 127)), "programs", "util-linux"),
    "a login node that kills": (survey(kills=Told("yes", 0)), "logout", "enable-linger alice"),
    "a Slurm that is down": (
        survey(
            config=Told("slurm_load_ctl_conf error: Unable to contact slurm controller", 1),
        ),
        "Slurm",
        "scontrol ping",
    ),
    "accounting that is off": (
        survey(config=Told(CONFIG.replace("slurmdbd", "none"), 0)),
        "accounting",
        "slurmdbd",
    ),
    "accounting without comments": (
        survey(config=Told(CONFIG.replace("job_comment", "(null)"), 0)),
        "accounting",
        "AccountingStoreFlags=job_comment",
    ),
    "a Slurm that forgets at once": (
        survey(
            config=Told(CONFIG.replace("slurmdbd", "none").replace("300 sec", "30 sec"), 0),
        ),
        "memory",
        "MinJobAge=120",
    ),
    "partitions that are all down": (
        survey(partitions=Told(partition("a3m", "down"), 0)),
        "partitions",
        "administrators",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_named_with_what_to_do(what: str) -> None:
    """The check that fails is the one that is about it."""
    seen, name, fix = WRONG[what]
    failing = {check.name: check for check in checks(seen) if not check.ok}
    assert f"alice: {name}" in failing
    assert fix in failing[f"alice: {name}"].fix


def test_a_home_that_cannot_be_written_is_told_once() -> None:
    """Its spool folder fails for the same reason."""
    seen = survey(write=Told("mkdir: Permission denied", 1), mode=Told("", 1), lock=Told("", 1))
    assert [check.name for check in checks(seen) if not check.ok] == ["alice: home"]


def test_a_home_that_is_not_known_to_be_shared_is_worth_a_word() -> None:
    """Only the compute nodes could tell for sure."""
    home = next(
        check for check in checks(survey(filesystem=Told("xfs", 0))) if "home" in check.name
    )
    assert home.ok
    assert "compute nodes" in home.detail


def test_what_lingers_is_not_killed() -> None:
    """An account that may linger keeps its processes."""
    seen = survey(kills=Told("yes", 0), lingers=Told("yes", 0))
    assert all(check.ok for check in checks(seen))


def test_configured_partitions_must_be_there() -> None:
    """A mistyped one would refuse every launch."""
    how = settings(default_partition="a3x", slurm_types={"a4": "hcc-a4"})
    failing = [check for check in checks(survey(), how) if not check.ok]
    assert [check.name for check in failing] == ["alice: partitions"]
    assert "a3x, a4" in failing[0].detail
    assert "a3m, a3u" in failing[0].fix


def test_recipes_are_missed_only_where_they_are_configured() -> None:
    """A cluster for batch scripts alone is a sound one."""
    seen = survey(launcher=Told("", 1))
    assert all(check.ok for check in checks(seen))
    failing = [check for check in checks(seen, settings(nemo={"dir": "~/x"})) if not check.ok]
    assert [check.name for check in failing] == ["alice: recipes"]
    assert "~/x/run.py" in failing[0].detail


def test_nemo_run_and_the_image_are_missed() -> None:
    """Recipes alone do not run."""
    gone = "importlib.metadata.PackageNotFoundError: No package metadata was found for nemo_run"
    seen = survey(nemo_run=Told(f"Traceback …\n{gone}", 1), image=Told("", 1))
    how = settings(nemo={"python": "~/venv/bin/python", "image": "x.sqsh", "images": "/gcs"})
    failing = {check.name: check for check in checks(seen, how) if not check.ok}
    assert set(failing) == {"alice: NeMo-Run", "alice: image"}
    assert "/nemo setup" in failing["alice: NeMo-Run"].fix
    assert "/gcs/x.sqsh" in failing["alice: image"].detail


NO_LOGIN = "fatal: could not read Username for 'https://x': terminal prompts disabled"
TRAINING = {
    "a work folder that is closed": ({"nemo_write": Told("", 1)}, "work folder", "write in"),
    "a work folder without room": (
        {"nemo_room": Told("/dev/vda 100 50 2048 99% /home", 0)},
        "work folder",
        "Make room",
    ),
    "a launcher that does not start": (
        {"help": Told("Traceback\nImportError: nemo_run", 1)},
        "run.py",
        "run.py --help",
    ),
    "a launcher that hangs": ({"help": Told("", 124)}, "run.py", "run.py --help"),
    "an image that was cut short": (
        {"image": Told("100 200", 1)},
        "image",
        "/nemo image pull nemo",
    ),
    "an image on its way": ({"image": Told("part", 1)}, "image", "/nemo image pull nemo"),
    "a page in place of an image": ({"image": Told("strange", 1)}, "image", "pull"),
    "no credentials for the recipes": (
        {"git": Told(NO_LOGIN, 128)},
        "git server",
        "https://www.googlesource.com/new-password",
    ),
    "a branch that is gone": ({"git": Told("", 0)}, "git server", "git ls-remote"),
    "a git server that is silent": ({"git": Told("", 124)}, "git server", "reaches it"),
    "nobody logged in at Google Cloud": ({"account": Told("", 0)}, "gcloud", "gcloud auth login"),
    "a bucket that cannot be read": (
        {"object_0": Told("", 1)},
        "buckets",
        "mounts buckets at /gcs",
    ),
    "no NeMo-RL": ({"rl_launcher": Told("", 1)}, "NeMo-RL", "/nemo-rl setup"),
    "a folder of NeMo-RL that is closed": (
        {"rl_write": Told("", 1)},
        "NeMo-RL folder",
        "write in",
    ),
    "empty submodules": (
        {"rl_submodules": Told(f"-{COMMIT} 3rdparty/Megatron-LM\n {COMMIT} b (x)", 0)},
        "NeMo-RL submodules",
        "/nemo-rl setup",
    ),
    "no image for NeMo-RL": ({"rl_image": Told("missing", 1)}, "NeMo-RL image", "pull nemo-rl"),
    "a quota that is used up": (
        {"quota": Told("Disk quotas\n/dev/x 100* 90 95", 1)},
        "quota",
        "Remove what",
    ),
}


@pytest.mark.parametrize("what", TRAINING)
def test_what_training_lacks_is_named_with_what_to_do(what: str) -> None:
    """And nothing else fails for it."""
    changes, name, fix = TRAINING[what]
    how = settings(nemo={"image": "x.sqsh"}, nemo_rl={}, images={"region": "us-east4"})
    failing = {check.name: check for check in checks(survey(**changes), how) if not check.ok}
    assert list(failing) == [f"alice: {name}"]
    assert fix in failing[f"alice: {name}"].fix


def test_a_checkout_that_is_not_the_servers_is_worth_a_word() -> None:
    """It can be launched all the same."""
    seen = survey(changes=Told("2", 0), git=Told(f"{'f' * 40}\trefs/heads/x", 0))
    recipes = next(check for check in checks(seen) if check.name == "alice: recipes")
    assert recipes.ok
    assert "2 files changed here" in recipes.detail
    assert "the server is at fffffff" in recipes.detail


def test_what_is_not_configured_is_not_missed() -> None:
    """No recipes, no NeMo-RL, no images from buckets."""
    gone = dict.fromkeys(("launcher", "rl_launcher", "image", "rl_image", "git"), Told("", 1))
    seen = survey(**gone, account=Told("gcloud: not found", 127), object_0=Told("", 1))
    assert [check.line for check in checks(seen) if not check.ok] == []


def test_without_gcloud_the_mount_will_do() -> None:
    """Either way brings images."""
    how = settings(images={"region": "us-east4"})
    lacks = Told("gcloud: not found", 127)
    assert not [check for check in checks(survey(account=lacks), how) if not check.ok]
    failing = checks(survey(account=lacks, object_0=Told("", 1)), how)
    assert {check.name for check in failing if not check.ok} == {"alice: gcloud", "alice: buckets"}


def test_a_secret_is_there_or_not_and_never_shown() -> None:
    """Each by its name."""
    held = {
        "HF_TOKEN": Secret(source="`HF_TOKEN` in the bot's environment"),
        "WANDB_API_KEY": Secret(source="x", value=SecretStr("0123456789abcdef")),
    }
    absent, present = secrets.checks("alice", held)
    assert not absent.ok
    assert "Put it into HF_TOKEN in the bot's environment" in absent.fix
    assert present.ok
    assert "0123456789abcdef" not in present.line


@pytest.mark.parametrize(
    ("nemo", "path"),
    [
        ({}, ""),
        ({"image": "~/x.sqsh"}, "~/x.sqsh"),
        ({"image": "/gcs/x.sqsh"}, "/gcs/x.sqsh"),
        ({"image": "x.sqsh", "dir": "~/nemo"}, "~/nemo/x.sqsh"),
        ({"image": "x.sqsh", "dir": "~/nemo", "images": "/gcs"}, "/gcs/x.sqsh"),
        ({"image": "old/x.sqsh", "dir": "~/nemo", "images": "/gcs"}, "~/nemo/old/x.sqsh"),
    ],
)
def test_the_image_is_looked_for_where_a_launch_looks(nemo: dict[str, str], path: str) -> None:
    """As `/nemo run` resolves it."""
    assert image(settings(nemo=nemo)) == path


def test_a_failing_check_must_say_what_to_do() -> None:
    """The type sees to it."""
    with pytest.raises(ValueError, match="names no fix"):
        Check("x", ok=False, detail="broken")


def test_a_check_reads_well_in_a_terminal_and_in_a_script() -> None:
    """Both forms say all of it."""
    check = Check("alice: home", ok=False, detail="full", fix="Make room.")
    assert check.line == "FAIL  alice: home: full\n      → Make room."
    assert check.as_json() == {
        "name": "alice: home",
        "ok": False,
        "detail": "full",
        "fix": "Make room.",
    }
