"""The recipes of a cluster are listed, and guessed at, from what is really there."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest

from bot.card import Card, Excerpt, plain
from bot.cards.trouble import refused_input
from bot.cluster_settings import ClusterSettings, NemoSettings
from bot.errors import ClusterUnreachable, InputRefused, UserError
from bot.grammar import Parsed, parse
from bot.login_node import LoginNode
from bot.model import Act, ActKind, Caller, Request
from bot.ports import Query
from bot.service import Service, launches, recipes
from bot.store.sql_store import SqlStore
from bot.workloads import WORKLOADS
from tests.unit.cluster.local import LocalShell
from tests.unit.idle import Idle
from tests.unit.store.makers import NOW
from tests.unit.tracking import POLICY

T = TypeVar("T")

IMAGE = "hsqs".ljust(40, "\0") + "`".ljust(56, "\0")
"""A squashfs of 96 bytes, as far as its head says."""
SINFO = "\x1ea3m*\x1fup\x1finfinite\x1f1:00:00\x1f2\x1fidle\x1fgpu:8\x1f\n"
CALLER = Caller(team="T1", user="U1", channel="C1")


class Login:
    """A login node with the programs that a test puts there."""

    name = "alice"

    def __init__(self, home: Path) -> None:
        self.home = home
        self.away = False
        (home / "bin").mkdir()
        self._shell = LocalShell(home, env={"PATH": f"{home}/bin:{os.environ['PATH']}"})
        self.file("bin/sinfo", "#!/bin/sh\nexec cat $HOME/sinfo.out\n")
        self.file("sinfo.out", SINFO)
        self.file("nemo/run.py", "")
        self.file("nemo/x.sqsh", IMAGE)

    async def rewrite(self, path: str, change: Callable[[bytes], bytes]) -> bool:
        """Change a file."""
        return await self._shell.rewrite(path, change)

    def file(self, name: str, text: str = "") -> Path:
        """Put a file below the home, which can be run."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    async def run(self, query: Query[T]) -> T:
        """Ask."""
        if self.away:
            raise ClusterUnreachable
        return await self._shell.run(query)


@dataclass
class Desk:
    """A service before one cluster."""

    service: Service
    login: Login

    @property
    def node(self) -> LoginNode:
        """The cluster."""
        return self.service.nodes["alice"]

    def act(self, text: str, name: str = "a1") -> Act:
        """What somebody types behind `/nemo`."""
        return Act(id=name, kind=ActKind.SLASH, caller=CALLER, at=NOW, command="/nemo", text=text)

    async def launch(self, text: str, name: str = "a1") -> Card | None:
        """Type `/nemo run` with these words."""
        return await self.type(f"run {text}", name)

    async def type(self, text: str, name: str = "a1") -> Card | None:
        """Type a launch behind `/nemo`."""
        act = self.act(text, name)
        parsed = parse(act.command, act.text)
        assert isinstance(parsed, Parsed)
        request = launches.draft(
            act, self.node, parsed.subcommand, parsed.options, request_id=act.id, typed=act.text
        )
        return await launches.launch(self.service, act, self.node, request)

    async def refusal(self, text: str) -> list[str]:
        """Type what is refused; give its sentences."""
        with pytest.raises(InputRefused) as refused:
            await self.launch(text, "refused")
        return [f"{error.message}. {error.hint}" for error in refused.value.errors]


@asynccontextmanager
async def desk(home: Path) -> AsyncIterator[Desk]:
    """A cluster whose recipes lie in `~/nemo`."""
    settings = ClusterSettings(
        host="login",
        known_hosts=Path("/dev/null"),
        nemo=NemoSettings(dir="~/nemo", image="x.sqsh"),
    )
    login = Login(home)
    node = LoginNode(settings=settings, policy=POLICY, cluster=login)
    async with SqlStore("sqlite:///:memory:") as store:
        service = Service(
            store=store,
            nodes={"alice": node},
            carrier=Idle(),
            wake=lambda: None,
            watch=Idle(),
            cluster_of=lambda _channel: "alice",
        )
        yield Desk(service, login)


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Desk]:
    """A cluster with three recipes."""
    home = tmp_path / "home"
    home.mkdir()
    async with desk(home) as made:
        for name in ("pretrain/llama3p1_2b_pt.py", "sft/llama3p1_2b_sft.py", "cpt/gpt2_cpt.py"):
            made.login.file(f"nemo/{name}")
        made.login.file("nemo/common/model.py")
        yield made


def excerpts(card: Card) -> list[str]:
    """The blocks that can be copied."""
    return [part.text for part in card.parts if isinstance(part, Excerpt)]


@pytest.mark.parametrize(
    ("text", "field"),
    [
        (f"image build nvcr.io/nvidia/{'a' * 70}:25.07", "name"),
        (f"image build nvcr.io/nvidia/nemo:{'t' * 100}", "name"),
        (f"image build nvcr.io/nvidia/nemo:1 --name {'n' * 64}", "name"),
        (f"run ~/{'d/' * 505}x.py", "recipe"),
    ],
)
async def test_what_becomes_too_long_is_refused_in_words(here: Desk, text: str, field: str) -> None:
    """What was typed is short enough; what is made of it is not."""
    with pytest.raises(InputRefused) as refused:
        await here.type(text)
    found = {error.field: error for error in refused.value.errors}
    assert "too long" in found[field].message
    assert "At most" in found[field].hint


