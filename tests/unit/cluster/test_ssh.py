"""The door to SSH, against a real server in this process."""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncssh
import pytest

from bot.cluster.ssh import SshCluster
from bot.cluster.ssh_connect import ours
from bot.errors import AccessRefused, ClusterError, ClusterUnreachable, CommandFailed, ConfigError
from bot.ports import Output, Query
from tests.unit.cluster.login_server import LoginServer, login_server


def ask(script: str, *args: str, timeout: float = 10.0) -> Query[Output]:
    """A query that answers with what its script left."""
    return Query(script, lambda output: output, args, timeout=timeout, name="asked")


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[LoginServer]:
    """A login node."""
    async with login_server(tmp_path) as running:
        yield running


@pytest.fixture
async def cluster(server: LoginServer) -> AsyncIterator[SshCluster]:
    """The door to it."""
    async with SshCluster("alice", server.login()) as door:
        yield door


async def test_answers_what_the_script_printed(cluster: SshCluster) -> None:
    """Exactly, both streams apart, with its status."""
    answer = await cluster.run(ask("printf 'no newline'; printf 'e\n\n' >&2; exit 7"))
    assert answer == Output("no newline", "e\n\n", 7)
    assert await cluster.run(ask("printf 'lines\n\n'")) == Output("lines\n\n", "", 0)


async def test_words_arrive_as_they_are(cluster: SshCluster) -> None:
    """Quoting happens in one place, for every argument."""
    words = ("a b", "$(id)", "`id`", "it's", '"', "*", "a\nb", "", "\\", "é", "-n", "';id;'")
    answer = await cluster.run(ask("printf '%s\\037' \"$@\"", *words))
    assert tuple(answer.stdout.split("\x1f")[:-1]) == words


@pytest.mark.parametrize(
    "profile",
    [
        "echo Welcome; echo stty: not a tty >&2",
        "printf 'no newline'; printf more >&2",
        "cat /etc/os-release; export LC_ALL=C.UTF-8 SQUEUE_FORMAT=%i TZ=Asia/Tokyo",
        "PS1='$ '; set -u; umask 077",
    ],
)
async def test_banners_and_profiles_do_not_matter(
    server: LoginServer, cluster: SshCluster, profile: str
) -> None:
    """What stands before the answer is not part of it, and the environment is ours."""
    server.profile = profile
    script = 'echo "$LC_ALL $TZ $SLURM_TIME_FORMAT ${SQUEUE_FORMAT-unset}"'
    assert await cluster.run(ask(script)) == Output("C UTC standard unset\n", "", 0)


@pytest.mark.parametrize("shell", ["bash", "csh", "tcsh", "zsh", "fish", "dash", "ksh"])
async def test_any_login_shell_will_do(
    server: LoginServer, cluster: SshCluster, shell: str
) -> None:
    """Only one constant command is ever given to it."""
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"{shell} is not installed")
    server.shell = (path, "-c")
    assert await cluster.run(ask('echo "$1"', "it's $HOME")) == Output("it's $HOME\n", "", 0)
    assert set(server.commands) == {"exec /bin/sh -s"}


async def test_a_script_cannot_eat_the_rest_of_the_script(cluster: SshCluster) -> None:
    """A command that reads standard input finds nothing there."""
    assert await cluster.run(ask("cat; echo over")) == Output("over\n", "", 0)


async def test_an_answer_that_looks_like_a_mark_is_none(cluster: SshCluster) -> None:
    """The marks are random: printing lines like them changes nothing."""
    text = "0123456789abcdef0123456789abcdef\n\n0123456789abcdef0123456789abcdef 0\n"
    assert (await cluster.run(ask('printf "%s" "$1"', text))).stdout == text


async def test_bytes_that_are_no_text_are_replaced(cluster: SshCluster) -> None:
    """Job names and logs may hold anything."""
    assert (await cluster.run(ask(r"printf 'a\377b'"))).stdout == "a\ufffdb"


