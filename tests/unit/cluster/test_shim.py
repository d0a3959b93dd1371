"""The stand-in for sbatch: what the real one is given, what the caller and the spool get."""

from __future__ import annotations

import os
import resource
import shlex
import shutil
import signal
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from bot.cluster import launch

SIGN = "sbatchat:0123"
REAL = """#!/bin/sh
# A program that says what it was given, as sbatch would answer.
for word; do printf '%s\\n' "$word"; done >"$SAW"
env >"$SAW.env"
[ -z "$READ" ] || cat >"$SAW.stdin"
printf "$OUT"
printf "$ERR" >&2
exit "${STATUS:-0}"
"""
SHELLS = [shell for shell in ("dash", "bash", "busybox") if shutil.which(shell)]


class Seen(NamedTuple):
    """What came of one call."""

    status: int
    out: str
    err: str
    argv: list[str]
    env: dict[str, str]
    spool: Path


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> list[str]:
    """Each shell that may be a login node's /bin/sh."""
    name: str = request.param
    return {"bash": ["bash", "--posix"], "busybox": ["busybox", "sh"]}.get(name, [name])


class Shim:
    """The shim in a spool of its own, before a program that answers as told."""

    def __init__(self, folder: Path, shell: list[str]) -> None:
        self.folder = folder
        self.shell = shell
        self.spool = folder / "spool"
        (self.spool / "bin").mkdir(parents=True)
        (self.spool / "bin" / "sbatch").write_text(launch._SHIM)
        (self.spool / "options").write_text('set -- "$@" \n')
        (folder / "real").write_text(REAL)
        (folder / "real").chmod(0o700)
        (self.spool / "given").write_text(f"sb_sign={SIGN}\nsb_real={folder}/real\n")

    def options(self, *words: str) -> None:
        """Set the scheduler options of the launch."""
        (self.spool / "options").write_text(f'set -- "$@" {" ".join(words)}\n')

    def call(self, *argv: str, stdin: str = "", **env: str) -> Seen:
        """Call sbatch as a launcher does."""
        saw = self.folder / "saw"
        path = f"/before:{self.spool}/bin:{os.environ['PATH']}"
        base = {"PATH": path, "SAW": str(saw), "OUT": "Submitted batch job 7\\n", "ERR": ""}
        done = subprocess.run(
            [*self.shell, f"{self.spool}/bin/sbatch", *argv],
            env={**base, **env},
            cwd=self.folder,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        argv_seen = saw.read_text().split("\n")[:-1] if saw.exists() else []
        lines = Path(f"{saw}.env").read_text().splitlines() if saw.exists() else []
        variables = dict(line.partition("=")[::2] for line in lines)
        return Seen(done.returncode, done.stdout, done.stderr, argv_seen, variables, self.spool)


@pytest.fixture
def shim(tmp_path: Path, shell: list[str]) -> Shim:
    """A shim under one of the shells."""
    return Shim(tmp_path, shell)


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        ("job.sh", "--qos=x job.sh"),
        (
            "--requeue --parsable job.sh --comment theirs",
            "--requeue --parsable --qos=x job.sh --comment theirs",
        ),
        ("--comment='a b' job.sh", "--comment='SIGN a b' --qos=x job.sh"),
        ("--comment 'a b' job.sh", "--comment 'SIGN a b' --qos=x job.sh"),
        ("--comm=c j", "--comment='SIGN c' --qos=x j"),
        ("-p a3m -N2 job.sh", "-p a3m -N2 --qos=x job.sh"),
        ("--partition a3m j", "--partition a3m --qos=x j"),
        ("-M other j", "-M other --qos=x j"),
        ("-vN 2 j", "-vN 2 --qos=x j"),
        ("-s j", "-s --qos=x j"),
        ("-W j", "-W --qos=x j"),
        ("--exclusive j", "--exclusive --qos=x j"),
        ("--no-req j", "--no-req --qos=x j"),
        ("--wait-all-nodes 1 j", "--wait-all-nodes 1 --qos=x j"),
        ("-N 2 -- j x", "-N 2 --qos=x -- j x"),
        ("--wrap='echo hi'", "--wrap='echo hi' --qos=x"),
        ("--wrap 'echo hi'", "--wrap 'echo hi' --qos=x"),
        ("j 'a*' '' ' b '", "--qos=x j 'a*' '' ' b '"),
    ],
)
def test_adds_the_signature_and_the_options_and_nothing_else(
    shim: Shim, given: str, passed: str
) -> None:
    """Options end where the script's name stands; what follows belongs to the script."""
    shim.options("--qos=x")
    first, *rest = shim.call(*shlex.split(given)).argv
    assert first.startswith(f"--comment={SIGN}")
    assert rest == shlex.split(passed.replace("SIGN", SIGN))


