"""Secrets go, and nothing else does."""

from __future__ import annotations

import random
import string
import time
from datetime import UTC, datetime

import pytest

from bot.card import Bullets, Button, Card, Excerpt, Fact, Moment, Mono, Paragraph, Person, Table
from bot.redact import MARK, redact, redact_card

ALNUM = "aB3dE5gH7jK9mN1pQ2sT4vW6yZ8"
HEX40 = "0123456789abcdef0123456789abcdef01234567"
TOKENS = {
    "slack bot": "xoxb" + "-123456789012-123456789012-" + ALNUM,
    "slack app": "xapp" + "-1-A0123-456-" + ALNUM,
    "slack rotated": "xoxe" + ".xoxp-1-" + ALNUM,
    "hugging face": "hf" + "_" + ALNUM + "abcdefg",
    "hugging face, short": "hf" + "_" + ALNUM[:22],
    "hugging face, letters": "hf" + "_" + string.ascii_letters[:34],
    "github": "ghp" + "_" + ALNUM + "abcdefghi",
    "github fine": "github" + "_pat_" + ALNUM,
    "gitlab": "glpat" + "-" + ALNUM[:20],
    "aws": "AKIA" + "IOSFODNN7EXAMPLE",
    "google key": "AIza" + "Sy" + ALNUM + "abcdefg",
    "google token": "ya29" + ".a0" + ALNUM,
    "google refresh": "1//0" + "g" + ALNUM,
    "jwt": "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJ" + "zdWIiOiIxIn0." + ALNUM,
    "openai": "sk" + "-proj-" + ALNUM,
    "nvidia": "nvapi" + "-" + ALNUM,
    "wandb": "wandb" + "_v1_" + ALNUM,
}


@pytest.mark.parametrize("token", TOKENS.values(), ids=TOKENS)
@pytest.mark.parametrize(
    "line",
    [
        "{}",
        "login with {} failed",
        "a={},b",
        "'{}'",
        "line one\\n{}\\n",
        "({})",
        "https://x.org/?t={}&u=1",
        "{}\n{}",
        "[rank3]: {}.",
    ],
)
def test_a_token_is_known_by_its_shape(token: str, line: str) -> None:
    said = redact(line.replace("{}", token))
    assert token not in said
    assert ALNUM not in said
    assert MARK in said


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("+ export HF_TOKEN=abc", f"+ export HF_TOKEN={MARK}"),
        ("++ WANDB_API_KEY=abc python x.py", f"++ WANDB_API_KEY={MARK} python x.py"),
        ("MY_SECRET='a b c' x", f"MY_SECRET='{MARK}' x"),
        ('DB_PASSWORD="a \\" b" x', f'DB_PASSWORD="{MARK}" x'),
        ("PASSWORD='it'\\''s' x", f"PASSWORD='{MARK}' x"),
        ("PGPASSWORD=a1 psql", f"PGPASSWORD={MARK} psql"),
        ("CUSTOM_TOKEN=12ab", f"CUSTOM_TOKEN={MARK}"),
        ("SOME_API_KEY_2=abc", f"SOME_API_KEY_2={MARK}"),
        ('{"hf_token": "abc", "n": 1}', f'{{"hf_token": "{MARK}", "n": 1}}'),
        ('{"hf_token":"abc","n":1}', f'{{"hf_token":"{MARK}","n":1}}'),
        ("{'password': 'p w', 'n': 1}", f"{{'password': '{MARK}', 'n': 1}}"),
        ('say \\"api_key\\": \\"a b\\", x', f'say \\"api_key\\": \\"{MARK}\\", x'),
        ("  password: hunter2", f"  password: {MARK}"),
        ("client_secret = 'abc'", f"client_secret = '{MARK}'"),
        ("Config(hf_token='abc', n=1)", f"Config(hf_token='{MARK}', n=1)"),
        ("Config(api_key=abc, n=1)", f"Config(api_key={MARK}, n=1)"),
        ('os.environ["HF_TOKEN"] = "abc"', f'os.environ["HF_TOKEN"] = "{MARK}"'),
        ("run --token abc -n 2", f"run --token {MARK} -n 2"),
        ("run --hf-token=abc -n 2", f"run --hf-token={MARK} -n 2"),
        ("run --wandb-api-key 'a b' -n 2", f"run --wandb-api-key '{MARK}' -n 2"),
        ("run --password abc", f"run --password {MARK}"),
        ('docker run -e "HF_TOKEN=abc" img x', f'docker run -e "HF_TOKEN={MARK}" img x'),
        ("https://x.org/?token=abcd1234efgh&y=1", f"https://x.org/?token={MARK}&y=1"),
        ("https://x.org/?X-Goog-Signature=abc&y=1", f"https://x.org/?X-Goog-Signature={MARK}&y=1"),
        ("https://ana:pw@x.org/a", f"https://ana:{MARK}@x.org/a"),
        ("postgresql+asyncpg://b:p@ss@db/x", f"postgresql+asyncpg://b:{MARK}@db/x"),
        ("https://abcdefghijklmnopqrst@x.org", f"https://{MARK}@x.org"),
        ("-H 'Authorization: Bearer abc' x", f"-H 'Authorization: Bearer {MARK}' x"),
        ("Authorization: Basic YTpi", f"Authorization: Basic {MARK}"),
        ('"authorization": "token abc"', f'"authorization": "token {MARK}"'),
        ("Cookie: a=b; c=d", f"Cookie: {MARK}"),
        ("machine h login ana password abc", f"machine h login ana password {MARK}"),
        (f"wandb login {HEX40}", f"wandb login {MARK}"),
        (f"API key: {HEX40}", f"API key: {MARK}"),
        ("token: 12345678abcdefgh", f"token: {MARK}"),
        ("aws_secret_access_key = abc/def+g", f"aws_secret_access_key = {MARK}"),
    ],
)
def test_a_secret_is_known_by_the_name_in_front_of_it(line: str, left: str) -> None:
    assert redact(line) == left