async def test_each_recipe_is_the_command_that_launches_it(here: Desk) -> None:
    """By kind, in the order in which one trains."""
    card = await recipes.show(here.node)
    assert plain(card.lead) == f"3 recipes on alice, in {here.login.home}/nemo."
    assert excerpts(card) == [
        "/nemo run pretrain/llama3p1_2b_pt.py",
        "/nemo run cpt/gpt2_cpt.py",
        "/nemo run sft/llama3p1_2b_sft.py",
    ]


async def test_one_kind_is_enough_and_another_kind_is_refused_with_those_there_are(
    here: Desk,
) -> None:
    """Whatever its case."""
    assert excerpts(await recipes.show(here.node, "SFT")) == ["/nemo run sft/llama3p1_2b_sft.py"]
    with pytest.raises(InputRefused) as refused:
        await recipes.show(here.node, "pretraining")
    assert refused.value.errors[0].hint == "Did you mean `pretrain`?"


async def test_recipes_without_a_launcher_are_no_use(here: Desk) -> None:
    """A half-made checkout."""
    (here.login.home / "nemo" / "run.py").unlink()
    assert "no run.py" in plain((await recipes.show(here.node)).lead)


async def test_a_folder_of_recipes_that_is_not_there_is_said_with_what_makes_it(here: Desk) -> None:
    """Before anything was set up."""
    (here.login.home / "nemo").rename(here.login.home / "elsewhere")
    with pytest.raises(UserError, match=r"cannot be entered on alice\. `/nemo setup` puts"):
        await recipes.show(here.node)


async def test_a_run_without_a_recipe_lists_what_there_is(here: Desk) -> None:
    """Unless the cluster does not answer: then the refusal stands alone."""
    act = here.act("run -n 2")
    with pytest.raises(InputRefused) as refused:
        parse(act.command, act.text)
    card = refused_input(refused.value, act.text)
    assert len(excerpts(await recipes.with_choice(here.service, act, card))) == 3
    here.login.away = True
    assert await recipes.with_choice(here.service, act, card) == card


async def test_a_recipe_that_is_not_there_is_guessed_at_among_recipes_alone(here: Desk) -> None:
    """Neither run.py nor what the recipes share is one."""
    [said] = await here.refusal("pretrain/llama3p1_2b.py -p a3m")
    assert said.endswith(
        "on the cluster. Did you mean `pretrain/llama3p1_2b_pt.py` or `sft/llama3p1_2b_sft.py`?"
    )
    [other] = await here.refusal("zzz.py -p a3m")
    assert "common" not in other
    assert "There is `" in other


RUN_PY = """import argparse, sys
p = argparse.ArgumentParser()
p.add_argument("-e", choices=["slurm"])
p.add_argument("--slurm-type", choices=["hcc-a3m", "hcc-a3u"])
p.add_argument("-p", "--partition")
p.add_argument("-d", "--work-dir")
p.add_argument("-i", "--image")
p.add_argument("-s", "--script")
p.add_argument("-n", "--nodes", type=int)
p.add_argument("--experiment-name")
p.add_argument("--cache-dir")
p.add_argument("--time")
p.add_argument("--max_steps", type=int)
p.add_argument("--precision", choices=["bf16", "fp8"])
p.add_argument("--mock", action="store_true")
p.parse_args()
"""


async def kept(here: Desk, text: str, name: str = "a1") -> Request:
    """Launch, and give the request that was kept."""
    assert await here.launch(text, name) is None
    request = await here.service.store.request(name)
    assert request is not None
    return request


async def test_options_that_run_py_has_pass_as_it_spells_them(here: Desk) -> None:
    """Also those that this project has never heard of; what it lacks goes to sbatch."""
    here.login.file("nemo/run.py", RUN_PY)
    request = await kept(
        here,
        "sft/llama3p1_2b_sft.py -p a3m --time 10 --account x --max-steps 5 --precision fp8 --mock",
    )
    assert request.options["extra"] == ["--max_steps=5", "--precision=fp8", "--mock"]
    made = await here.node.spec(WORKLOADS["nemo run"], request)
    words = " ".join(made.argv)
    assert words.endswith(
        "--experiment-name llama3p1_2b_sft --time 00:10:00 --max_steps=5 --precision=fp8 --mock"
    )
    assert "--account" not in words
    assert made.sbatch_options == ("--account=x",)


async def test_a_cluster_type_that_is_not_the_partitions_is_noted(here: Desk) -> None:
    """It is launched all the same."""
    here.login.file("nemo/run.py", RUN_PY)
    request = await kept(here, "sft/llama3p1_2b_sft.py -p a3m --time 10 --slurm-type a3u")
    assert "The cluster type is hcc-a3u, though partition a3m is hcc-a3m." in request.notes


