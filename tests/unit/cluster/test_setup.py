"""Setting up, with real git and real virtual environments: done once, safe to repeat."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from bot.cluster.errand import SCRIPTS, Phase, Sight, look, start
from bot.errand import StepState
from tests.unit.cluster.local import LocalShell

BRANCH = "release-allowlist-ga"
GIT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.com",
    # Submodules from a folder are refused otherwise.
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "protocol.file.allow",
    "GIT_CONFIG_VALUE_0": "always",
}
PACKAGE = """
[project]
name = "nemo_run"
version = "0.7.0"
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""
BACKEND = """
import zipfile
def build_wheel(folder, config_settings=None, metadata_directory=None):
    name, info = "nemo_run-0.7.0-py3-none-any.whl", "nemo_run-0.7.0.dist-info"
    with zipfile.ZipFile(f"{folder}/{name}", "w") as wheel:
        wheel.writestr("nemo_run/__init__.py", "")
        wheel.writestr("nemo_run/__main__.py", "print('usage: nemo')")
        about = "Metadata-Version: 2.1\\nName: nemo_run\\nVersion: 0.7.0\\n"
        wheel.writestr(f"{info}/METADATA", about)
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/RECORD", "")
    return name
"""


def git(folder: Path, *words: str) -> str:
    """Run git there."""
    done = subprocess.run(
        ["git", "-C", str(folder), *words], env=GIT, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def commit(folder: Path, name: str, text: str) -> str:
    """Commit a file; return the commit, short."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "-m", f"Change {name}")
    return git(folder, "rev-parse", "--short", "HEAD")


def repository(folder: Path, branch: str) -> Path:
    """A repository with one branch."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", branch)
    return folder


class Account:
    """A login account, the repositories it clones, and what is set up for it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.recipes = repository(home / "far/recipes", BRANCH)
        commit(self.recipes, "nemo/run.py", "print('usage: run.py')\n")
        commit(self.recipes, "nemo_rl/launch.sh", "#!/bin/sh\n")
        self.package = home / "far/nemo-run"
        self.package.mkdir()
        (self.package / "pyproject.toml").write_text(PACKAGE)
        (self.package / "backend.py").write_text(BACKEND)
        module = repository(home / "far/module", "main")
        commit(module, "a.txt", "a\n")
        self.rl = repository(home / "far/RL", "main")
        commit(self.rl, "VERSION", "1\n")
        git(self.rl, "submodule", "--quiet", "add", str(module), "3rdparty/module")
        commit(self.rl, "VERSION", "2\n")
        self.checkout = home / "vertex-oss-training"
        self.rl_checkout = self.checkout / "nemo_rl/RL"
        self.venv = home / "venv"
        self.python = "python3"
        self.shell = LocalShell(home, env=GIT)
        self.number = 0

    async def nemo(self) -> Sight:
        """Set up for NeMo."""
        where = (str(self.recipes), BRANCH, str(self.checkout), str(self.checkout / "nemo"), "")
        args = (self.python, str(self.venv), str(self.package), *where, "--no-index")
        return await self._run("nemo setup", args)

    async def nemo_rl(self, ref: str = "", asked: str = "") -> Sight:
        """Set up for NeMo-RL."""
        launcher = str(self.checkout / "nemo_rl/launch.sh")
        where = (str(self.recipes), BRANCH, str(self.checkout), launcher)
        args = (*where, str(self.rl), ref, str(self.rl_checkout), asked)
        return await self._run("nemo-rl setup", args)

    async def _run(self, kind: str, args: tuple[str, ...]) -> Sight:
        self.number += 1
        name = f"e{self.number}"
        await self.shell.run(start(name, str(self.checkout), SCRIPTS[kind], args))
        for _ in range(600):
            sight = (await self.shell.run(look([name])))[name]
            if sight.phase is not Phase.RUNNING:
                return sight
            await asyncio.sleep(0.1)
        raise AssertionError(f"{name} does not end")


@pytest.fixture
def account(tmp_path: Path) -> Account:
    """A fresh account."""
    return Account(tmp_path)


def states(sight: Sight) -> dict[str, str]:
    """How each step went."""
    return {step.name: step.state.value for step in sight.steps}


async def test_nemo_is_set_up_going_on_from_wherever_it_failed(account: Account) -> None:
    """What was verified is told with versions and commits; a last time all is there."""
    # An environment that was cut off while it was made: it has no pip yet.
    (account.venv / "bin").mkdir(parents=True)
    (account.venv / "pyvenv.cfg").touch()
    (account.package / "pyproject.toml").unlink()
    no_package = await account.nemo()
    assert (no_package.steps[-1].said, states(no_package)["venv"]) == ("pip", "done")
    assert "ERROR" in no_package.out

    (account.package / "pyproject.toml").write_text(PACKAGE)
    commit(account.recipes, "nemo/run.py", "import no_such_module\n")
    no_recipe = await account.nemo()
    assert (no_recipe.steps[-1].name, no_recipe.steps[-1].said) == ("launcher", "launcher")
    assert (states(no_recipe)["venv"], states(no_recipe)["nemo-run"]) == ("there", "done")
    assert "no_such_module" in no_recipe.out

    newest = commit(account.recipes, "nemo/run.py", "print('usage: run.py')\n")
    whole = await account.nemo()
    assert (whole.status, states(whole)["recipes"]) == (0, "done")
    facts = dict(whole.facts)
    assert (facts["nemo-run"], facts["python"]) == ("0.7.0", f"{account.venv}/bin/python")
    assert facts["recipes"].startswith(f"{newest} of ")

    again = await account.nemo()
    assert [step.state.value for step in again.steps] == ["done", "there", "there", "there", "done"]


async def test_a_folder_that_is_no_environment_is_left_alone(account: Account) -> None:
    """Somebody's files would be lost."""
    account.venv.mkdir()
    (account.venv / "thesis.txt").write_text("all of it")
    sight = await account.nemo()
    assert (sight.steps[-1].name, sight.steps[-1].said) == ("venv", "occupied")
    assert (account.venv / "thesis.txt").exists()


