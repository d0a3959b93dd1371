"""Log files become the JSON that scripts read."""

from __future__ import annotations

import json
from pathlib import Path

from bot.diagnosis.files import diagnose_files, diagnose_folder

REFUSED = "sbatch: error: invalid partition specified: general\n"


def test_a_file_becomes_one_object(tmp_path: Path) -> None:
    """With these fields and no others."""
    log = tmp_path / "a.log"
    log.write_text(REFUSED)
    assert diagnose_files([log]) == {
        "label": "slurm-invalid-partition",
        "title": "The partition general does not exist on this cluster.",
        "confidence": 0.95,
        "evidence": [REFUSED.strip()],
        "remedy": "Choose one of the partitions that exist (sinfo lists them) and resubmit.",
        "actions": ["resubmit_partition"],
        "transient": False,
    }


def test_no_finding_is_the_label_none(tmp_path: Path) -> None:
    """Scripts look at the label."""
    log = tmp_path / "a.log"
    log.write_text("all is well\n")
    assert diagnose_files([log])["label"] == "none"


def test_a_folder_gives_one_object_per_log_with_the_facts_beside_it(tmp_path: Path) -> None:
    """Facts can be left out, and can be missing."""
    (tmp_path / "a.log").write_text("")
    (tmp_path / "a.context.json").write_text(json.dumps({"state": "TIMEOUT"}))
    (tmp_path / "b.log").write_text(REFUSED)
    found = {one["file"]: one["label"] for one in diagnose_folder(tmp_path)}
    assert found == {"a.log": "slurm-time-limit", "b.log": "slurm-invalid-partition"}
    bare = [one["label"] for one in diagnose_folder(tmp_path, with_context=False)]
    assert bare == ["none", "slurm-invalid-partition"]