async def test_options_that_run_py_lacks_are_refused_before_anything_runs(here: Desk) -> None:
    """Ours and strange ones, each with what it has instead; nothing is kept."""
    here.login.file("nemo/run.py", RUN_PY)
    said = "\n".join(
        await here.refusal(
            "sft/llama3p1_2b_sft.py -p a3m --slurm-type a4 --log-dir ~/logs --max-stpes 5 "
            "--precision fp16 --mock=yes --ckpt /etc/x --zzz"
        )
    )
    assert "`/etc/x` lies outside the folders" in said
    home = here.login.home
    assert f"Use a path below `{home}`\n" in f"{said}\n"
    assert "has no option `--log-dir`" in said
    assert "does not take `hcc-a4`. It takes `hcc-a3m` or `hcc-a3u`" in said
    assert "no option `--max-stpes`. Did you mean `--max_steps`?" in said
    assert "`--precision` cannot be `fp16`. Did you mean" in said
    assert "takes no value, so `yes` is too many" in said
    assert "no option `--zzz`. It has `--slurm-type`" in said
    assert await here.service.store.request("refused") is None


async def test_a_half_written_image_is_refused_before_anything_runs(here: Desk) -> None:
    """With what brings a whole one; the default as well as one that was named."""
    here.login.file("nemo/run.py", RUN_PY)
    here.login.file("nemo/half.sqsh", IMAGE[:-1])
    [said] = await here.refusal("sft/llama3p1_2b_sft.py -p a3m -i half.sqsh")
    assert "half.sqsh` is not whole" in said
    assert "`/nemo image pull`" in said
    here.login.file("nemo/x.sqsh", IMAGE[:60])
    [said] = await here.refusal("sft/llama3p1_2b_sft.py -p a3m")
    assert "x.sqsh` is not whole" in said


async def test_what_only_the_configuration_wishes_is_left_out_where_run_py_lacks_it(
    here: Desk,
) -> None:
    """And the card says so."""
    here.login.file("nemo/run.py", RUN_PY.replace('p.add_argument("-i", "--image")\n', ""))
    request = await kept(here, "sft/llama3p1_2b_sft.py -p a3m")
    assert request.options["image"] is None
    assert request.notes == ("run.py on this cluster has no -i, so it was left out.",)


async def test_a_run_py_that_breaks_is_said_before_anything_runs(here: Desk) -> None:
    """With the line that Python ends on."""
    here.login.file("nemo/run.py", "import nemo_run_is_not_here\n")
    [said] = await here.refusal("sft/llama3p1_2b_sft.py -p a3m")
    assert "breaks on the cluster before it launches anything" in said
    assert "No module named 'nemo_run_is_not_here'" in said


async def test_a_run_py_that_was_updated_is_asked_again(here: Desk) -> None:
    """What it gained passes, what it lost is refused."""
    here.login.file("nemo/run.py", RUN_PY)
    assert (await kept(here, "cpt/gpt2_cpt.py -p a3m --mock")).flags[-1] == "--mock"
    here.login.file("nemo/run.py", RUN_PY.replace("--mock", "--synthetic"))
    [said] = await here.refusal("cpt/gpt2_cpt.py -p a3m --mock")
    assert "has no option `--mock`" in said
    again = await kept(here, "cpt/gpt2_cpt.py -p a3m --synthetic", "a3")
    assert again.options["extra"] == ["--synthetic"]


async def test_a_run_py_without_a_help_takes_what_is_documented_and_nothing_else(
    here: Desk,
) -> None:
    """Nothing could be checked."""
    here.login.file("nemo/run.py", "import sys\nsys.exit('what?')\n")
    assert (await kept(here, "cpt/gpt2_cpt.py -p a3m")).flags == ()
    [said] = await here.refusal("cpt/gpt2_cpt.py -p a3m --mock")
    assert "does not say which options it has" in said


async def test_a_cluster_type_that_the_partition_gives_is_warned_of_as_well(here: Desk) -> None:
    """Nobody has to type it."""
    here.login.file("nemo/run.py", RUN_PY.replace('"hcc-a3u"', '"hcc-a3h"'))
    here.login.file("sinfo.out", SINFO + SINFO.replace("a3m*", "a3h"))
    request = await kept(here, "sft/llama3p1_2b_sft.py -p a3h")
    assert request.options["slurm_type"] == "hcc-a3h"
    [note] = request.notes
    assert "does not list `hcc-a3h`" in note


async def test_where_there_is_no_such_partition_those_there_are_come_first(here: Desk) -> None:
    """What is wrong with the rest may follow from it, and is said when one is chosen."""
    here.login.file("nemo/run.py", RUN_PY)
    card = await here.launch("sft/llama3p1_2b_sft.py -p a4 --zzz", "a9")
    assert card is not None
    assert "a4" in plain(card.lead)
    refused = await here.service.store.request("a9")
    assert refused is not None
    assert refused.error == "no such partition"
