"""The images on a cluster."""

from __future__ import annotations

import posixpath

from bot.card import Card
from bot.cards.images import images_card
from bot.cluster.images import images
from bot.login_node import LoginNode


async def show(node: LoginNode) -> Card:
    """List the images in the folders that launches and pulls use."""
    site = await node.site()
    defaults = {}
    if site.image:
        defaults["/nemo run"] = site.image_path(site.image)
    if site.nemo_rl_image:
        defaults["/nemo-rl run"] = site.path(site.nemo_rl_image, site.nemo_rl_dir)
    named = (site.images, site.nemo_dir, site.nemo_rl_dir)
    folders = [site.path(folder) for folder in named if folder]
    folders += [posixpath.dirname(path) for path in defaults.values()]
    folders = list(dict.fromkeys(folders))
    return images_card(node.name, await node.run(images(folders)), defaults, folders)