TRAINING = f"""
Training epoch 0, iteration 45/99 | lr: 6.897e-06 | global_batch_size: 128 | global_step: 45 | reduced_train_loss: 11.96
 iteration       20/    1000 | consumed samples:          320 | tokens per GPU (tokens/s/GPU): 2712.7 | lm loss: 1.07E+01
consumed tokens: 5, num_tokens: 5, tokens: 4096, max_tokens=4096, total_tokens = 1_000_000, tokens/s: 12.5
tokenizer: gpt2, TOKENIZERS_PARALLELISM=false, tokenizer_type: GPT2BPETokenizer, tokenizer=AutoTokenizer(name='gpt2')
eos_token: </s>, pad_token=[PAD], bos_token='<s>', "unk_token": "<unk>", mask_token_id=4, pad_token_id: 50256
moe_token_dispatcher_type: alltoall, token_type_ids=[0, 0, 1], moe_token_drop_policy=probs, image_token: <image>
special_tokens_map.json, added_tokens.json, next_token: the, "token": "hello", token: 42, token_embedding: 768
HF_TOKEN is not set; HF_TOKEN=$HF_TOKEN HF_TOKEN=${{HF_TOKEN}} api_key=None, password=null WANDB_API_KEY: not set
wandb: ERROR api_key not configured (no-tty). call wandb.login(key=[your_api_key])
commit {HEX40} checkpoint key: value, Unexpected key(s) in state_dict: "model.key", monkey=1, sort_key=loss
HEAD is now at {HEX40} and sha256:{HEX40}
TOKEN_FILE=/run/secrets/token HF_TOKEN_PATH=/root/.cache/token secret_name: hf, password_file=/etc/x
hf_model_name hf_AutoModelForCausalLMWithHead sk-learn-contrib-something-long task-0123456789abcdefghijklmn
https://github.com/NVIDIA/NeMo-Run.git ssh://git@github.com/x http://localhost:8080/a@b docker://nvcr.io#nvidia/nemo:24.07
RuntimeError: NCCL error: unhandled system error, secretly; see the tokenization docs, passwordless sudo
set the git credential with `add_to_git_credential=True`, credentials: default
"""  # noqa: E501 -- lines as programs print them


def test_ordinary_training_lines_stay_as_they_are() -> None:
    for line in TRAINING.splitlines():
        assert redact(line) == line
    assert redact(TRAINING) == TRAINING


KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n{}\n-----END OPENSSH PRIVATE KEY-----".format(
    "b3BlbnNzaC1rZXktdjEAAAAA" * 3, "QyNTUxOQAAACDa" * 4
)


@pytest.mark.parametrize(
    "text",
    [
        KEY,
        KEY.replace("\n", "\\n"),
        KEY[:60],
        KEY[40:],
        KEY.replace("OPENSSH ", ""),
        "\n".join(f"3: {line}" for line in KEY.splitlines()),
    ],
    ids=["whole", "escaped", "beginning", "end", "pkcs8", "ranks"],
)
def test_a_private_key_goes_whole_or_cut(text: str) -> None:
    said = redact(f"before\n{text}\n")
    assert "b3Blbn" not in said
    assert "QyNTUx" not in said
    assert said.startswith("before\n")


def test_a_known_value_goes_wherever_it_stands() -> None:
    phrase = "correct horse battery"
    assert redact(f"x{phrase}y {phrase}", [phrase, "horse"]) == f"x{MARK}y {MARK}"


def test_known_values_that_could_be_words_are_left() -> None:
    assert redact("the run ran", ["run", ""]) == "the run ran"


def test_a_known_value_of_several_lines_goes_line_by_line() -> None:
    assert redact("a: second line of it", ["first line of it\nsecond line of it"]) == f"a: {MARK}"


@pytest.mark.parametrize("seed", range(10))
def test_redacting_twice_is_redacting_once(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 -- the same texts in each run
    names = (
        "HF_TOKEN=",
        "password: ",
        "--token ",
        "Authorization: Bearer ",
        "https://a:",
        "token",
        "",
    )
    ends = (" ", "\n", ", ", "' ", '" ', "@x ", "}", "; ", MARK, "\\n")
    values = (*TOKENS.values(), KEY, "'a b'", '"c', "x", MARK, "$A")
    for _ in range(100):
        text = "".join(
            chance.choice(names) + chance.choice(values) + chance.choice(ends) for _ in range(6)
        )
        once = redact(text)
        assert redact(once) == once


def test_every_string_of_a_card_is_redacted() -> None:
    secret = TOKENS["hugging face"]
    card = Card(
        lead=(
            secret,
            Mono(text=secret),
            Person(user="U1"),
            Moment(at=datetime(2030, 1, 1, tzinfo=UTC)),
        ),
        title=secret,
        facts=(Fact(label="key", value=(secret,)),),
        parts=(
            Paragraph(text=(secret,)),
            Excerpt(caption=(secret,), text=f"HF_TOKEN=short {secret}"),
            Bullets(items=((secret,),)),
            Table(head=("a",), rows=((secret,),)),
        ),
        buttons=(Button(action="rerun", label=secret, value="alice:75", confirm=secret),),
        foot=((secret,),),
    )
    said = redact_card(card)
    assert secret not in said.model_dump_json()
    assert "short" not in said.model_dump_json()
    assert said.buttons[0].value == "alice:75"
    assert said.lead[2:] == card.lead[2:]


def test_a_card_without_secrets_stays_equal() -> None:
    card = Card(lead=("Running on ", Mono(text="a3m")), parts=(Excerpt(text=TRAINING),))
    assert redact_card(card, ["not in there"]) == card


@pytest.mark.parametrize(
    "unit",
    [
        "token=",
        'token="',
        "password='",
        "-----BEGIN PRIVATE KEY-----",
        "a",
        "A" * 20 + "\n",
        "eyJaaaaaaaa.",
        "https://a:",
        "token_",
        "api_key: '",
        "\\",
        "0,",
        "TOKEN=0,,,,",
    ],
)
def test_time_grows_with_the_text_and_no_faster(unit: str) -> None:
    """Eight times the text may take at most thirty times as long; a square would take 64 times."""
    small, large = unit * (40_000 // len(unit)), unit * (320_000 // len(unit))
    redact(small)
    assert _seconds(large) < 30 * max(_seconds(small), 0.001)


def _seconds(text: str) -> float:
    begun = time.process_time()
    redact(text)
    return time.process_time() - begun
