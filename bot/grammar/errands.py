"""What is typed for errands: setting up, and images."""

from __future__ import annotations

from typing import Annotated

from bot.options import Options, flag, word
from bot.shape import one_of
from bot.shapes import GitName, ImageSource, Path

REGIONS = ("us", "europe", "asia")
PREBUILT = ("nemo", "nemo-rl")


class ImageList(Options):
    """The images on the cluster."""


class ImagePull(Options):
    """A copy of an image that is there already."""

    image: Annotated[
        ImageSource,
        word("IMAGE", help="`nemo`, `nemo-rl`, a `gs://…` URL, or a path below `/gcs`"),
    ]
    to: Annotated[
        Path | None,
        flag("--to", metavar="PATH", help="where to put it: a folder, or a `.sqsh` file"),
    ] = None
    region: Annotated[
        Annotated[str, one_of(*REGIONS)] | None,
        flag("--region", metavar="REGION", help="whose bucket to take", choices=REGIONS),
    ] = None


class NemoSetup(Options):
    """What NeMo recipes need."""


class NemoRlSetup(Options):
    """What NeMo-RL needs."""

    ref: Annotated[
        GitName | None,
        flag("--ref", metavar="REF", help="the branch, tag or commit of NeMo-RL to check out"),
    ] = None
