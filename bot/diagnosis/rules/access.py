"""The way to the cluster, and Slurm's own doors."""

from __future__ import annotations

from functools import partial

from bot.diagnosis.rule import WENT_ON, Action, Mark, Rule

_HEALED = WENT_ON | {Mark.SUBMITTED}

_access = partial(
    Rule,
    group="access",
    quiet=True,
    healed=_HEALED,
)

RULES = (
    _access(
        label="ssh-error",
        title="The login node refused the connection.",
        remedy="Use a key and a user that the login node knows, and its present host key. Nothing "
        "was submitted unless a job id was printed.",
        patterns=(
            r"Permission denied \((?:publickey|password|keyboard|gssapi|hostbased)",
            r"Host key verification failed",
            r"REMOTE HOST IDENTIFICATION HAS CHANGED",
            r"Too many authentication failures",
            r"^Authentication failed\.$",
            r"paramiko\.ssh_exception\.(?:AuthenticationException|BadHostKey|PasswordRequired)",
            r"asyncssh\.\S*(?:PermissionDenied|HostKeyNotVerifiable)",
            r"Load key .*(?:error in libcrypto|bad permissions|invalid format)",
            r"Could not resolve hostname",
            r"channel \d+: open failed: administratively prohibited",
            r"Permission denied, please try again",
        ),
        actions=(Action.SHOW_LOG,),
    ),
    _access(
        label="ssh-error",
        title="The SSH connection to the login node failed.",
        remedy="Try again: this passes. Nothing was submitted unless a job id was printed; after "
        "a cut connection look at the queue first.",
        patterns=(
            r"^ssh: connect to host ",
            r"kex_exchange_identification",
            r"Connection (?:to \S+ )?(?:timed out|closed|reset) (?:during banner|by \S+ port \d)",
            r"^Connection to \S+ (?:port \d+ )?(?:closed by remote host|timed out)",
            r"client_loop: send disconnect",
            r"banner exchange: Connection",
            r"paramiko\.ssh_exception\.",
            r"asyncssh\.\S*ConnectionLost",
            r"channel \d+: open failed",
            r"ssh_exchange_identification",
            r"^lost connection$",
        ),
        actions=(Action.CHECK_QUEUE, Action.RERUN_SAME),
        transient=True,
    ),
    _access(
        label="slurm-auth",
        title="Slurm commands cannot authenticate on this host.",
        remedy="Administrators must start or repair munge there; another login node may work.",
        patterns=(
            r"[Mm]unge (?:encode|decode) failed",
            r"Protocol authentication error",
            r"If munged is up, restart with",
            r"Unable to initialize auth plugin",
            r"cannot create auth context",
        ),
        actions=(Action.TELL_ADMIN, Action.RERUN_SAME),
        transient=True,
    ),
    _access(
        label="slurm-credential",
        title="The node refused the credential of the job or step.",
        remedy="Tell the administrators (clock, munge) and resubmit without that node.",
        patterns=(
            r"Job credential (?:expired|revoked|replayed)",
            r"Invalid job credential",
            r"[Jj]ob credential creation error",
            r"Credential signature check",
        ),
        actions=(Action.EXCLUDE_NODE,),
        transient=True,
    ),
    _access(
        label="slurm-controller-unreachable",
        title="Slurm's controller does not answer.",
        remedy="Look at the queue first, since a submission that timed out may exist all the same; "
        "then try again.",
        patterns=(
            r"Unable to contact slurm controller",
            r"Socket timed out on send/recv operation",
            r"Slurm backup controller in standby mode",
            r"Problem talking to the database",
            r"Unable to establish controller machine",
            r"Slurmctld\(\w+\) at \S+ is DOWN",
            r"Unable to process configuration file",
            r"Could not establish a configuration source",
            r"Rate limit exceeded, please retry",
            r"slurm_persist_conn_open_without_init: failed to open persistent connection",
            r"I/O error writing script/environment to file",
        ),
        actions=(Action.CHECK_QUEUE, Action.RERUN_SAME),
        transient=True,
        healed=WENT_ON,
    ),
)
