"""The line that leads people where the bot goes."""

from __future__ import annotations

from bot.cluster.ssh_line import ssh_line


def test_a_plain_login_is_short() -> None:
    """The usual port is not named, another one is."""
    assert ssh_line(user="ann", host="login.example.org", port=22) == "ssh ann@login.example.org"
    assert ssh_line(user="ann", host="login", port=2222) == "ssh -p 2222 ann@login"


def test_a_jump_is_one() -> None:
    """As `ssh -J` takes it."""
    line = ssh_line(user="ann", host="login", port=22, proxy_jump="ann@bastion:2022")
    assert line == "ssh -J ann@bastion:2022 ann@login"


def test_an_iap_tunnel_is_the_documented_command() -> None:
    """Project and zone are kept, what only the tunnel needs is not."""
    tunnel = (
        *("gcloud", "compute", "start-iap-tunnel", "alice-login-001", "22"),
        *("--listen-on-stdin", "--project", "research", "--zone=europe-north1-c"),
    )
    line = ssh_line(user="ann", host="alice-login-001", port=22, proxy_command=tunnel)
    assert line == (
        "gcloud compute ssh ann@alice-login-001 --tunnel-through-iap"
        " --project research --zone=europe-north1-c"
    )


def test_any_other_proxy_command_is_quoted_as_one() -> None:
    """It reaches ssh as one option."""
    line = ssh_line(user="ann", host="login", port=22, proxy_command=("nc", "a b", "22"))
    assert line == """ssh -o 'ProxyCommand=nc '"'"'a b'"'"' 22' ann@login"""
