"""What stands in the files with secrets: ours whole, people's own kept."""

from __future__ import annotations

import subprocess

import pytest

from bot.cluster.secret_files import auth, own
from bot.errors import CommandFailed

SECRETS = {"HF_TOKEN": "hf_abc", "ODD": 'it\'s $HOME; `id` "x"'}


def sourced(text: bytes, *names: str) -> list[str]:
    """Return what a shell has for these variables after it has read the file."""
    script = text.decode() + "".join(f'printf "%s\\n" "${name}"\n' for name in names)
    done = subprocess.run(["/bin/sh"], input=script, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_a_shell_reads_the_values_as_they_are() -> None:
    """Whatever stands in them."""
    for change in (own(SECRETS), auth(SECRETS)):
        assert sourced(change(b""), *SECRETS) == list(SECRETS.values())


def test_without_secrets_there_is_no_file() -> None:
    """Ours is not kept empty."""
    assert own({})(own(SECRETS)(b"")) == b""


@pytest.mark.parametrize("mine", [b"", b"export A=1\n", b"export A=1", b"\xff\xfe\n"])
def test_what_people_wrote_is_kept(mine: bytes) -> None:
    """Before our part and behind it, byte for byte; our part is replaced, not added to."""
    first = auth(SECRETS)(mine)
    assert first.startswith(mine)
    assert auth(SECRETS)(first) == first
    later = auth({"HF_TOKEN": "hf_new"})(first + b"export B=2\n")
    assert later.startswith(mine)
    assert later.endswith(b"export B=2\n")
    assert b"hf_abc" not in later
    assert later.count(b"HF_TOKEN") == 1


def test_our_part_goes_when_there_is_nothing_to_put() -> None:
    """People's own stays; where there is none, there is no file."""
    assert auth({})(b"export A=1\n") == b"export A=1\n"
    assert auth({})(auth(SECRETS)(b"export A=1\n")) == b"export A=1\n"
    assert auth({})(auth(SECRETS)(b"")) == b""


def test_a_part_without_its_end_is_left_alone() -> None:
    """Nobody knows where people's own begins again."""
    broken = auth(SECRETS)(b"").replace(b"# <<< sbatchat <<<\n", b"") + b"export B=2\n"
    with pytest.raises(CommandFailed, match="left alone"):
        auth(SECRETS)(broken)
