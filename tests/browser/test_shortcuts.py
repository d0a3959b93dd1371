"""A message's menu on the page: a log is pasted or attached, and diagnosed where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from bot.demo.slack.workspace import TRAINING
from tests.browser.conftest import Stage, keep
from tests.unit.answering import answering

pytestmark = pytest.mark.asyncio(loop_scope="session")

LOG = """[rank3]: step 410 loss 2.113
[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total \
capacity of 79.10 GiB of which 1.02 GiB is free.
srun: error: alice-a3m-1: task 3: Exited with exit code 1
"""


async def diagnose(page: Page, message: str) -> None:
    """Choose the shortcut of the message that says this."""
    place = page.locator("#main .message", has_text=message).first
    await place.hover()
    await place.get_by_role("button", name="More actions").click()
    await page.get_by_role("option", name="Diagnose this log").click()


@pytest.mark.parametrize("screen", ["desk", "phone"])
async def test_a_log_on_the_page_is_diagnosed_in_its_thread(
    stage: Stage, tmp_path: Path, screen: str
) -> None:
    """Attached as a file, from its menu."""
    log = tmp_path / "train.log"
    log.write_text(LOG)
    async with answering(stage.app, tmp_path):
        page = await stage.open(TRAINING, phone=screen == "phone")
        async with page.expect_file_chooser() as chooser:
            await page.get_by_role("button", name="Attach files").click()
        await (await chooser.value).set_files(log)
        await expect(page.locator("#main .file")).to_contain_text("OutOfMemoryError")
        place = page.locator("#main .message").first
        await place.hover()
        await place.get_by_role("button", name="More actions").click()
        await keep(page, f"shortcut-{screen}")
        await page.get_by_role("option", name="Diagnose this log").click()
        whisper = page.locator("#main .message.ephemeral")
        await expect(whisper).to_contain_text("The answer comes into the message's thread.")
        await page.locator("#main .replies").click()
        answer = page.locator("#thread .message").nth(1)
        await expect(answer).to_contain_text("Tried to allocate 2.00 GiB")
        await expect(answer).to_contain_text("train.log, line 2")
        await keep(page, f"diagnosed-{screen}")


async def test_a_pasted_log_is_diagnosed_too(stage: Stage, tmp_path: Path) -> None:
    """As it was typed into the composer."""
    async with answering(stage.app, tmp_path):
        page = await stage.open(TRAINING)
        await page.locator("#main textarea").fill(LOG)
        await page.keyboard.press("Enter")
        await diagnose(page, "OutOfMemoryError")
        await expect(page.locator("#main .replies")).to_contain_text("1 reply")
        await page.locator("#main .replies").click()
        await expect(page.locator("#thread .message").nth(1)).to_contain_text("Tried to allocate")
