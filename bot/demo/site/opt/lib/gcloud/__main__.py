"""`gcloud`, as far as a training cluster needs it; see `COMMANDS`."""

from __future__ import annotations

import sys

import auth
import storage
import tunnel
from sdk import Failed, flags

COMMANDS = {
    ("auth", "list"): auth.listed,
    ("auth", "print-access-token"): auth.print_access_token,
    ("auth", "login"): auth.login,
    ("config", "get-value"): auth.get_value,
    ("config", "get"): auth.get_value,
    ("storage", "ls"): storage.ls,
    ("storage", "cp"): storage.cp,
    ("compute", "start-iap-tunnel"): tunnel.start,
}


def main() -> int:
    """Find the command and run it; failures end with gcloud's own words and status 1."""
    words, options = flags(sys.argv[1:])
    command = COMMANDS.get(tuple(words[:2]))
    if command is None:
        said = " ".join(words[:2])
        print(f"ERROR: (gcloud) Invalid choice: '{said}'.", file=sys.stderr)
        return 2
    try:
        return command(words[2:], options)
    except Failed as error:
        name = ".".join(words[:2])
        print(f"ERROR: (gcloud.{name}) {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        print("\n\nCommand killed by keyboard interrupt\n", file=sys.stderr)
        return 1


sys.exit(main())
