"""The daemons' configuration files, as pure functions of the plan."""

from __future__ import annotations

from bot.demo.cluster.plan import CLUSTER, GPUS, NODES, PARTITIONS, Account, Plan
from bot.demo.cluster.tree import Tree

# Short waits: people look on. A requeue still waits Slurm's own two minutes.
_TIMES = "SlurmctldTimeout=30\nSlurmdTimeout=30\nKillWait=10\nInactiveLimit=0\n"


def slurm_conf(plan: Plan, tree: Tree) -> str:
    """slurm.conf as seen by whoever sees that tree."""
    nodes = "".join(
        f"NodeName={name} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port}"
        f" CPUs=64 RealMemory=256000 Gres=gpu:{GPUS}\n"
        for name, port in zip(NODES, plan.ports.nodes, strict=True)
    )
    # a3m has a default time limit and a3u has none, as both are found on real clusters.
    first, second = PARTITIONS
    return (
        f"ClusterName={CLUSTER}\n"
        f"SlurmctldHost={plan.host}(127.0.0.1)\n"
        f"SlurmctldPort={plan.ports.slurmctld}\n"
        f"SlurmUser={plan.users.slurm}\nSlurmdUser={plan.users.root}\n"
        f"AuthType=auth/munge\nAuthInfo=socket={tree.munge_socket}\n"
        f"StateSaveLocation={tree.spool}/slurmctld\nSlurmdSpoolDir={tree.spool}/%n\n"
        f"SlurmctldPidFile={tree.run}/slurm/slurmctld.pid\n"
        f"SlurmdPidFile={tree.run}/slurm/%n.pid\n"
        "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nMpiDefault=none\n"
        "JobAcctGatherType=jobacct_gather/linux\nJobAcctGatherFrequency=task=2\n"
        "JobAcctGatherParams=OverMemoryKill\n"
        "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=2000\n"
        "SlurmdParameters=config_overrides\n"  # nodes claim more than the machine has
        "SchedulerParameters=sched_interval=5,bf_interval=5\n"
        f"ReturnToService=2\nMailProg=/bin/true\n{_TIMES}"
        f"MinJobAge={plan.min_job_age}\nMaxJobCount=60000\nMaxArraySize=20001\n"
        f"{_accounting(plan, tree)}"
        f"GresTypes=gpu\n{nodes}"
        f"PartitionName={first} Nodes=alice-{first}-[0-1] Default=YES DefaultTime=01:00:00\n"
        f"PartitionName={second} Nodes=alice-{second}-[0-1]\n"
    )


def _accounting(plan: Plan, tree: Tree) -> str:
    if not plan.accounting:
        return "AccountingStorageType=accounting_storage/none\n"
    return (
        "AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageHost=127.0.0.1\n"
        f"AccountingStoragePort={plan.ports.slurmdbd}\n"
        f"AccountingStoragePass={tree.munge_socket}\n"
        "AccountingStoreFlags=job_comment\n"
        "AccountingStorageEnforce=associations,limits,qos\n"
        "AccountingStorageTRES=gres/gpu\n"
    )


def gres_conf(tree: Tree) -> str:
    """gres.conf: the GPUs are empty files, which Slurm counts and hands out all the same."""
    return "".join(
        f"NodeName={node} Name=gpu File={tree.slurm}/gpu/nvidia[0-{GPUS - 1}]\n" for node in NODES
    )


def slurmdbd_conf(plan: Plan, tree: Tree, password: str) -> str:
    """slurmdbd.conf; holds a password, so its mode is 0600."""
    return (
        f"DbdHost=localhost\nDbdPort={plan.ports.slurmdbd}\nSlurmUser={plan.users.slurm}\n"
        f"AuthType=auth/munge\nAuthInfo=socket={tree.munge_socket}\n"
        f"PidFile={tree.run}/slurm/slurmdbd.pid\n"
        "StorageType=accounting_storage/mysql\nStorageHost=127.0.0.1\n"
        f"StoragePort={plan.ports.database}\nStorageLoc=slurm\n"
        f"StorageUser=slurm\nStoragePass={password}\n"
    )


def database_sql(password: str) -> str:
    """What MariaDB is told at its start: a database and its user (a statement a line)."""
    return (
        "CREATE DATABASE IF NOT EXISTS slurm;\n"
        f"CREATE OR REPLACE USER slurm@'127.0.0.1' IDENTIFIED BY '{password}';\n"
        f"CREATE OR REPLACE USER slurm@'localhost' IDENTIFIED BY '{password}';\n"
        "GRANT ALL ON slurm.* TO slurm@'127.0.0.1';\n"
        "GRANT ALL ON slurm.* TO slurm@'localhost';\n"
    )


def sshd_config(plan: Plan, tree: Tree, *, environment: dict[str, str], login: str | None) -> str:
    """sshd_config: keys only. *login* is run in place of each session's command."""
    accounts = " ".join(account.name for account in plan.accounts)
    pairs = " ".join(f'"{name}={value}"' for name, value in environment.items())
    return (
        f"Port {plan.ports.ssh}\nListenAddress 127.0.0.1\nHostKey {tree.ssh}/host_key\n"
        f"PidFile none\nUsePAM no\nStrictModes no\nPermitRootLogin prohibit-password\n"
        "PasswordAuthentication no\nKbdInteractiveAuthentication no\nPrintMotd no\n"
        f"AuthorizedKeysFile {tree.ssh}/authorized_keys/%u\nAllowUsers {accounts}\n"
        f"Subsystem sftp internal-sftp\nSetEnv {pairs}\n"
    ) + (f"ForceCommand {login}\n" if login else "")


def passwd(original: str, accounts: tuple[Account, ...], tree: Tree) -> str:
    """The machine's accounts and the login accounts, in the form of /etc/passwd."""
    names = {account.name for account in accounts}
    kept = [line for line in original.splitlines() if line.partition(":")[0] not in names]
    # An asterisk: no password, and not locked either, which sshd would refuse.
    ours = [f"{a.name}:*:{a.uid}:{a.gid}::{tree.home / a.name}:{a.shell}" for a in accounts]
    return "\n".join([*kept, *ours, ""])


def group(original: str, name: str, gid: int) -> str:
    """The machine's groups and one more, in the form of /etc/group."""
    kept = [line for line in original.splitlines() if line.partition(":")[0] != name]
    return "\n".join([*kept, f"{name}:x:{gid}:", ""])


def cgroup_conf(version: str) -> str:
    """cgroup.conf: without control groups, which few containers allow.

    *version* is what ``slurmd -V`` prints. Each slurmd loads a plugin for them whether it is used
    or not; before 24.05 the one for version 1 was the only one that is content with nothing.
    """
    year, month, *_ = version.rsplit(maxsplit=1)[-1].split(".")
    plugin = "disabled" if (int(year), int(month)) >= (24, 5) else "cgroup/v1"
    return f"CgroupPlugin={plugin}\n"
