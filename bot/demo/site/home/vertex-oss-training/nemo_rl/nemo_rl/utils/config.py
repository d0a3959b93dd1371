"""A configuration file and the `key=value` words that change it."""

from __future__ import annotations

import argparse
import pprint
from pathlib import Path
from typing import Any

import yaml

Config = dict[str, Any]


class OverrideError(Exception):
    """A word that names no key of the configuration."""


def read(default: str) -> Config:
    """The configuration that the command line asks for, printed as it is taken."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", type=Path, default=Path(default))
    arguments, overrides = parser.parse_known_args()
    config: Config = yaml.safe_load(arguments.config.read_text(encoding="utf-8"))
    print(f"Loaded configuration from: {arguments.config}")
    if overrides:
        print(f"Overrides: {overrides}")
        for word in overrides:
            override(config, word)
    print("Applied CLI overrides")
    print("Final config:")
    print(pprint.pformat(config))
    return config


def override(config: Config, word: str) -> None:
    """Set one key; `+key=` adds one, `++key=` does either."""
    path, equals, value = word.partition("=")
    name = path.lstrip("+")
    if not equals or not name:
        raise OverrideError(f"Error parsing override '{word}': expected key=value")
    *above, key = name.split(".")
    section: Any = config
    for each in above:
        section = section.setdefault(each, {}) if path.startswith("+") else section.get(each)
        if not isinstance(section, dict):
            break
    if not isinstance(section, dict) or (key not in section and not path.startswith("+")):
        raise OverrideError(
            f"Could not override '{name}'.\nTo append to your config use +{name}={value}"
        )
    if path.startswith("+") and not path.startswith("++") and key in section:
        raise OverrideError(f"Could not append to config. An item is already at '{name}'.")
    section[key] = yaml.safe_load(value)
