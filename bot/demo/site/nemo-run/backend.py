"""Builds NeMo-Run's wheel with Python alone.

`packages.pth` goes into it in place of its dependencies: it leads to the environment that has them.
"""

from __future__ import annotations

import hashlib
import zipfile
from base64 import urlsafe_b64encode
from email import message_from_string
from pathlib import Path

_HERE = Path(__file__).parent
_TAG = "py3-none-any"
_WHEEL = f"Wheel-Version: 1.0\nGenerator: site\nRoot-Is-Purelib: true\nTag: {_TAG}\n"


def build_wheel(
    wheel_directory: str,
    config_settings: object = None,
    metadata_directory: object = None,
) -> str:
    """Write the wheel and return its name."""
    del config_settings, metadata_directory
    kept = [
        line
        for line in (_HERE / "METADATA").read_text().splitlines(keepends=True)
        if not line.startswith(("Requires-Dist:", "Provides-Extra:", "License-File:", "Dynamic:"))
    ]
    metadata = "".join(kept)
    version = message_from_string(metadata)["Version"]
    info = f"nemo_run-{version}.dist-info"
    files = {
        str(path.relative_to(_HERE)): path.read_bytes()
        for path in sorted((_HERE / "nemo_run").rglob("*"))
        if path.is_file()
    }
    files["nemo_run_packages.pth"] = (_HERE / "packages.pth").read_bytes()
    files[f"{info}/METADATA"] = metadata.encode()
    files[f"{info}/WHEEL"] = _WHEEL.encode()
    files[f"{info}/entry_points.txt"] = (_HERE / "entry_points.txt").read_bytes()
    rows = [f"{name},sha256={_digest(content)},{len(content)}" for name, content in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    name = f"nemo_run-{version}-{_TAG}.whl"
    with zipfile.ZipFile(Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            wheel.writestr(path, content)
    return name


def _digest(content: bytes) -> str:
    return urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
