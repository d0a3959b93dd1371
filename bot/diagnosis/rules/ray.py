"""Ray clusters, as NeMo-RL starts them."""

from __future__ import annotations

from bot.diagnosis.rule import WENT_ON, Action, Mark, Rule, Strength

_GROUP = "ray"

RULES = (
    Rule(
        label="ray-resources",
        group=_GROUP,
        title="The Ray cluster has fewer GPUs or CPUs than the configuration asks for.",
        remedy="Make cluster.num_nodes × cluster.gpus_per_node equal to the allocation.",
        patterns=(
            r"Not enough GPUs available\. Requested",
            r"number of required GPUs exceeds the total number of available GPUs",
            r"Maximum number of retries reached \(\d+\)\. Cluster resources may be insufficient",
            r"GPUS_PER_NODE=\S* but GRES detected is",
            r"Total available GPUs \d+ is less than total desired GPUs",
            r"cannot be satisfied in this [Rr]ay cluster",
            (
                r"(?:Actor|Task)UnschedulableError|You don't have enough GPUs available in a "
                r"current node"
            ),
            r"Ray does not allocate any GPUs on the driver node",
            r"per trial, but the cluster only has",
            r"ResourceInsufficientError",
            r"Insufficient (?:cluster )?resources",
            r"infeasible resource requests|cannot be scheduled .*infeasible",
        ),
        actions=(Action.RESUBMIT_SIZE,),
        quiet=True,
        lines=(
            "ValueError: Total available GPUs 8 is less than total desired GPUs 16",
            "ValueError: Resource pool global_pool: 8*2cannot be satisfied in this ray cluster",
        ),
    ),
    Rule(
        label="ray-placement-timeout",
        group=_GROUP,
        title="A placement group of Ray did not become ready in time.",
        remedy="Check that all Ray workers joined; rerun, or ask for the nodes that the group "
        "needs.",
        patterns=(
            r"Timed out waiting for placement groups? to be ready",
            r"GetTimeoutError: .*(?:placement|Get timed out)",
            r"[Pp]lacement group .*(?:timed out|not ready|timeout)",
            r"Timed out waiting for all workers to connect",
            r"Cannot provide a placement group (?:of|requiring)",
        ),
        actions=(Action.RERUN_SAME,),
        transient=True,
        strength=Strength.CAUSE,
    ),
    Rule(
        label="ray-raylet-register",
        group=_GROUP,
        title="A Ray worker or node could not register.",
        remedy="Restart with a fresh temporary folder and num_cpus equal to the job's CPUs.",
        patterns=(
            r"Unable to register worker with raylet",
            r"[Rr]aylet (?:died|exited|terminated) .*(?:exit code|start)",
            r"Failed to register worker",
            r"The current node timed out during startup",
            r"[Tt]he current node has not been updated within \d+ seconds",
            r"while waiting for node to startup",
            r"GCS (?:cannot find the node with|has started but no raylets have registered)",
            r"[Cc]an ?not (?:found|find) the matched Raylet address",
            r"have not registered within the timeout",
            r"Ray (?:sub)?processes (?:died|exited) unexpectedly",
            r"raylet \[exit code=",
            r"Ray expects this IP address to be either the GCS address or one of",
            r"the driver needs to connect to have not registered with GCS",
            r"raylet (?:process )?(?:failed|crashed)",
            r"node .* failed to (?:register|start).*raylet",
            (
                r"Raylet connection closed|Connection closed unexpectedly.*\[RayletClient\]|"
                r"\[RayletClient\] Connection closed"
            ),
        ),
        actions=(Action.RERUN_SAME,),
        transient=True,
        lines=(
            (
                "Exception: The current node has not been updated within 30 seconds, this "
                "could happen "
                "because of some of the Ray processes failed to startup."
            ),
            (
                "TimeoutError: Timed out after 60 seconds while waiting for node to startup. "
                "Did not "
                "find socket name /tmp/ray/session/sockets/plasma_store in the list"
            ),
            "RuntimeError: b'GCS cannot find the node with node ID 1f2e'",
            (
                "(raylet) worker_pool.cc:481: Some workers of the worker process(1234) have not "
                "registered within the timeout."
            ),
        ),
    ),
    Rule(
        label="ray-gcs-down",
        group=_GROUP,
        title="Ray's control store on the head node is gone.",
        remedy="Look at the head node (memory, time limit, load) and restart.",
        patterns=(
            r"Failed to connect to GCS",
            r"Unable to connect to GCS",
            (
                r"GCS (?:server )?(?:is |was )?(?:down|dead|unreachable|connection lost|failed to "
                r"respond)"
            ),
            r"lost connection to (?:the )?GCS",
            r"Could not (?:connect|find any running) .*[Rr]ay (?:instance|cluster|head)",
            r"Ran out of (?:retries|time).*GCS|gcs_rpc_client.*(?:disconnected|Failed)",
            r"waiting for GCS to become available",
            r"GCS has been unavailable for more than",
            r"from GCS\. Did GCS start successfully",
            r"Failed to connect to Ray at address|ray client connection timeout",
            r"failed to connect to all addresses.*:6379\b",
        ),
        actions=(Action.RERUN_SAME,),
        transient=True,
        strength=Strength.FAULT,
        lines=(
            "ray.exceptions.RpcError: Timed out while waiting for GCS to become available.",
            "Exception: Could not read 'b'session_name'' from GCS. Did GCS start successfully?",
            "ConnectionError: Failed to connect to Ray at address: http://127.0.0.1:8265.",
        ),
    ),
    Rule(
        label="ray-gcs-down",
        group=_GROUP,
        title="Ray's control store on the head node is gone.",
        remedy="Look at the head node (memory, time limit, load) and restart.",
        patterns=(
            (
                r"^(?:ConnectionError|RuntimeError|Exception|\S*RpcError|\S*RaySystemError): .*(?:"
                r"onnect to GCS|GCS to become available|from GCS\.|to Ray at address)"
            ),
            r"^ConnectionError: Could not find any running Ray instance",
        ),
        actions=(Action.RERUN_SAME,),
        transient=True,
        lines=("RuntimeError: Failed to connect to GCS. Please check `gcs_server.out`.",),
    ),
    Rule(
        label="ray-object-store",
        group=_GROUP,
        title="The Ray object store is full or smaller than one object.",
        remedy="Give Ray a larger object store or pass smaller objects.",
        patterns=(
            r"ObjectStoreFullError",
            r"Failed to put object .*(?:because it is full|full)",
            r"object store (?:is full|memory is full)",
            r"OutOfDiskError: Local disk is full",
            r"[Aa]ttempting to cap object store memory usage at",
            r"configured object store size \(.*exceeds",
        ),
        actions=(Action.RESUBMIT_OPTION,),
        lines=(
            "ray.exceptions.OutOfDiskError: Local disk is full",
            (
                "ValueError: Attempting to cap object store memory usage at 67108864 bytes, "
                "but the "
                "minimum allowed is 78643200 bytes."
            ),
        ),
    ),
    Rule(
        label="ray-sub-srun-died",
        group=_GROUP,
        title="The step that starts Ray on a node[ ({step})] died.",
        remedy="Read that step's own log; exclude the node if it is at fault.",
        patterns=(r"Background srun '(?P<step>[^']+)' died",),
        actions=(Action.EXCLUDE_NODE, Action.RERUN_SAME),
        transient=True,
        strength=Strength.FAULT,
    ),
    Rule(
        label="ray-actor-died",
        group=_GROUP,
        title="A Ray worker vanished, and nothing here says why.",
        remedy="Fetch that worker's own log and check the memory of its node.",
        patterns=(
            r"A worker died or was killed while executing a task by an unexpected system error",
            r"^\S*(?:ActorDiedError|RayActorError|WorkerCrashedError|ActorUnavailableError)\b",
            r"^\S*(?:OwnerDiedError|NodeDiedError|LocalRayletDiedError|ObjectLostError|ObjectFreedError)\b",
            r"^\S*(?:ObjectFetchTimedOutError|ObjectReconstructionFailed\w*|ReferenceCounting\w+)\b",
            r"The actor (?:is dead|died|\S+ is unavailable)",
            r"Worker exit type: SYSTEM_ERROR",
            r"marked dead because the (?:detector|monitor) has missed too many heartbeats",
            r"actor died unexpectedly before finishing this task",
        ),
        actions=(Action.FETCH_LOG, Action.RERUN_SAME),
        transient=True,
        strength=Strength.SIGNAL,
        healed=WENT_ON | {Mark.RETRIED},
        lines=(
            (
                "(raylet) The node with node id: 4e12 and address: 10.0.0.3 and node name: "
                "10.0.0.3 "
                "has been marked dead because the detector has missed too many heartbeats from it."
            ),
            "ray.exceptions.LocalRayletDiedError: The task's local raylet died. Check raylet.out.",
        ),
    ),
)
