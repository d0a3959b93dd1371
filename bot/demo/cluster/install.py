"""Put the cluster's folders, configuration, keys and homes in place."""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path

from bot.demo.cluster import conf, process, repositories, services, site
from bot.demo.cluster.address import Beyond, ClusterAddress, Login
from bot.demo.cluster.place import Place
from bot.demo.cluster.plan import ACCOUNT, GPUS, NODES, PARTITIONS, Plan

_TOOLS = {"PATH": "/usr/bin:/bin"}


class Installation:
    """Everything that the daemons find when they start."""

    def __init__(self, directory: Path, place: Place, plan: Plan, python: Path) -> None:
        self._directory = directory
        self._keys = directory / "keys"
        self._place = place
        self._plan = plan
        self._python = python
        self._admission = services.Admission.fresh()

    def address(self) -> ClusterAddress:
        """What clients will need."""
        first, *others = self._plan.accounts
        shared = self._place.tree.home
        home = shared / first.name
        return ClusterAddress(
            host="127.0.0.1",
            port=self._plan.ports.ssh,
            user=first.name,
            key=self._keys / first.name,
            known_hosts=self._keys / "known_hosts",
            other=Login(others[0].name, self._keys / others[0].name) if others else None,
            slurm_conf=self._keys / "slurm.conf",
            home=str(home),
            workdir=str(home / "vertex-oss-training" / "nemo"),
            nemo_rl=str(home / "vertex-oss-training" / "nemo_rl"),
            images=str(home / "images"),
            cache=str(home / ".cache"),
            jobs=str(home / "jobs"),
            account=ACCOUNT,
            partitions=PARTITIONS,
            tokenizer_url=f"http://127.0.0.1:{self._plan.ports.tokenizer}",
            tokenizer_dir=str(shared / "shared" / "tokenizer"),
            gcs=str(self._place.tree.gcs),
            beyond=self._beyond(),
        )

    def _beyond(self) -> Beyond:
        """Where the bot finds what is not the cluster itself."""
        outside, url = self._place.outside, f"http://127.0.0.1:{self._plan.ports.services}"
        first, *_ = self._plan.accounts
        return Beyond(
            hugging_face=f"{url}/huggingface.co",
            wandb=f"{url}/api.wandb.ai",
            hf_token=self._keys / "HF_TOKEN",
            wandb_key=self._keys / "WANDB_API_KEY",
            recipes=f"https://{repositories.RECIPES}",
            gcloud=outside.opt / "bin" / "gcloud",
            gcloud_config=outside.home / first.name / ".config" / "gcloud",
            machine=self._plan.host,
            project=services.PROJECT,
            zone=services.ZONE,
        )

    def make_folders(self) -> None:
        """Make every folder, owned by whoever writes there."""
        outside, users = self._place.outside, self._plan.users
        (self._directory / "spool").mkdir()
        outside.spool.symlink_to(self._directory / "spool")
        private = [self._directory / "nodes" / node for node in NODES]
        owned = {
            outside.slurm / "gpu": users.root,
            outside.munge: users.munge,
            outside.ssh / "authorized_keys": users.root,
            outside.munge_socket.parent: users.munge,
            outside.run / "slurm": users.slurm,
            outside.run / "mysqld": users.database,
            outside.run / "sshd": users.root,
            outside.spool / "slurmctld": users.slurm,
            **{outside.spool / node: users.root for node in NODES},
            outside.database: users.database,
            outside.home: users.root,
            outside.opt: users.root,
            outside.gcs: users.root,
            self._keys: users.root,
            self._directory / "tmp": users.root,
            **dict.fromkeys(private, users.root),
        }
        for folder, user in owned.items():
            folder.mkdir(parents=True)
            folder.chmod(0o755)
            self._place.own(folder, user)
        for folder in (self._directory / "tmp", *private):
            folder.chmod(0o1777)
        for number in range(GPUS):
            (outside.slurm / "gpu" / f"nvidia{number}").touch()

    async def write(self) -> None:
        """Write every configuration file, key and home."""
        outside, tree, users = self._place.outside, self._place.tree, self._plan.users
        password = secrets.token_hex(16)
        self._file(outside.munge / "munge.key", secrets.token_bytes(1024), users.munge, 0o400)
        self._file(outside.slurm / "slurm.conf", conf.slurm_conf(self._plan, tree), users.root)
        self._file(outside.slurm / "gres.conf", conf.gres_conf(tree), users.root)
        version = await process.run(["/usr/sbin/slurmd", "-V"], environment=_TOOLS)
        cgroup = conf.cgroup_conf(version.stdout)
        self._file(outside.slurm / "cgroup.conf", cgroup, users.root)
        dbd = conf.slurmdbd_conf(self._plan, tree, password)
        self._file(outside.slurm / "slurmdbd.conf", dbd, users.slurm, 0o600)
        sql = conf.database_sql(password)
        self._file(outside.database / "init.sql", sql, users.database, 0o600)
        # The same cluster for Slurm's tools outside the namespaces: only the socket lies elsewhere.
        self._file(self._keys / "slurm.conf", conf.slurm_conf(self._plan, outside), users.root)
        sshd = conf.sshd_config(
            self._plan, tree, environment=self._session(), login=self._place.login
        )
        self._file(outside.ssh / "sshd_config", sshd, users.root)
        await self._make_keys()
        await services.install(outside, tree, self._plan, self._admission, python=self._python)
        first, *_ = self._plan.accounts
        for account in self._plan.accounts:
            home = outside.home / account.name
            programs = (tree.python / "bin", tree.opt / "bin")
            await site.furnish(home, programs, recipes=outside.opt / "services" / "git")
            if account == first:  # the others have not logged in to anything yet
                services.furnish(home, self._admission)
            self._place.own(home, account.name)
        for name, value in (
            ("HF_TOKEN", self._admission.hugging_face),
            ("WANDB_API_KEY", self._admission.wandb),
        ):
            self._file(self._keys / name, f"{value}\n", users.root, 0o600)
        site.share(outside.home / "shared")

    def _session(self) -> dict[str, str]:
        """What sshd puts into each session; it sets the names and homes of real accounts itself."""
        address = self.address()
        known = self._place.environment(address.user)
        kept = ("PATH", "SLURM_CONF") if len(self._plan.accounts) > 1 else known
        return {
            "GPT2_TOKENIZER_URL": address.tokenizer_url,
            **services.session(self._place.tree, self._plan),
            **{name: known[name] for name in kept if name in known},
        }

    async def _make_keys(self) -> None:
        ssh = self._place.outside.ssh
        await _make_key(ssh / "host_key")
        for account in self._plan.accounts:
            key = self._keys / account.name
            await _make_key(key)
            shutil.copyfile(f"{key}.pub", ssh / "authorized_keys" / account.name)
        kind, host_key, *_ = (ssh / "host_key.pub").read_text().split()
        address = self.address()
        line = f"[{address.host}]:{address.port} {kind} {host_key}\n"
        address.known_hosts.write_text(line)

    def _file(self, path: Path, text: str | bytes, user: str, mode: int = 0o644) -> None:
        path.touch(mode=0o600)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        path.chmod(mode)
        self._place.own(path, user)


async def _make_key(path: Path) -> None:
    argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(path)]
    await process.run(argv, environment=_TOOLS)
