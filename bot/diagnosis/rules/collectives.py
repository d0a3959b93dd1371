"""NCCL, rendezvous and the ports they use."""

from __future__ import annotations

from bot.diagnosis.rule import Action, Rule, Strength

_GROUP = "collective"

RULES = (
    Rule(
        label="port-in-use",
        group=_GROUP,
        title="The port[ {port}] that the program wants is taken by another process.",
        remedy="Choose another MASTER_PORT, for example one derived from the job id.",
        patterns=(
            r"errno: 98 - Address already in use",
            r"EADDRINUSE",
            r"\[Errno 98\]",
            r"[Aa]ddress already in use",
            r"[Tt]ried to launch distributed communication on port",
            r"(?i)\bport \S+ (?:is |was )?(?:already )?(?:in use|occupied|taken|used by)\b",
            r"could not bind to port \d+, it was already in use",
            r"Could not find (?:a|\d+ consecutive) free ports? in",
            r"Failed to start the grpc server\. The specified port is",
            r"Ray is trying to start at \S+ but is already running at",
            r"trying to use a port number \d+ that is used by other components",
        ),
        actions=(Action.RESUBMIT_OTHER_PORT,),
        transient=True,
        lines=(
            (
                "ConnectionError: Tried to launch distributed communication on port `29500`, but "
                "another process is utilizing it. Please specify a different port"
            ),
            "RuntimeError: Port 29500 is already in use",
            (
                "ConnectionError: Ray is trying to start at 10.0.0.1:6379, but is already "
                "running at "
                "10.0.0.1:6379. Please specify a different port using the `--port` flag"
            ),
        ),
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
            r"while attempting to bind on address .*permission denied",
        ),
        actions=(Action.RESUBMIT_OTHER_PORT,),
        quiet=True,  # PyTorch warns of each address, before the error that ends it
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
            r"ncclCommInitRank\w* failed: ",
            r"NCCL WARN .*[Mm]essage truncated",
            r"Bootstrap : no socket interface found",
            r"no algorithm/protocol available",
        ),
        actions=(Action.RESUBMIT_SIZE,),
        quiet=True,  # NCCL calls its errors WARN
    ),
    Rule(
        label="nccl-error",
        group=_GROUP,
        title="NCCL failed inside, and does not say why.",
        remedy="Run it again with NCCL_DEBUG=WARN, which tells the reason; look at versions, "
        "NCCL_* variables and the network interface first.",
        patterns=(
            r"internal error - please report this issue to the NCCL developers",
            r"NCCL error in: .*, internal error",
            r"ncclInternalError: |ncclUnhandledCudaError: ",
            r"NCCL error in: .*, unhandled cuda error",
        ),
        actions=(Action.RERUN_SAME,),
        transient=True,
        strength=Strength.TIMEOUT,
        quiet=True,
        lines=(
            (
                "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1333, "
                "internal error - please report this issue to the NCCL developers, NCCL "
                "version 2.18.6"
            ),
        ),
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
                r"fatal|QP|P_Key))"
            ),
            (
                r"NCCL WARN NET/(?:Socket|OFI|IB|FasTrak|FastSocket).*(?:fail|error|closed|timed "
                r"out|refused)"
            ),
            (
                r"NCCL WARN .*(?:[Cc]onnection (?:refused|timed out|abort)|No route to host|"
                r"[Nn]etwork is unreachable|connect \S+ failed)"
            ),
            (
                r"NCCL WARN .*(?:socket\w*|Net) ?: Connect(?: to)? .*(?:fail|error|refused|"
                r"timed out)"
            ),
            r"^(?:socketStartConnect|socketPollConnect|Net ?): Connect(?: to)? \S+ .*fail",
            r"^Call to (?:connect|ibv_\w+) .*(?:timed out|failed|refused|No route|unreachable)",
            r"NCCL error.*(?:ncclSystemError|unhandled system error)",
            r"ncclSystemError: ",
            (
                r"(?i)local protection error|transport retry count(?:er)? exceeded|"
                r"rnr retry counter exceeded"
            ),
            r"got completion with error:",
            r"UCX +ERROR .*(?:ibv_|mlx5|[Ee]ndpoint timeout|[Uu]nreachable|Connection reset)",
            r"NVSHMEM.*(?:ibv_|transport).*(?:fail|error)",
        ),
        actions=(Action.EXCLUDE_NODE, Action.RERUN_SAME),
        transient=True,
        strength=Strength.NETWORK,
        quiet=True,
        lines=(
            (
                "gn1:889:1001 [1] misc/socket.cc:484 NCCL WARN socketStartConnect: Connect to "
                "172.17.0.1<41003> failed : Software caused connection abort"
            ),
            "[rank1]: socketStartConnect: Connect to 172.17.0.1<41003> failed : No route to host",
            "mlx5: gn1: got completion with error:",
            (
                "[1764.2] [gn1:889:0] ib_mlx5_log.c:177  UCX  ERROR Transport retry count "
                "exceeded on "
                "mlx5_0:1/IB (synd 0x15 vend 0x81 hw_synd 0/0)"
            ),
        ),
    ),
    Rule(
        label="nccl-timeout",
        group=_GROUP,
        title="A collective[ ({operation})] did not end in time[; behind the others: rank "
        "{lagging}][; in another operation than the others: rank {diverged}][; without a word: "
        "rank {silent}].",
        remedy="[Look first at what rank {lagging} was doing, and at its node. ][Look first at "
        "rank {diverged}: it took another way through the program. ][Look first at the log and "
        "the node of rank {silent}. ]Rerun from the last checkpoint; if the same node is behind "
        "again, exclude it.[ It was only collective {early} of the run: suspect the set-up or the "
        "network.]",
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
            r"due to ProcessGroupNCCL watchdog hang",
            r"Application timeout caused pair closure",
            r"Timeout at NCCL work: \d+",
            r"DeepEP (?:error|timeout).*(?:timeout|timed out|check failed)",
            r"NCCL communicator was aborted on rank",
        ),
        actions=(Action.RERUN_SAME, Action.RESUME, Action.EXCLUDE_NODE),
        transient=True,
        strength=Strength.TIMEOUT,
        quiet=True,
        compared=True,
        lines=(
            (
                "[rank4]:[F205 ProcessGroupNCCL.cpp:1554] [PG ID 12 Rank 4] Terminating the "
                "process "
                "after attempting to dump debug info, due to ProcessGroupNCCL watchdog hang."
            ),
            (
                "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:598] Application "
                "timeout caused pair closure"
            ),
            "RuntimeError: DeepEP error: CPU recv timeout",
            "RuntimeError: NCCL communicator was aborted on rank 1. ",
        ),
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
            r"Timed out after \d+ seconds waiting for (?:clients|workers)\. \d+/\d+ \w+ joined",
            r"TCPStore.*timed out",
            (
                r"(?:MASTER_ADDR|c10d|client socket).*(?:[Nn]ame or service not known|cannot be "
                r"resolved)"
            ),
            r"client socket cannot be initialized to connect to",
            r"(?:enforce fail at|gloo).*Name or service not known",
            r"connectFullMesh failed|SO_ERROR: (?:Connection|No route)",
            r"DEADLINE_EXCEEDED: .*(?:[Bb]arrier|RegisterTask)",
            r"Socket Timeout$",
            r"^RuntimeError: connect\(\) timed out\. Original timeout was",
            r"initializing process group in store based barrier",
            r"Rendezvous(?:Closed|State)Error",
        ),
        actions=(Action.RERUN_SAME,),
        transient=True,
        strength=Strength.TIMEOUT,
        first=True,
        lines=(
            "RuntimeError: connect() timed out. Original timeout was 60000 ms.",
            (
                "torch.distributed.DistStoreError: Timed out after 6 seconds waiting for "
                "workers. 1/2 "
                "workers joined."
            ),
            (
                "torch.distributed.DistNetworkError: The client socket cannot be initialized to "
                "connect to [master01]:29400 (errno: 97 - Address family not supported by "
                "protocol)."
            ),
            (
                "RuntimeError: [enforce fail at gloo/transport/tcp/device.cc:83] rv == 0. -2 vs 0. "
                "gn1.local: Name or service not known"
            ),
        ),
    ),
)