async def test_too_long_an_answer_is_refused(cluster: SshCluster) -> None:
    """The bot's memory is bounded, and the connection goes on."""
    with pytest.raises(CommandFailed, match="more than 32 MB"):
        await cluster.run(ask("head -c 40000000 /dev/zero", timeout=60))
    assert (await cluster.run(ask("echo ok"))).stdout == "ok\n"


async def test_a_slow_answer_is_given_up(cluster: SshCluster) -> None:
    """After the query's own time, naming it; the connection goes on."""
    began = time.monotonic()
    with pytest.raises(ClusterUnreachable, match=r"alice: asked .* within 0\.3 s"):
        await cluster.run(ask("sleep 20", timeout=0.3))
    assert time.monotonic() - began < 5
    assert (await cluster.run(ask("echo ok"))).stdout == "ok\n"


async def test_a_process_left_behind_does_not_delay_the_answer(cluster: SshCluster) -> None:
    """It keeps the streams open; the marks say that the answer is complete."""
    began = time.monotonic()
    assert (await cluster.run(ask("sleep 5 & echo ok"))).stdout == "ok\n"
    assert time.monotonic() - began < 3


async def test_a_killed_shell_is_no_answer(cluster: SshCluster) -> None:
    """Half an answer must not be taken for one."""
    with pytest.raises(ClusterUnreachable, match="killed"):
        await cluster.run(ask("echo half; kill -9 $$; sleep 1"))


async def test_many_queries_share_one_connection(server: LoginServer, cluster: SshCluster) -> None:
    """At most eight at a time, as sshd allows ten sessions on a connection."""
    answers = await asyncio.gather(
        *(cluster.run(ask('sleep 0.05; echo "$1"', str(n))) for n in range(40))
    )
    assert [answer.stdout for answer in answers] == [f"{n}\n" for n in range(40)]
    assert len(server.connections) == 1
    assert 2 <= server.most <= 8
    assert cluster.calls == {"asked": 40}


async def test_a_dropped_connection_is_made_again(
    server: LoginServer, cluster: SshCluster, caplog: pytest.LogCaptureFixture
) -> None:
    """The query in flight fails, the next one works; each is told once."""
    caplog.set_level(logging.INFO, "bot.cluster")
    await cluster.run(ask("true"))
    flying = asyncio.ensure_future(cluster.run(ask("sleep 20")))
    await asyncio.sleep(0.3)
    server.cut()
    with pytest.raises(ClusterUnreachable, match="cut"):
        await flying
    assert cluster.health.why
    assert (await cluster.run(ask("echo ok"))).stdout == "ok\n"
    assert not cluster.health.why
    assert _actions(caplog) == [
        "ssh_connecting",
        "ssh_connected",
        "cluster_lost",
        "ssh_connecting",
        "ssh_connected",
        "cluster_back",
    ]


async def test_a_connection_that_died_unnoticed_costs_no_query(
    server: LoginServer, cluster: SshCluster
) -> None:
    """Nothing was asked over it yet, so asking over a new one is safe."""
    await cluster.run(ask("true"))
    server.cut()
    assert (await cluster.run(ask("echo ok"))).stdout == "ok\n"


async def test_a_login_node_that_is_down_is_told_once_and_not_hammered(
    server: LoginServer, cluster: SshCluster, caplog: pytest.LogCaptureFixture
) -> None:
    """The first query tries; the next ones wait for the back-off; it heals by itself."""
    caplog.set_level(logging.INFO, "bot.cluster")
    await server.stop()
    with pytest.raises(ClusterUnreachable, match="not reachable"):
        await cluster.run(ask("true"))
    for _ in range(5):
        with pytest.raises(ClusterUnreachable, match=r"^[^;]*not reachable[^;]*; trying again in"):
            await cluster.run(ask("true"))
    assert _actions(caplog) == ["ssh_connecting", "cluster_lost"]
    await server.start()
    await asyncio.sleep(1.4)
    assert (await cluster.run(ask("echo ok"))).stdout == "ok\n"


