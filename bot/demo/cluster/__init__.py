"""The embedded cluster: a real Slurm, accounting and sshd on this machine."""

from __future__ import annotations

from bot.demo.cluster.address import ClusterAddress, Login
from bot.demo.cluster.cluster import EmbeddedCluster
from bot.demo.cluster.errors import ClusterError
from bot.demo.cluster.process import Completed

__all__ = ["ClusterAddress", "ClusterError", "Completed", "EmbeddedCluster", "Login"]
