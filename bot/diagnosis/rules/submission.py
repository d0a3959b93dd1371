"""sbatch, srun or salloc refused: no job exists."""

from __future__ import annotations

from bot.diagnosis.rule import Action, Rule

_GROUP = "submission"

RULES = (
    Rule(
        label="slurm-invalid-partition",
        group=_GROUP,
        title="The partition[ {partition}] does not exist on this cluster.",
        remedy="Choose one of the partitions that exist (sinfo lists them) and resubmit.",
        patterns=(
            r"invalid partition specified: (?P<partition>\S+)",
            r"Invalid partition name specified",
        ),
        actions=(Action.RESUBMIT_PARTITION,),
    ),
    Rule(
        label="slurm-invalid-account",
        group=_GROUP,
        title="The account is unknown, or it may not use this partition.",
        remedy="Resubmit with an account and partition that belong together; asking for the same "
        "again cannot help.",
        patterns=(
            r"Invalid account or account/partition combination specified",
            r"User's group not permitted to use this partition",
            r"[Aa]ccount '?(?P<account>[\w.-]+)'? (?:is invalid|does not exist|not found)",
            r"error: .*[Ii]nvalid account\b",
        ),
        actions=(Action.RESUBMIT_ACCOUNT, Action.RESUBMIT_PARTITION),
    ),
    Rule(
        label="slurm-qos-limit",
        group=_GROUP,
        title="A limit of the QOS or account[, {limit},] forbids this request.",
        remedy="Ask for less time or fewer nodes, wait until other jobs leave, or take another "
        "QOS.",
        patterns=(
            r"^(?:sbatch|srun|salloc|allocation).*error: (?P<limit>(?:QOS|Assoc)[A-Z]\w*)",
            r"Job violates accounting/QOS policy",
            r"Maximum number of jobs .*exceeded",
        ),
        actions=(Action.MORE_TIME, Action.RESUBMIT_QOS, Action.RESUBMIT_SIZE),
    ),
    Rule(
        label="slurm-invalid-qos",
        group=_GROUP,
        title="The QOS does not exist or is not open to this account.",
        remedy="Resubmit with a QOS of the account's association.",
        patterns=(r"Invalid qos specification", r"Invalid QOS\b"),
        actions=(Action.RESUBMIT_QOS,),
    ),
    Rule(
        label="slurm-invalid-time-limit",
        group=_GROUP,
        title="The time limit is missing, malformed or above what the partition allows.",
        remedy="Resubmit with a --time within the partition's maximum.",
        patterns=(
            r"Requested time limit is invalid",
            r"Invalid --time specification",
            r"^(?:sbatch|srun|salloc).*[Ii]nvalid time limit",
            r"\(PartitionTimeLimit\)",
        ),
        actions=(Action.MORE_TIME,),
        decided=lambda facts: facts.state == "PENDING" and facts.reason == "PartitionTimeLimit",
    ),
    Rule(
        label="slurm-invalid-gres",
        group=_GROUP,
        title="The cluster does not have the GPUs or other generic resources asked for.",
        remedy="Use a name and type that sinfo -o '%P %G' shows, or drop the option.",
        patterns=(
            r"Invalid generic resource \(gres\) specification",
            r"[Ii]nvalid (?:GRES|gres|Gres)\b",
            r"must (?:always )?specify a (?:gpu |GPU )?type when requesting (?:gpu|GPU)",
            r"Invalid Trackable RESource \(TRES\) specification",
        ),
        actions=(Action.RESUBMIT_GPUS,),
    ),
    Rule(
        label="slurm-invalid-feature",
        group=_GROUP,
        title="No node has the feature that --constraint names.",
        remedy="Take a feature that sinfo -o '%P %f' shows.",
        patterns=(r"Invalid feature specification", r"\(BadConstraints\)"),
        actions=(Action.RESUBMIT_CONSTRAINT,),
    ),
    Rule(
        label="slurm-node-config",
        group=_GROUP,
        title="No node of the partition offers what is asked for per node, or there are too few.",
        remedy="Ask for less per node or fewer nodes; sinfo -o '%P %D %c %m %G' shows what there "
        "is.",
        patterns=(
            r"Requested node configuration is not available",
            r"Node count specification invalid",
            r"(?:submission|allocate) (?:resources|failed).*: More processors requested",
            r"Memory specification can not be satisfied",
            r"CPU count per node can not be satisfied",
            r"^(?:sbatch|salloc): error: .*[Ii]nvalid node count",
            r"Invalid node name specified",
            r"\(PartitionNodeLimit\)",
        ),
        actions=(Action.RESUBMIT_SIZE, Action.RESUBMIT_PARTITION),
        decided=lambda facts: (
            facts.state == "PENDING" and facts.reason in {"PartitionNodeLimit", "BadConstraints"}
        ),
    ),
    Rule(
        label="slurm-dependency",
        group=_GROUP,
        title="The dependency cannot be used: unknown, malformed, or never to be satisfied.",
        remedy="Check that the job it waits for was submitted and did not fail; resubmit without "
        "the dependency or with the right id.",
        patterns=(r"Job dependency problem", r"\(DependencyNeverSatisfied\)"),
        actions=(Action.RESUBMIT_DEPENDENCY,),
        decided=lambda facts: facts.reason == "DependencyNeverSatisfied",
    ),
    Rule(
        label="slurm-bad-script",
        group=_GROUP,
        title="The batch script is not one that can run.",
        remedy="Give the right path of a script whose first line is #!/bin/bash, with UNIX line "
        "ends; quote a --wrap command.",
        patterns=(
            r"This does not look like a batch script",
            r"Batch script contains DOS line breaks",
            r"Batch script is empty",
            r"Batch script contains NULL characters",
            r"Script arguments (?:are )?not permitted with --wrap",
            r"Unable to open file (?P<path>\S+)",
            r"bad interpreter: ",
            r"\$'\\r': command not found",
            r"Exec format error",
        ),
        actions=(Action.SHOW_LOG,),
    ),
    Rule(
        label="bash-syntax",
        group=_GROUP,
        title="The shell cannot parse the script or command line.",
        remedy="Quote the argument or repair the line named in the message.",
        patterns=(
            r"syntax error near unexpected token",
            r"syntax error: unexpected (?:end of file|\S+)",
            r"unexpected EOF while looking for matching",
            r"[Ss]yntax error: (?:\"|Unterminated|end of file|word unexpected)",
            r": bad substitution$",
            r"bash: line \d+: conditional binary operator expected",
        ),
        actions=(Action.SHOW_LOG,),
    ),
    Rule(
        label="slurm-env-conflict",
        group=_GROUP,
        title="Options or inherited SLURM_* variables contradict each other.",
        remedy="Unset the inherited SLURM_* variables, or submit from the login node, and give "
        "each quantity once.",
        patterns=(
            r"set by two different environment variables",
            r"are mutually exclusive",
            r"SLURM_\w+ .*(?:conflict|mismatch)",
            r"fatal: .*SLURM_(?:MEM|TRES|CPUS|NTASKS|GPUS)\w+",
        ),
        actions=(Action.RESUBMIT_CLEAN_ENV,),
    ),
)
