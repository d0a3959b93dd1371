"""The catalogue: every failure that can be named, grouped by theme.

To add one: open the file of its theme, add a `Rule` to its `RULES` with

* `label`, `group`: as the taxonomy of failures names them;
* `patterns`: what the program prints, RE2, without times, paths and numbers. Lines come freed of
  colours and rank prefixes. `^`, `$` only at the ends, and no `.*` where a word will do;
* `title`, `remedy`: one sentence each, filled from the patterns' named groups;
* `actions`: the buttons; `transient`: whether a plain rerun helps;
* `lines`: what a program really printed, a line or more, which the rule must name;
* `strength`: leave it, unless the line is a crash, a time-out or a mere signal; the other fields
  of `Rule` are for what one line alone cannot tell.

Nothing else need be touched. Try it: `.venv/bin/python -m bot diagnose job.out` (`-` for what is
piped in), then `make test ARGS=tests/unit/diagnosis`, and `make eval`, which holds the catalogue to
hundreds of logs. A harmless line that looks alike goes below `[none]` in
`tests/unit/diagnosis/lines.txt`, where the lines of older rules are, too.

Where two rules know the same line, the stronger one wins, then the one that stands first here.
"""

from __future__ import annotations

from bot.diagnosis.rules import (
    access,
    checkpoints,
    collectives,
    config,
    containers,
    data,
    ended,
    faults,
    gpus,
    healthy,
    hub,
    images,
    nodes,
    other,
    queue,
    ray,
    storage,
    submission,
)

MARKS = healthy.MARKS
WARNINGS = healthy.WARNINGS

RULES = (
    *healthy.RULES,
    *submission.RULES,
    *access.RULES,
    *queue.RULES,
    *ended.RULES,
    *nodes.RULES,
    *images.RULES,
    *containers.RULES,
    *gpus.RULES,
    *faults.RULES,
    *collectives.RULES,
    *ray.RULES,
    *hub.RULES,
    *config.RULES,
    *data.RULES,
    *checkpoints.RULES,
    *storage.RULES,
    *other.RULES,
)
