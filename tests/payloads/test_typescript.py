"""What the compiler is installed from."""

from __future__ import annotations

import json

from tests.payloads.typescript import HERE, PACKAGE

HOSTS = ("://", "registry", "resolved", "npmjs")


def test_nothing_says_where_packages_come_from() -> None:
    """Whoever installs has a registry of their own; npm would write its address down."""
    texts = {name: (HERE / name).read_text(encoding="utf-8") for name in PACKAGE}
    setting = "omit-lockfile-registry-resolved=true"

    assert setting in texts[".npmrc"].splitlines()
    texts[".npmrc"] = texts[".npmrc"].replace(setting, "")
    assert [(name, host) for name, text in texts.items() for host in HOSTS if host in text] == []


def test_every_package_is_pinned_by_its_content() -> None:
    """Whatever the registry, it cannot give another file."""
    packages = json.loads((HERE / "package-lock.json").read_text(encoding="utf-8"))["packages"]

    assert [name for name, package in packages.items() if name and "integrity" not in package] == []