async def test_without_that_python_it_ends_at_once(account: Account) -> None:
    """With its name."""
    account.python = "python9"
    sight = await account.nemo()
    assert (sight.steps[-1].said, sight.steps[-1].detail) == ("no-python", "python9")


async def test_new_recipes_are_fetched(account: Account) -> None:
    """Fast-forward, as nothing of their own is there."""
    await account.nemo_rl()
    newest = commit(account.recipes, "nemo/new.py", "x = 1\n")
    sight = await account.nemo_rl()
    assert states(sight)["recipes"] == "done"
    assert dict(sight.facts)["recipes"].startswith(newest)
    assert (account.checkout / "nemo/new.py").exists()


async def _own_change(account: Account) -> None:
    (account.checkout / "nemo/run.py").write_text("mine\n")


async def _other_branch(account: Account) -> None:
    git(account.checkout, "checkout", "-q", "-b", "mine")


async def _own_commit(account: Account) -> None:
    commit(account.checkout, "nemo/mine.py", "x = 2\n")


async def _no_remote(account: Account) -> None:
    git(account.checkout, "remote", "remove", "origin")


@pytest.mark.parametrize(
    ("harm", "why"),
    [
        (_own_change, "dirty"),
        (_other_branch, "elsewhere"),
        (_own_commit, "own"),
        (_no_remote, "alone"),
    ],
)
async def test_what_is_somebodys_own_is_not_touched(
    account: Account, harm: object, why: str
) -> None:
    """It is said, and set-up goes on with what is there."""
    await account.nemo_rl()
    assert callable(harm)
    await harm(account)
    before = git(account.checkout, "rev-parse", "HEAD"), git(account.checkout, "status", "-s")
    commit(account.recipes, "nemo/new.py", "x = 1\n")
    sight = await account.nemo_rl()
    kept = next(step for step in sight.steps if step.name == "recipes")
    assert (sight.status, kept.state, kept.said) == (0, StepState.KEPT, why)
    assert before == (
        git(account.checkout, "rev-parse", "HEAD"),
        git(account.checkout, "status", "-s"),
    )


async def test_tokens_in_the_recipes_do_not_keep_them_from_an_update(account: Account) -> None:
    """The file that holds them is part of the checkout, and every site changes it."""
    commit(account.recipes, "nemo_rl/configs/auth.sh", "export HF_TOKEN=\n")
    await account.nemo_rl()
    tokens = account.checkout / "nemo_rl" / "configs" / "auth.sh"
    tokens.write_text("export HF_TOKEN=mine\n")
    commit(account.recipes, "nemo/new.py", "x = 1\n")
    sight = await account.nemo_rl()
    updated = next(step for step in sight.steps if step.name == "recipes")
    assert (sight.status, updated.state) == (0, StepState.DONE)
    assert (account.checkout / "nemo" / "new.py").exists()
    assert tokens.read_text() == "export HF_TOKEN=mine\n"


