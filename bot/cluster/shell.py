"""How a query travels: a script for a plain `/bin/sh` on standard input, its answer framed.

Whatever the login shell, its profile, banner and locale: the prelude sets the environment that
Slurm's formats depend on, and a nonce marks where the answer begins and ends, on both streams.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.cluster.quoting import exports, quoted
from bot.ports import Output

COMMAND = "exec /bin/sh -s"
"""Means the same to every login shell: sh, bash, zsh, csh, fish."""

_UNSET = (
    "SQUEUE_ACCOUNT SQUEUE_ALL SQUEUE_ARRAY SQUEUE_FORMAT SQUEUE_FORMAT2 SQUEUE_LICENSES"
    " SQUEUE_LOCAL SQUEUE_NAMES SQUEUE_PARTITION SQUEUE_PRIORITY SQUEUE_QOS SQUEUE_SORT"
    " SQUEUE_STATES SQUEUE_USERS SINFO_ALL SINFO_FORMAT SINFO_PARTITION SINFO_SORT"
    " SACCT_FORMAT SACCT_LOCAL SLURM_BITSTR_LEN"
)

# `as_login` puts back what the login had, for what is not a question but a person's own launch.
_PRELUDE = f"""
sb_lc=${{LC_ALL+x}}${{LC_ALL-}} sb_tz=${{TZ+x}}${{TZ-}}
sb_tf=${{SLURM_TIME_FORMAT+x}}${{SLURM_TIME_FORMAT-}}
as_login() {{
  case $sb_lc in x*) LC_ALL=${{sb_lc#x}} ;; *) unset LC_ALL ;; esac
  case $sb_tz in x*) TZ=${{sb_tz#x}} ;; *) unset TZ ;; esac
  case $sb_tf in x*) SLURM_TIME_FORMAT=${{sb_tf#x}} ;; *) unset SLURM_TIME_FORMAT ;; esac
}}
export LC_ALL=C TZ=UTC SLURM_TIME_FORMAT=standard
unset {_UNSET}
"""


def prelude(bin_dirs: tuple[str, ...], env: Mapping[str, str]) -> str:
    """Return what stands before each query of a cluster, from its configuration."""
    path = "".join(f"{_folder(path)}:" for path in bin_dirs)
    return f"{exports(env)}PATH={path}$PATH\nexport PATH\n{_PRELUDE}"


def _folder(path: str) -> str:
    """Return a folder as a shell word; `~` and `$HOME` are the login account's home."""
    for home in ("~", "$HOME"):
        if path == home or path.startswith(f"{home}/"):
            return '"$HOME"' + quoted([path[len(home) :]])
    return quoted([path])


def framed(prelude: str, script: str, args: tuple[str, ...], nonce: str) -> str:
    """Return the text to feed to `COMMAND`; the script cannot eat what follows it."""
    return (
        f"{prelude}set -- {quoted(args)}\n"
        f"printf '%s\\n' {nonce}; printf '%s\\n' {nonce} >&2\n"
        f"(\n{script}\n) </dev/null\n"
        f"sb_status=$?; printf '\\n%s\\n' {nonce} >&2; printf '\\n%s %s\\n' {nonce} $sb_status\n"
    )


@dataclass(frozen=True)
class Frame:
    """Finds the answer between the marks of one nonce."""

    nonce: str

    def complete(self, stdout: bytearray, stderr: bytearray) -> bool:
        """Whether both streams have come to their end marks."""
        mark = self.nonce.encode()
        return (
            stdout.endswith(b"\n")
            and b"\n" + mark + b" " in stdout[-(len(mark) + 8) :]
            and stderr.endswith(b"\n" + mark + b"\n")
        )

    def output(self, stdout: bytes, stderr: bytes) -> Output | None:
        """Return what the script itself wrote, or None when it did not get to its end."""
        begin, end = f"{self.nonce}\n", f"\n{self.nonce}"
        out, err = (text.decode("utf-8", "replace") for text in (stdout, stderr))
        _, opened, rest = out.partition(begin)
        body, closed, last = rest.rpartition(end + " ")
        # A program whose script was killed lives on, and may write after the mark.
        status = last.partition("\n")[0]
        if not opened or not closed or not status.isdigit():
            return None
        said = err.partition(begin)[2].rpartition(end)[0]
        return Output(body, said, int(status))
