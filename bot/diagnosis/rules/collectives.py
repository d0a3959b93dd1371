"""NCCL, rendezvous and the ports they use."""

from __future__ import annotations

from bot.diagnosis.rule import Action, Rule, Strength

_GROUP = "collective"

RULES = (
    Rule(
        label="port-in-use",
        group=_GROUP,
        title="The port of the rendezvous is taken by another process.",
        remedy="Choose another MASTER_PORT, for example one derived from the job id.",
        patterns=(
            r"errno: 98 - Address already in use",
            r"EADDRINUSE",
            r"\[Errno 98\]",
            r"[Aa]ddress already in use",
        ),
        actions=(Action.RESUBMIT_OTHER_PORT,),
        transient=True,
    ),
    Rule(
        label="port-permission",
        group=_GROUP,
        title="The port is below 1024 and may not be used.",
        remedy="Choose a port above 1024.",
        patterns=(
            r"errno: 13 - Permission denied",
            r"EACCES.*(?:listen|bind|port)",
            r"(?:listen|bind|port).*EACCES",
        ),
        actions=(Action.RESUBMIT_OTHER_PORT,),
    ),
    Rule(
        label="nccl-error",
        group=_GROUP,
        title="NCCL refuses the call: it is used wrongly.",
        remedy="Make processes per node equal to GPUs per node and the world size equal to the "
        "number of tasks; NCCL_SOCKET_IFNAME must name an interface that exists.",
        patterns=(
            r"invalid (?:argument|usage).*NCCL version",
            r"NCCL (?:error|Error).*(?:invalid (?:argument|usage)|ncclInvalid(?:Usage|Argument))",
            r"ncclInvalid(?:Usage|Argument)",
            r"Duplicate GPU detected",
            r"Bootstrap : no socket interface found",
            r"no algorithm/protocol available",
        ),
        actions=(Action.RESUBMIT_SIZE,),
        quiet=True,  # NCCL calls its errors WARN
    ),
    Rule(
        label="nccl-network",
        group=_GROUP,
        title="NCCL could not lock the memory that the network needs.",
        remedy="Raise the locked-memory limit (ulimit -l unlimited) on the nodes and in the "
        "container.",
        patterns=(r"ibv_(?:create_qp|reg_mr\w*|create_cq|alloc_pd)\b.*Cannot allocate memory",),
        actions=(Action.TELL_ADMIN,),
        strength=Strength.NETWORK,
        quiet=True,
    ),
    Rule(
        label="nccl-network",
        group=_GROUP,
        title="The network between the nodes failed under NCCL.",
        remedy="Check the locked-memory limit and the fabric; exclude the node if it repeats.",
        patterns=(
            r"NCCL WARN Call to ibv_\w+ (?:\S+ )*failed",
            r"NCCL WARN .*ibv_\w+.*(?:fail|error)",
            (
                r"NET/IB ?: .*Got (?:completion|async (?:fatal )?event ?: ?(?:port error|device "
                r"fatal|QP))"
            ),
            (
                r"NCCL WARN NET/(?:Socket|OFI|IB|FasTrak|FastSocket).*(?:fail|error|closed|timed "
                r"out|refused)"
            ),
            r"NCCL WARN .*(?:[Cc]onnection (?:refused|timed out)|No route to host)",
            r"NCCL error.*(?:ncclSystemError|unhandled system error)",
            r"ncclSystemError: ",
            r"local protection error|transport retry counter exceeded|RNR retry counter exceeded",
        ),
        actions=(Action.EXCLUDE_NODE, Action.RERUN_SAME),
        transient=True,
        strength=Strength.NETWORK,
        quiet=True,
    ),
    Rule(
        label="nccl-timeout",
        group=_GROUP,
        title="A collective[ ({operation})] did not end in time[; behind the others: rank "
        "{lagging}][; in another operation than the others: rank {diverged}][; without a word: "
        "rank {silent}].",
        remedy="Look what the rank named was doing, or which rank wrote no time-out; rerun from "
        "the last checkpoint, and exclude its node if it happens again.[ It was only collective "
        "{early} of the run: look at the set-up and the network first.]",
        patterns=(
            (
                r"(?:(?:\[PG (?:ID )?(?P<pg>\d+)\b[^\]]*)?Rank (?P<rank>\d+)\].*)?operation "
                r"timeout: WorkNCCL\(SeqNum=(?P<seq>\d+)(?:, OpType=(?P<op>\w+))?"
                r"(?:, NumelIn=(?P<size>\d+))?"
            ),
            r"caught collective operation timeout",
            r"Timed out waiting \d+ms for (?:recv|send) operation",
            r"(?:[Mm]onitored)?[Bb]arrier.*(?:timed out|Timeout after|failed to pass)",
            r"Rank \d+ (?:successfully reached|failed to pass) monitoredBarrier",
            r"NCCL (?:communicator|watchdog).*timed out",
            r"Observed flight recorder dump signal",
            r"Received a dump signal due to a collective timeout",
            r"(?i)heartbeat monitor timed out|watchdog got stuck for \d+",
        ),
        actions=(Action.RERUN_SAME, Action.RESUME, Action.EXCLUDE_NODE),
        transient=True,
        strength=Strength.TIMEOUT,
        quiet=True,
        compared=True,
    ),
    Rule(
        label="rendezvous-timeout",
        group=_GROUP,
        title="The processes did not meet at the master address in time.",
        remedy="Use the first node's reachable name and a free port, and check that all nodes "
        "started.",
        patterns=(
            r"client socket has timed out after \d+\w* while trying to connect to",
            r"client socket has failed to connect to any network address",
            r"RendezvousConnectionError",
            r"RendezvousTimeoutError",
            r"DistStoreError: (?:Timed out|wait timeout|Socket Timeout)",
            r"(?:wait|Wait) timeout after \d+ms, keys: ",
            r"Timed out after \d+ seconds waiting for clients\. \d+/\d+ clients joined",
            r"TCPStore.*timed out",
            (
                r"(?:MASTER_ADDR|c10d|client socket).*(?:[Nn]ame or service not known|cannot be "
                r"resolved)"
            ),
            r"Socket Timeout$",
            r"initializing process group in store based barrier",
        ),
        actions=(Action.RERUN_SAME,),
        transient=True,
        strength=Strength.TIMEOUT,
        first=True,
    ),
)
