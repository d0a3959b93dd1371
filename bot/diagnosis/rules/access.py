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
            r"Permission denied \((?:[\w-]+,)*(?:publickey|password|keyboard|gssapi|hostbased)",
            r"Host key verification failed",
            r"REMOTE HOST IDENTIFICATION HAS CHANGED",
            r"Too many authentication failures",
            r"^Authentication failed\.$",
            r"paramiko\.ssh_exception\.(?:AuthenticationException|BadHostKey|PasswordRequired)",
            r"asyncssh\.\S*(?:PermissionDenied|HostKeyNotVerifiable)",
            r"Load key .*: (?:error in libcrypto|bad permissions|invalid format|Permission denied)",
            r"Could not resolve hostname",
            r"channel \d+: open failed: administratively prohibited",
            r"Permission denied, please try again",
            r"Unable to negotiate with \S+ port \d+: no matching",
            r"Bad owner or permissions on \S+ssh/config",
            r"sign_and_send_pubkey: signing failed",
            r"UNPROTECTED PRIVATE KEY FILE",
            r"^No \S+ host key is known for ",
        ),
        lines=(
            (
                "Unable to negotiate with 10.0.0.9 port 22: no matching host key type found. Their "
                "offer: ssh-rsa"
            ),
        ),
        actions=(Action.SHOW_LOG,),
    ),
    _access(
        label="ssh-error",
        title="The SSH connection to the login node failed.",
        remedy="Try again: this passes. Nothing was submitted unless a job id was printed; after "
        "a cut connection look at the queue first.",
        patterns=(
            r"\bssh: connect to host ",
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
            (
                r"^(?:ssh_dispatch_run_fatal|packet_write_wait|mux_client_request_session|scp): .*"
                r"(?:[Bb]roken pipe|[Cc]losed|[Tt]ime|authentication code|reset)"
            ),
            r"^Timeout, server \S+ not responding",
            r"^stdio forwarding failed",
            r"Connect call failed \('[^']+', 22\)",
            r"asyncssh\.\S*(?:DisconnectError|KeyExchangeFailed)",
            r"^rsync error: .*\(code (?:255|12|30)\)",
        ),
        lines=(
            "ConnectionRefusedError: [Errno 111] Connect call failed ('10.41.0.5', 22)",
            "rsync error: unexplained error (code 255) at io.c(228) [sender=3.2.7]",
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
            r"cannot create auth context|cannot find auth plugin",
            r"Invalid authentication credential",
            r"Authentication credential expired",
            r"Rejecting authentication of user nobody",
            r"^\w+: error: authentication: ",
        ),
        lines=("sbatch: error: authentication: Socket communication error",),
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
            r"Error generating job credential",
            r"cred/\w+: (?:Credential|Munge|.*[Ee]xpired)",
            r"(?:User|Group ID) not found on host",
            r"^srun: (?:fatal|error): .*Invalid (?:user|group) id",
            r"Unable to resolve (?:user|group) ID to (?:user|group) name",
            r"Slurmd could not set UID or GID",
        ),
        lines=(
            "srun: error: Task launch for StepId=7.0 failed on node n1: User not found on host",
            "srun: fatal: Invalid user id: 21046",
        ),
        actions=(Action.EXCLUDE_NODE,),
        transient=True,
    ),
    # what a command says of the way there: it may get through all the same
    _access(
        label="slurm-controller-unreachable",
        title="Slurm's controller does not answer.",
        remedy="Look at the queue, then try again.",
        patterns=(
            r"slurm_persist_conn_open\w*: ",
            r"Sending PersistInit msg: ",
            r"(?:fetch_config|_establish_config_source): ",
        ),
        lines=("sbatch: error: Sending PersistInit msg: Connection refused",),
        actions=(Action.CHECK_QUEUE, Action.RERUN_SAME),
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
            r"I/O error writing script/environment to file",
            (
                r"(?:failed|error): (?:Zero Bytes were transmitted or received|Message (?:send|"
                r"receive) failure|Insane message length|Header lengths are longer than data "
                r"received)"
            ),
            r"Controller is in standby mode",
            r"failed: Transport endpoint is not connected",
            r"Incompatible versions of client and server code",
            r"Unable to create job record, try again",
            r"Unable to establish control machine address",
            r"Slurm internal error, contact system administrator",
            r"System submissions disabled",
            r"unable to status file \S*slurm\.conf",
            (
                r"^(?:sbatch|squeue|sinfo|scancel|scontrol|salloc|sacct): error: .*(?:Unable to "
                r"resolve|getaddrinfo)"
            ),
        ),
        lines=(
            "sbatch: error: Batch job submission failed: Zero Bytes were transmitted or received",
            (
                "srun: error: Unable to allocate resources: Incompatible versions of client and "
                "server code"
            ),
        ),
        actions=(Action.CHECK_QUEUE, Action.RERUN_SAME),
        transient=True,
        healed=WENT_ON,  # of several submissions one may be refused
    ),
)