async def test_another_host_key_is_refused_with_the_line_to_look_at(server: LoginServer) -> None:
    """Never trusted, whoever may have changed it."""
    asyncssh.generate_private_key("ssh-ed25519").write_private_key(server.folder / "host_key")
    await server.stop()
    await server.start()
    async with SshCluster("alice", server.login()) as cluster:
        for _ in range(2):  # the second time, too, it is not called an outage
            with pytest.raises(AccessRefused, match=r"host key .*known_hosts:2"):
                await cluster.run(ask("true"))
    assert server.commands == []


async def test_an_unknown_host_is_refused(server: LoginServer) -> None:
    """A host is not trusted because nobody pinned it."""
    server.known_hosts.write_text("other.example ssh-ed25519 AAAA\n")
    async with SshCluster("alice", server.login()) as cluster:
        with pytest.raises(AccessRefused, match="has no line"):
            await cluster.run(ask("true"))


async def test_a_key_that_is_not_authorized_is_refused(server: LoginServer) -> None:
    """Naming the account."""
    asyncssh.generate_private_key("ssh-ed25519").write_private_key(server.folder / "other")
    login = server.login(keys=(server.folder / "other",))
    async with SshCluster("alice", login) as cluster:
        with pytest.raises(AccessRefused, match=r"alice@127\.0\.0\.1"):
            await cluster.run(ask("true"))


@pytest.mark.parametrize("content", [None, "no key"])
async def test_a_key_that_cannot_be_read_stops_the_start(
    server: LoginServer, content: str | None
) -> None:
    """It is the configuration that is wrong, so say it before anything runs."""
    path = server.folder / "bad"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ConfigError, match="bad"):
        await SshCluster("alice", server.login(keys=(path,))).__aenter__()


async def test_a_key_with_a_passphrase_stops_the_start(server: LoginServer) -> None:
    """Nobody is there to type it; an agent holds such keys."""
    path = server.folder / "locked"
    locked = asyncssh.generate_private_key("ssh-ed25519")
    locked.write_private_key(path, "pkcs8-pem", passphrase="x")  # noqa: S106 (of this test alone)
    with pytest.raises(ConfigError, match="locked"):
        await SshCluster("alice", server.login(keys=(path,))).__aenter__()


async def test_missing_known_hosts_stop_the_start(server: LoginServer) -> None:
    """Host keys are always checked."""
    login = server.login(known_hosts=server.folder / "nowhere")
    with pytest.raises(ConfigError, match="nowhere"):
        await SshCluster("alice", login).__aenter__()


async def test_two_ways_at_once_stop_the_start(server: LoginServer) -> None:
    """Nobody could say which is meant."""
    login = server.login(proxy_jump="bastion", proxy_command=("nc", "x", "22"))
    with pytest.raises(ConfigError, match="exclude each other"):
        await SshCluster("alice", login).__aenter__()


async def test_a_jump_host_is_checked_like_the_login_node(
    server: LoginServer, tmp_path: Path
) -> None:
    """Both hops need a pinned key; a jump host that is none stops the start."""
    with pytest.raises(ConfigError, match="jump host"):
        await SshCluster("alice", server.login(proxy_jump="a:b:c")).__aenter__()
    (tmp_path / "jump").mkdir()
    async with login_server(tmp_path / "jump") as jump:
        (jump.folder / "authorized_keys").write_text(
            (server.folder / "authorized_keys").read_text()
        )
        login = server.login(proxy_jump=f"alice@127.0.0.1:{jump.port}")
        async with SshCluster("alice", login) as cluster:
            with pytest.raises(AccessRefused, match=rf":{jump.port}: the host key .* no line"):
                await cluster.run(ask("true"))
        assert server.commands == []
        with server.known_hosts.open("a") as pins:
            pins.write("\n" + jump.known_hosts.read_text())
        async with SshCluster("alice", login) as cluster:
            assert (await cluster.run(ask("echo ok"))).stdout == "ok\n"
        assert len(jump.connections) == 2