@pytest.mark.parametrize(
    ("given", "header", "waits"),
    [
        ("job.sh", "", "afterok:70"),
        ("--requeue --dependency=afterok:75 job.sh", "", "afterok:75,afterok:70"),
        ("--dep afterok:75 job.sh", "", "afterok:75,afterok:70"),
        ("-d afterok:75 job.sh x", "#SBATCH -d singleton", "afterok:75,afterok:70"),
        ("-dsingleton job.sh", "", "singleton,afterok:70"),
        ("job.sh", "#SBATCH --dependency=singleton", "singleton,afterok:70"),
        ("job.sh", "#SBATCH -d singleton", "singleton,afterok:70"),
        ("--wrap=hostname", "", "afterok:70"),
    ],
)
def test_what_the_launcher_waits_for_and_what_we_wait_for_both_hold(
    shim: Shim, given: str, header: str, waits: str
) -> None:
    """sbatch takes the last dependency alone, so ours must repeat theirs."""
    (shim.folder / "job.sh").write_text(f"#!/bin/sh\n{header}\nhostname\n")
    (shim.spool / "options").write_text(launch._options(["--qos=x", "--dependency=afterok:70"]))
    words = shim.call(*shlex.split(given)).argv
    assert [word for word in words if word.startswith("--dependency=")][-1].endswith(f"={waits}")
    script = words.index("job.sh") if "job.sh" in words else len(words)
    assert words[script - 2 : script] == ["--qos=x", f"--dependency={waits}"]


@pytest.mark.parametrize(
    ("header", "comment"),
    [
        ("#SBATCH --comment=mine", "mine"),
        ("#SBATCH --comment mine", "mine"),
        ('#SBATCH --comment="two words" # why', "two words"),
        ("#SBATCH -N 2 --comment='two words' -p a3m", "two words"),
        ("#!/bin/sh\n\n   \n# note\n#SBATCH\t--comment=one\n#SBATCH --comment=last", "last"),
        ("#SBATCH -N 2 # --comment=no", ""),
        ("# SBATCH --comment=no", ""),
        ("echo begins\n#SBATCH --comment=late", ""),
        ("#SBATCH --comment=unended", "unended"),
    ],
)
def test_keeps_a_comment_of_the_script(shim: Shim, header: str, comment: str) -> None:
    """The command line would override the header, so the header's comment joins ours."""
    (shim.folder / "job.sh").write_text(header)
    assert shim.call("job.sh").argv[0] == f"--comment={SIGN} {comment}".rstrip()


def test_reads_the_header_of_a_script_on_standard_input(shim: Shim) -> None:
    """`sbatch <script` works, and its comment is kept too."""
    script = "#!/bin/sh\n#SBATCH --comment=mine\nsleep 1\n"
    seen = shim.call("-N1", stdin=script, READ="1")
    assert seen.argv == [f"--comment={SIGN} mine", "-N1"]
    assert (shim.folder / "saw.stdin").read_text() == script


