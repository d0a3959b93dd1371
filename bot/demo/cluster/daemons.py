"""The daemons of the cluster, described once for every way of running them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from bot.demo.cluster.daemon import Spec
from bot.demo.cluster.plan import NODES, Plan
from bot.demo.cluster.tree import Tree


def munged(plan: Plan, tree: Tree, outside: Tree) -> Spec:
    """The authentication that all of Slurm's parts share."""
    state = tree.munge_socket.parent
    argv = (
        "/usr/sbin/munged",
        "--foreground",
        "--force",
        f"--key-file={tree.munge}/munge.key",
        f"--socket={tree.munge_socket}",
        f"--pid-file={state}/munged.pid",
        f"--log-file={state}/munged.log",
        f"--seed-file={state}/munged.seed",
    )
    return Spec("munged", argv, plan.users.munge, socket=outside.munge_socket, leftover=outside.run)


def mariadbd(plan: Plan, tree: Tree, outside: Tree) -> Spec:
    """The database behind the accounting."""
    del outside
    argv = (
        "/usr/sbin/mariadbd",
        "--no-defaults",
        f"--user={plan.users.database}",
        f"--datadir={tree.database}/data",
        f"--socket={tree.run}/mysqld/mysqld.sock",
        f"--pid-file={tree.run}/mysqld/mysqld.pid",
        f"--port={plan.ports.database}",
        "--bind-address=127.0.0.1",
        f"--init-file={tree.database}/init.sql",
        "--innodb-buffer-pool-size=64M",
        "--innodb-lock-wait-timeout=900",
        "--innodb-flush-log-at-trx-commit=0",  # nothing here outlives the cluster
        "--skip-name-resolve",
    )
    return Spec("mariadbd", argv, plan.users.database, port=plan.ports.database)


def slurmdbd(plan: Plan, tree: Tree, outside: Tree) -> Spec:
    """The accounting."""
    del tree, outside
    argv = ("/usr/sbin/slurmdbd", "-D")
    return Spec("slurmdbd", argv, plan.users.slurm, port=plan.ports.slurmdbd)


def slurmctld(plan: Plan, tree: Tree, outside: Tree) -> Spec:
    """The scheduler."""
    del tree, outside
    argv = ("/usr/sbin/slurmctld", "-D")
    return Spec("slurmctld", argv, plan.users.slurm, port=plan.ports.slurmctld)


def slurmd(node: str, plan: Plan, tree: Tree, outside: Tree) -> Spec:
    """One node."""
    del tree, outside
    argv = ("/usr/sbin/slurmd", "-D", "-N", node)
    port = plan.ports.nodes[NODES.index(node)]
    return Spec(node, argv, plan.users.root, port=port, node=node)


def sshd(plan: Plan, tree: Tree, outside: Tree) -> Spec:
    """The login node."""
    del outside
    argv = ("/usr/sbin/sshd", "-D", "-e", "-f", f"{tree.ssh}/sshd_config")
    return Spec("sshd", argv, plan.users.root, port=plan.ports.ssh)


def tokenizer(plan: Plan, tree: Tree, outside: Tree) -> Spec:
    """Where the GPT-2 tokenizer's two files are downloaded from."""
    del outside
    folder = str(tree.home / "shared" / "tokenizer")
    port = str(plan.ports.tokenizer)
    argv = ("/usr/bin/python3", "-m", "http.server", "--bind", "127.0.0.1", "-d", folder, port)
    return Spec("tokenizer", argv, plan.accounts[0].name, port=plan.ports.tokenizer)


def services(plan: Plan, tree: Tree, outside: Tree) -> Spec:
    """Git server, registries, accounts: what the cluster reaches beyond itself."""
    del outside
    folder = str(tree.opt / "services")
    program = str(tree.opt / "lib" / "services")
    argv = ("/usr/bin/python3", "-EsuB", program, folder, str(plan.ports.services))
    return Spec("services", argv, plan.users.root, port=plan.ports.services)


# By the name that starts and stops them. A node is its slurmd and all that runs on it.
DAEMONS: dict[str, Callable[[Plan, Tree, Tree], Spec]] = {
    "munged": munged,
    "mariadbd": mariadbd,
    "slurmdbd": slurmdbd,
    "slurmctld": slurmctld,
    "sshd": sshd,
    "tokenizer": tokenizer,
    "services": services,
    **{node: partial(slurmd, node) for node in NODES},
}
