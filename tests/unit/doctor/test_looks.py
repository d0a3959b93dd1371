"""Each thing that can be wrong with a login node is named, with what to do about it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.cluster.slurm.text import RECORD, UNIT
from bot.cluster.survey import PROGRAMS, Survey, Told
from bot.doctor.check import Check
from bot.doctor.looks import CHECKS, image
from bot.settings import ClusterSettings

CONFIG = """\
Configuration data as of 2026-03-02T10:00:00
AccountingStorageType   = accounting_storage/slurmdbd
AccountingStoreFlags    = job_comment
ClusterName             = alice
EnforcePartLimits       = NO
MinJobAge               = 300 sec
SLURM_VERSION           = 22.05.8
"""


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
        "commit": "abc1234",
        "nemo-run": "0.11.1",
        "image": "",
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
    found = checks(survey(), settings(nemo={"dir": "~/nemo", "image": "nemo.sqsh"}))
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
        "image",
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
    assert "~/venv/bin/python -m pip install nemo-run" in failing["alice: NeMo-Run"].fix
    assert "/gcs/x.sqsh" in failing["alice: image"].detail


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
