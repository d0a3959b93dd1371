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
            r"ResourceInsufficientError",
            r"Insufficient (?:cluster )?resources",
            r"infeasible resource requests|cannot be scheduled .*infeasible",
        ),
        actions=(Action.RESUBMIT_SIZE,),
        quiet=True,
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
            r"Cannot provide a placement group of",
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
            r"raylet (?:process )?(?:failed|crashed)",
            r"node .* failed to (?:register|start).*raylet",
        ),
        actions=(Action.RERUN_SAME,),
        transient=True,
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
        ),
        actions=(Action.RERUN_SAME,),
        transient=True,
        strength=Strength.FAULT,
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
        ),
        actions=(Action.RESUBMIT_OPTION,),
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
            r"The actor (?:is dead|died|\S+ is unavailable)",
            r"Worker exit type: SYSTEM_ERROR",
            r"actor died unexpectedly before finishing this task",
        ),
        actions=(Action.FETCH_LOG, Action.RERUN_SAME),
        transient=True,
        strength=Strength.SIGNAL,
        healed=WENT_ON | {Mark.RETRIED},
    ),
)