async def test_a_proxy_command_leads_there(server: LoginServer) -> None:
    """Such as gcloud's tunnel: its standard input and output are the connection."""
    if shutil.which("nc") is None and shutil.which("python3") is None:
        pytest.skip("neither nc nor python3 is installed")
    pipe = (
        "import socket,sys,threading,os;"
        f"s=socket.create_connection(('127.0.0.1',{server.port}));"
        "threading.Thread(target=lambda:[s.sendall(b) for b in iter(lambda:os.read(0,65536),b'')],"
        "daemon=True).start();"
        "[(sys.stdout.buffer.write(b),sys.stdout.buffer.flush())"
        " for b in iter(lambda:s.recv(65536),b'')]"
    )
    login = server.login(proxy_command=("python3", "-c", pipe))
    async with SshCluster("alice", login) as cluster:
        assert (await cluster.run(ask("echo ok"))).stdout == "ok\n"


async def test_the_configured_path_and_environment_are_set(server: LoginServer) -> None:
    """`~` is the login account's home; values are quoted."""
    login = server.login(slurm_bin_dirs=("/opt/slurm bin", "~/bin"), env={"MARK": "a 'b"})
    async with SshCluster("alice", login) as cluster:
        out = (await cluster.run(ask('echo "$PATH"; echo "$MARK"; echo "$HOME"'))).stdout
    path, mark, home = out.splitlines()
    assert path.startswith(f"/opt/slurm bin:{home}/bin:/")
    assert mark == "a 'b"


async def test_a_query_may_undo_our_environment(server: LoginServer, cluster: SshCluster) -> None:
    """What runs for a person runs as their login would have it."""
    server.profile = "export TZ=Asia/Tokyo; unset LC_ALL SLURM_TIME_FORMAT"
    script = 'as_login; echo "$TZ ${LC_ALL-unset} ${SLURM_TIME_FORMAT-unset}"'
    assert (await cluster.run(ask(script))).stdout == "Asia/Tokyo unset unset\n"


async def test_nothing_that_was_asked_is_logged(
    cluster: SshCluster, caplog: pytest.LogCaptureFixture
) -> None:
    """Arguments may be anything; only the query's name is told."""
    caplog.set_level(logging.DEBUG)
    await cluster.run(ask("true", "s3cret-word"))
    assert caplog.records
    assert "s3cret-word" not in caplog.text
    assert not [r for r in caplog.records if "s3cret-word" in str(r.__dict__)]


def test_every_error_of_asyncssh_becomes_ours(server_free_login: LoginServer) -> None:
    """Also those of a version to come: nothing of the vendor's leaves the door."""
    login = server_free_login.login()
    for kind in _all(asyncssh.Error):
        try:
            error = kind("why")
        except TypeError:
            error = kind.__new__(kind)
            Exception.__init__(error, "why")
        assert isinstance(ours(error, login), ClusterError), kind
    for error in (OSError("x"), ConnectionResetError(), TimeoutError(), BrokenPipeError()):
        assert isinstance(ours(error, login), ClusterUnreachable)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (asyncssh.HostKeyNotVerifiable("x"), AccessRefused),
        (asyncssh.PermissionDenied("x"), AccessRefused),
        (asyncssh.KeyExchangeFailed("x"), AccessRefused),
        (asyncssh.KeyImportError("x"), AccessRefused),
        (asyncssh.ConnectionLost("x"), ClusterUnreachable),
        (asyncssh.ChannelOpenError(1, "x"), ClusterUnreachable),
        (asyncssh.ServiceNotAvailable("x"), ClusterUnreachable),
    ],
)
def test_what_will_not_pass_by_itself_is_told_apart(
    server_free_login: LoginServer, error: Exception, kind: type[ClusterError]
) -> None:
    """Trying again helps with an outage, not with a wrong key."""
    assert type(ours(error, server_free_login.login())) is kind


@pytest.fixture
def server_free_login(tmp_path: Path) -> LoginServer:
    """The address of a server that need not run."""
    (tmp_path / "known_hosts").write_text("")
    return LoginServer(tmp_path, tmp_path / "key", tmp_path / "known_hosts", port=22)


def _all(kind: type[Exception]) -> Iterator[type[Exception]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _all(child)


def _actions(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.__dict__["action"] for record in caplog.records if "action" in record.__dict__]
