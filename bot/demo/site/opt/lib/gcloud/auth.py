"""`gcloud auth` and `gcloud config`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

import sdk


def listed(words: Sequence[str], options: Mapping[str, str]) -> int:
    """`auth list`: who has logged in, and who of them is active."""
    del words
    active = sdk.value("core", "account")
    known = sorted(sdk.accounts())
    if options.get("--filter") in {"status:ACTIVE", "status=ACTIVE"}:
        known = [name for name in known if name == active]
    if options.get("--format", "").startswith("value(account"):
        print("".join(f"{name}\n" for name in known), end="")
    elif not known:
        print("\nNo credentialed accounts.\n", file=sys.stderr)
        print("To login, run:\n  $ gcloud auth login `ACCOUNT`\n", file=sys.stderr)
    else:
        print("Credentialed Accounts\nACTIVE  ACCOUNT")
        for name in known:
            print(f"{'*' if name == active else ' ':8}{name}")
        print("\nTo set the active account, run:", file=sys.stderr)
        print("    $ gcloud config set account `ACCOUNT`\n", file=sys.stderr)
    return 0


def print_access_token(words: Sequence[str], options: Mapping[str, str]) -> int:
    """`auth print-access-token`."""
    del words, options
    print(sdk.access_token())
    return 0


def login(words: Sequence[str], options: Mapping[str, str]) -> int:
    """`auth login`: needs a person at a terminal and a browser."""
    del words, options
    if not sys.stdin.isatty():
        raise sdk.Failed(
            "Cannot prompt during non-interactive execution. Please run this command in a terminal."
        )
    print("Go to the following link in your browser, and complete the sign-in prompts:\n")
    print("    https://accounts.google.com/o/oauth2/auth\n")
    input("Once finished, enter the verification code provided in your browser: ")
    raise sdk.Failed("invalid_grant: Malformed auth code.")


def get_value(words: Sequence[str], options: Mapping[str, str]) -> int:
    """`config get-value account`, `project`, `compute/zone`; unset is said on standard error."""
    del options
    section, slash, name = (words[0] if words else "").rpartition("/")
    found = sdk.value(section if slash else "core", name)
    if found:
        print(found)
    else:
        print("(unset)", file=sys.stderr)
    return 0