async def test_a_folder_in_the_place_of_the_recipes_is_left_alone(account: Account) -> None:
    """Nothing is cloned over it."""
    account.checkout.mkdir()
    (account.checkout / "notes.txt").write_text("x")
    sight = await account.nemo_rl()
    assert (sight.steps[-1].said, sight.steps[-1].detail) == ("occupied", str(account.checkout))
    assert [path.name for path in account.checkout.iterdir()] == ["notes.txt"]


async def test_a_link_that_leads_nowhere_is_no_empty_place(account: Account) -> None:
    """It is somebody's; nothing is fetched for it in vain."""
    account.checkout.symlink_to(account.home / "nowhere")
    sight = await account.nemo_rl()
    assert (sight.steps[-1].said, sight.steps[-1].detail) == ("occupied", str(account.checkout))
    assert account.checkout.is_symlink()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
async def test_a_checkout_of_another_account_is_told_as_that(account: Account) -> None:
    """Git does not work there, and says no more than that."""
    await account.nemo_rl()
    os.chown(account.checkout, 65534, 65534)
    sight = await account.nemo_rl()
    assert (sight.steps[-1].said, sight.steps[-1].detail) == ("theirs", str(account.checkout))


async def test_what_a_clone_left_that_was_killed_is_cleared_away(account: Account) -> None:
    """The next one begins anew."""
    (account.home / "vertex-oss-training.sbatchat-part").mkdir()
    sight = await account.nemo_rl()
    assert sight.status == 0
    assert not (account.home / "vertex-oss-training.sbatchat-part").exists()


async def test_a_repository_that_is_not_there_leaves_nothing(account: Account) -> None:
    """Git's own words are kept."""
    account.recipes = account.home / "none"
    sight = await account.nemo_rl()
    assert sight.steps[-1].said == "clone"
    assert "not appear to be a git repository" in sight.out or "does not exist" in sight.out
    assert not list(account.home.glob("vertex*"))


async def test_nemo_rl_comes_with_its_submodules(account: Account) -> None:
    """All of them are checked out."""
    sight = await account.nemo_rl()
    assert (sight.status, sight.steps[-1].name, sight.steps[-1].said.strip()) == (
        0,
        "submodules",
        "1",
    )
    assert (account.rl_checkout / "3rdparty/module/a.txt").exists()
    assert states(await account.nemo_rl())["submodules"] == "there"


async def test_a_submodule_that_is_missing_is_fetched(account: Account) -> None:
    """As after a clone without --recursive."""
    await account.nemo_rl()
    git(account.rl_checkout, "submodule", "--quiet", "deinit", "--force", "--all")
    sight = await account.nemo_rl()
    assert states(sight)["submodules"] == "done"
    assert (account.rl_checkout / "3rdparty/module/a.txt").exists()


async def test_a_tag_a_commit_and_a_branch_can_be_asked_for(account: Account) -> None:
    """Each is what is checked out then, and the submodules follow."""
    git(account.rl, "tag", "v1", "HEAD~1")
    first = git(account.rl, "rev-parse", "--short", "v1")
    await account.nemo_rl()
    sight = await account.nemo_rl("v1", "asked")
    assert dict(sight.facts)["nemo-rl"].startswith(first)
    newest = commit(account.rl, "VERSION", "3\n")
    sight = await account.nemo_rl("main", "asked")
    assert dict(sight.facts)["nemo-rl"].startswith(newest)
    assert dict(sight.facts)["nemo-rl"].endswith("branch main")
    sight = await account.nemo_rl(git(account.rl, "rev-parse", "v1"), "asked")
    assert dict(sight.facts)["nemo-rl"].startswith(first)


async def test_a_ref_that_is_not_there_changes_nothing(account: Account) -> None:
    """Neither in a fresh clone nor in one that is there."""
    sight = await account.nemo_rl("v9", "asked")
    assert (sight.steps[-1].said, sight.steps[-1].detail) == ("ref", "v9")
    assert not account.rl_checkout.exists()
    await account.nemo_rl()
    before = git(account.rl_checkout, "rev-parse", "HEAD")
    assert (await account.nemo_rl("v9", "asked")).steps[-1].said == "ref"
    assert git(account.rl_checkout, "rev-parse", "HEAD") == before


async def test_local_changes_survive_a_ref_that_is_asked_for(account: Account) -> None:
    """The step says that it left them."""
    await account.nemo_rl()
    (account.rl_checkout / "VERSION").write_text("mine\n")
    sight = await account.nemo_rl("HEAD~1", "asked")
    assert states(sight)["nemo-rl"] == "kept"
    assert (account.rl_checkout / "VERSION").read_text() == "mine\n"
