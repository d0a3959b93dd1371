"""A pasted secret is known for what it is, so that its person knows where to revoke it."""

from __future__ import annotations

import pytest

from bot.leaks import LEAKS, leak, leaked

HEX = "0123456789abcdef0123456789abcdef01234567"
PASTED = {
    "run x.py HF_TOKEN=hf_" + "aB3" * 11: ("hugging_face",),
    "hf_" + "a1" * 17: ("hugging_face",),
    f"run x.py WANDB_API_KEY={HEX}": ("wandb",),
    f'submit x.sh -- --wandb-key "{HEX}"': ("wandb",),
    f"wandb login {HEX}": ("wandb",),
    f"wandb {HEX}": ("wandb",),
    f"my wandb key is {HEX}": ("wandb",),
    f"our W&B key is {HEX}": ("wandb",),
    f"our W&amp;B API key: {HEX}": ("wandb",),
    f"weights &amp; biases {HEX}": ("wandb",),
    f"the key is {HEX}": ("other",),
    "ghp_" + "a1B2" * 9: ("github",),
    "github_pat_" + "a1B2" * 9: ("github",),
    "glpat-" + "a1B2" * 5: ("gitlab",),
    "AKIAIOSFODNN7EXAMPLE": ("aws",),
    "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY": ("aws",),
    "AIza" + "a1B2" * 9: ("google",),
    "ya29." + "a1B2" * 9: ("google",),
    "xoxb-1234567890-abcdefgh": ("slack",),
    "nvapi-" + "a1B2" * 9: ("nvidia",),
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n": ("private_key",),
    f"HF_TOKEN=hf_{'aB3' * 11} WANDB_API_KEY={HEX}": ("hugging_face", "wandb"),
    "submit x.sh --password hunter2hunter2": ("other",),
    "https://me:hunter2@example.com/x": ("other",),
}


@pytest.mark.parametrize("text", PASTED)
def test_a_pasted_secret_is_known_for_what_it_is(text: str) -> None:
    """By its shape, or by the name it stands behind."""
    assert leaked(text) == PASTED[text]
    assert leaked(f"please {text} now") == PASTED[text]


@pytest.mark.parametrize(
    "text",
    [
        "run pretrain/llama3p1_2b_pt.py -n 2 -p a3m",
        f"setup --ref {HEX}",
        'logs 75 --grep "HF_TOKEN|tokenizer"',
        "run dpo policy.tokenizer.name=gpt2 policy.max_total_sequence_length=512 eos_token_id=2",
        "run dpo logger.wandb_enabled=False logger.wandb.project=hf_experiments",
        "submit x.sh --job-name AKIA-run -- --num-tokens 4096 --secret-santa",
        "export HF_TOKEN=YOUR_HF_TOKEN\nexport WANDB_API_KEY=YOUR_WANDB_API_KEY",
        "",
    ],
)
def test_ordinary_words_are_no_secrets(text: str) -> None:
    """A command that is refused for nothing would be a nuisance."""
    assert leaked(text) == ()


def test_each_kind_says_whose_it_is_and_what_to_do() -> None:
    """Also one of an older version of the bot."""
    for one in LEAKS:
        assert leak(one.kind) is one
        assert one.what.startswith(("a ", "an "))
        assert one.revoke
        assert not one.revoke.endswith(".")
    assert leak("forgotten").kind == "other"
