"""These tests share the session's cluster."""

from __future__ import annotations

from tests.cluster_fixture import alice, bob, cluster

__all__ = ["alice", "bob", "cluster"]
