"""The images on a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.card import Bullets, Card, Mono, Paragraph, Part, Text
from bot.cards.trouble import sentences
from bot.cluster.images import Condition, Image
from bot.words import count, listed, storage


def images_card(
    cluster: str, images: Sequence[Image], defaults: Mapping[str, str], folders: Sequence[str]
) -> Card:
    """Return the images; `defaults` are the paths that a command takes when none is named."""
    whole = {image.path for image in images if image.condition is Condition.WHOLE}
    missing = [command for command, path in defaults.items() if path not in whole]
    notes: list[Part] = [
        Paragraph(text=sentences(_missing(command, defaults[command]))) for command in missing
    ]
    if not images:
        looked = f"There is no image on {cluster}. Looked in {listed([f'`{f}`' for f in folders])}"
        return Card(
            lead=sentences(looked, "`/nemo image pull nemo` copies one"), parts=tuple(notes)
        )
    by_path = {path: command for command, path in defaults.items()}
    half = [image for image in images if image.condition is not Condition.WHOLE]
    lead = f"{count(len(images), 'image')} on {cluster}"
    if half:
        lead += f", {len(half)} of them not whole"
    items = tuple(_item(image, by_path.get(image.path, "")) for image in images)
    foot: tuple[Text, ...] = ()
    if half:
        foot = (("Pulling an image again replaces what is half-written: ", _PULL),)
    return Card(lead=(f"{lead}.",), parts=(*notes, Bullets(items=items)), foot=foot)


_PULL = Mono(text="/nemo image pull nemo|nemo-rl|gs://…")


def _missing(command: str, path: str) -> str:
    kind = "nemo-rl" if command.startswith("/nemo-rl") else "nemo"
    return (
        f"What `{command}` takes when no image is named is not there, or not whole: `{path}`. "
        f"`/nemo image pull {kind}` copies one"
    )


def _item(image: Image, command: str) -> Text:
    """Return the path, as it can be typed behind `-i`, and what is known of it."""
    words = f": {image.condition.value}; {storage(image.size)}, of {image.changed:%Y-%m-%d}."
    if not command:
        return (Mono(text=image.path), words)
    return (Mono(text=image.path), f"{words} ", Mono(text=command), " takes it when none is named.")