@pytest.mark.parametrize(
    ("given", "answer", "printed"),
    [
        (["j"], "Submitted batch job 7\\n", "Submitted batch job 7\n"),
        (["--parsable", "j"], "7;alice\\n", "7;alice\n"),
        (["j"], "note\\n7\\n", "note\n7\n"),
        (["j"], "", ""),
        (["--quiet", "j"], "7\\n", ""),
        (["-Q", "j"], "7\\n", ""),
        (["-vQN2", "j"], "7\\n", ""),
    ],
)
def test_hands_the_answer_through(shim: Shim, given: list[str], answer: str, printed: str) -> None:
    """The caller sees what sbatch would have printed; the spool has the id even with --quiet."""
    seen = shim.call(*given, OUT=answer, ERR="sbatch: note\\n", STATUS="3")
    assert (seen.status, seen.out, seen.err) == (3, printed, "sbatch: note\n")
    assert (seen.spool / "1.out").read_text() == answer.replace("\\n", "\n")
    assert (seen.spool / "receipt-1").read_text() == "3\n"
    assert "--quiet" not in seen.argv
    assert ("--parsable" in seen.argv) == (answer == "7\\n" or "--parsable" in given)


@pytest.mark.parametrize("option", ["--test-only", "--help", "--usage", "--version", "-h", "-V"])
def test_asks_without_an_intent_what_submits_nothing(shim: Shim, option: str) -> None:
    """Such a call is no submission."""
    seen = shim.call(option, "j", OUT="told\\n")
    assert option in seen.argv
    assert seen.out == "told\n"
    assert not list(seen.spool.glob("intent-*"))


def test_the_job_inherits_nothing_of_ours(shim: Shim) -> None:
    """A nested sbatch in the job must be the real one, and no variable may have changed."""
    theirs = {"name": "n", "comment": "c", "line": "l", "status": "9", "n": "1"}
    seen = shim.call("j", **theirs)
    assert seen.env["PATH"] == f"/before:{os.environ['PATH']}"
    assert {key: seen.env[key] for key in theirs} == theirs
    assert not [key for key in seen.env if key.startswith("sb_")]


def test_each_call_has_its_own_intent(shim: Shim) -> None:
    """A launcher may submit several jobs; each intent names folder, name and words."""
    (shim.folder / "job.sh").write_text("#!/bin/sh\n#SBATCH --job-name=from-header\n")
    shim.call("job.sh")
    shim.call("-J", "from-call", "job.sh", "x\ny")
    first, second = ((shim.spool / f"intent-{n}").read_text().split("\x1f") for n in (1, 2))
    assert first == [str(shim.folder), "from-header", f"--comment={SIGN}", "job.sh", ""]
    assert second[1] == "from-call"
    assert second[-2] == "x\ny"
    assert (shim.spool / "receipt-2").exists()


def test_refuses_when_a_later_attempt_took_over(shim: Shim) -> None:
    """A folder in the place of the first intent is the fence."""
    (shim.spool / "intent-1").mkdir()
    seen = shim.call("j")
    assert seen.status == 1
    assert seen.argv == []
    assert "given up" in seen.err
    assert "nothing was submitted" in seen.err


def test_refuses_when_the_disk_cannot_hold_the_intent(shim: Shim) -> None:
    """Without a place for intent and answer nothing is submitted, and no intent is left."""

    def no_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    done = subprocess.run(
        [*shim.shell, f"{shim.spool}/bin/sbatch", "j"],
        env={"PATH": os.environ["PATH"], "SAW": str(shim.folder / "saw")},
        preexec_fn=no_room,
        restore_signals=False,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "no room" in done.stderr
    assert "nothing was submitted" in done.stderr
    assert not (shim.folder / "saw").exists()
    assert not list(shim.spool.glob("intent-*"))


def test_a_call_that_was_interrupted_before_it_began_is_no_full_disk(shim: Shim) -> None:
    """What kept the intent was killed: nothing was submitted, and the reason is the right one."""
    programs = shim.folder / "programs"
    programs.mkdir()
    (programs / "sync").write_text("#!/bin/sh\nkill -9 $$\n")
    (programs / "sync").chmod(0o700)
    seen = shim.call("job.sh", PATH=f"{programs}:{shim.spool}/bin:{os.environ['PATH']}")
    assert seen.status == 1
    assert "was interrupted; nothing was submitted" in seen.err
    assert seen.argv == []
    assert not list(shim.spool.glob("intent-*"))
