"""sbatch, srun or salloc refused: no job exists."""

from __future__ import annotations

from functools import partial

from bot.diagnosis.rule import WENT_ON, Action, Mark, Rule, Strength

_refusal = partial(
    Rule,
    group="submission",
    quiet=True,  # a wrapper that goes on may call it a warning
    healed=WENT_ON | {Mark.SUBMITTED},
)

RULES = (
    _refusal(
        label="slurm-invalid-partition",
        title="The partition[ {partition}] does not exist on this cluster.",
        remedy="Choose one of the partitions that exist (sinfo lists them) and resubmit.",
        patterns=(
            r"(?i)invalid partition specified: (?P<partition>\S+)",
            r"(?i)Invalid partition name specified",
            r"No partition specified or system default partition",
        ),
        lines=(
            (
                "sbatch: error: Batch job submission failed: No partition specified or system "
                "default partition"
            ),
        ),
        actions=(Action.RESUBMIT_PARTITION,),
    ),
    _refusal(
        label="slurm-invalid-account",
        title="The account is unknown, or it may not use this partition.",
        remedy="Resubmit with an account and partition that belong together; asking for the same "
        "again cannot help.",
        patterns=(
            r"(?i)Invalid account or account/partition combination specified",
            r"(?i)User's group not permitted to use this partition",
            r"(?i)[Aa]ccount '?[\w.-]+'? (?:is invalid|does not exist|not found)",
            r"(?i)error: .*[Ii]nvalid account\b",
            r"(?:submission|allocate) \w*(?: failed)?: Access/permission denied",
            r"Invalid or unknown association",
            r"\((?:InvalidAccount|AccountNotAllowed)\)",
            r"Access denied to requested reservation",
            r"Invalid wckey specification",
        ),
        lines=(
            "srun: error: Unable to allocate resources: Access denied to requested reservation",
            "  81 a100 train ada PD 0:00 2 (AccountNotAllowed)",
        ),
        actions=(Action.RESUBMIT_ACCOUNT, Action.RESUBMIT_PARTITION),
    ),
    _refusal(
        label="slurm-qos-limit",
        title="A limit of the QOS or account[, {limit},] forbids this request.",
        remedy="Ask for less time or fewer nodes, wait until other jobs leave, or take another "
        "QOS.",
        patterns=(
            (
                r"(?i)(?:sbatch|srun|salloc): error: (?P<limit>(?:QOS|Assoc|Max(?:TRES|GRES|Cpu|"
                r"Node|Jobs))\w+)"
            ),
            r"(?i)Job violates accounting/QOS policy",
            r"(?i)Maximum number of jobs .*exceeded",
            r"breached requested QOS usage threshold",
            r"MaxJobCount limit reached",
            r"Invalid job array specification",
            r"Burst Buffer resource limit exceeded",
        ),
        lines=(
            "sbatch: error: Batch job submission failed: Invalid job array specification",
            "sbatch: error: Batch job submission failed: MaxJobCount limit reached",
        ),
        actions=(Action.MORE_TIME, Action.RESUBMIT_QOS, Action.RESUBMIT_SIZE),
    ),
    _refusal(
        label="slurm-invalid-qos",
        title="The QOS does not exist or is not open to this account.",
        remedy="Resubmit with a QOS of the account's association.",
        patterns=(
            r"Invalid qos specification",
            r"Invalid QOS\b",
            r"\((?:InvalidQOS|QOSNotAllowed)\)",
        ),
        actions=(Action.RESUBMIT_QOS,),
    ),
    _refusal(
        label="slurm-invalid-time-limit",
        title="The time limit is missing, malformed or above what the partition allows.",
        remedy="Resubmit with a --time within the partition's maximum.",
        patterns=(
            r"(?i)Requested time limit is invalid",
            r"(?i)Invalid --time specification",
            r"^(?i)(?:sbatch|srun|salloc).*[Ii]nvalid time limit",
            r"(?i)\(PartitionTimeLimit\)|Reason=PartitionTimeLimit",
            r"Time limit specification required",
            r"Invalid time-min specification",
        ),
        lines=(
            (
                "sbatch: error: Batch job submission failed: Time limit specification required, "
                "but not provided"
            ),
        ),
        actions=(Action.MORE_TIME,),
        decided=lambda facts: facts.state == "PENDING" and facts.reason == "PartitionTimeLimit",
    ),
    _refusal(
        label="slurm-invalid-gres",
        title="The cluster does not have the GPUs or other generic resources asked for.",
        remedy="Use a name and type that sinfo -o '%P %G' shows, or drop the option.",
        patterns=(
            r"(?i)Invalid generic resource \(gres\) specification",
            r"(?i)[Ii]nvalid (?:GRES|gres|Gres)\b",
            r"(?i)must (?:always )?specify a (?:gpu |GPU )?type when requesting (?:gpu|GPU)",
            r"(?i)Invalid license specification",
            r"(?i)Invalid Trackable RESource \(TRES\) specification",
            r"Duplicate generic resource \(gres\) specification",
            r"Requested GRES option unsupported",
            r"Insufficient GRES available in allocation",
            r"RestrictedCoresPerGPU: ",
        ),
        lines=(
            (
                "srun: error: Unable to create step for job 7: Insufficient GRES available in "
                "allocation"
            ),
        ),
        actions=(Action.RESUBMIT_GPUS,),
    ),
    _refusal(
        label="slurm-invalid-feature",
        title="No node has the feature that --constraint names.",
        remedy="Take a feature that sinfo -o '%P %f' shows.",
        patterns=(
            r"Invalid (?:preferred )?feature specification",
            r"Invalid extra constraints specification",
            r"option is invalid or not a subset of --constraint",
            r"\(BadConstraints\)",
        ),
        actions=(Action.RESUBMIT_CONSTRAINT,),
    ),
    _refusal(
        label="slurm-node-config",
        title="No node of the partition offers what is asked for per node, or there are too few.",
        remedy="Ask for less per node or fewer nodes; sinfo -o '%P %D %c %m %G' shows what there "
        "is.",
        patterns=(
            r"(?i)(?:failed|resources): Requested node configuration is not available",
            r"(?i)Node count specification invalid",
            r"(?i)(?:submission|allocate) (?:resources|failed).*: More processors requested",
            r"(?i)Memory specification can not be satisfied",
            r"(?i)CPU count per node can not be satisfied",
            r"^(?i)(?:sbatch|salloc): error: .*[Ii]nvalid node count",
            r"(?i)Invalid node name specified",
            r"(?i)\(PartitionNodeLimit\)|Reason=PartitionNodeLimit",
            r"Requested nodes not in this partition",
            r"(?:Task|CPU) count specification invalid",
            r"Task distribution specification invalid",
            r"Requested (?:topology|partition) configuration (?:is )?not available",
            r"Job size specification needs to be provided",
            r"Requested more tasks than available processors",
            r"Cannot request more threads per core than the job allocation",
            r"(?:submission|allocate) (?:resources|failed).*: Memory required by task",
            r"^(?:sbatch|srun|salloc): error: [Ii]nvalid (?:numeric value|number) ",
            r"[Ii]nvalid --mem\S* specification|[Ii]nvalid memory constraint",
        ),
        lines=(
            "sbatch: error: Batch job submission failed: Memory required by task is not available",
            "salloc: error: Job submit/allocate failed: Requested nodes not in this partition",
            'sbatch: error: Invalid numeric value "8x" for --nodes.',
        ),
        actions=(Action.RESUBMIT_SIZE, Action.RESUBMIT_PARTITION),
        decided=lambda facts: (
            facts.state == "PENDING" and facts.reason in {"PartitionNodeLimit", "BadConstraints"}
        ),
    ),
    _refusal(
        label="slurm-dependency",
        title="The dependency cannot be used: unknown, malformed, or never to be satisfied.",
        remedy="Check that the job it waits for was submitted and did not fail; resubmit without "
        "the dependency or with the right id.",
        patterns=(
            r"Job dependency problem",
            r"Circular job dependency",
            r"\(DependencyNeverSatisfied\)|Reason=DependencyNeverSatisfied",
        ),
        actions=(Action.RESUBMIT_DEPENDENCY,),
        decided=lambda facts: facts.reason == "DependencyNeverSatisfied",
    ),
    _refusal(
        label="slurm-bad-script",
        title="The batch script[ {path}] is not one that can run.",
        remedy="Give the right path of a script whose first line is #!/bin/bash, with UNIX line "
        "ends; quote a --wrap command.",
        patterns=(
            r"(?i)This does not look like a batch script",
            r"(?i)Batch script contains DOS line breaks",
            r"(?i)Batch script is empty",
            r"(?i)Batch script contains NULL characters",
            r"(?i)Script arguments (?:are )?not permitted with --wrap",
            r"^(?:sbatch|srun|salloc): error: Unable to open file (?P<path>\S+)",
            r"(?i)bad interpreter[:(]",
            r"env: \W{0,3}\w+\\r\W{0,3}: No such file",
            r"(?i)\$'\\r': command not found",
            r"execve\(\): \S+: Exec format error",
            r"Invalid directive found in batch script",
            r"Job script not specified",
            r"Pathname of a file, directory or other parameter too long",
        ),
        lines=("sbatch: error: Invalid directive found in batch script: #SBATCH --gres gpu:8",),
        actions=(Action.SHOW_LOG,),
    ),
    _refusal(
        label="bash-syntax",
        title="The shell cannot parse the script or command line.",
        remedy="Quote the argument or repair the line named in the message.",
        patterns=(
            r"(?i)syntax error near unexpected token",
            r"(?i)syntax error: unexpected (?:end of file|\S+)",
            r"(?i)unexpected EOF while looking for matching",
            r"(?i)[Ss]yntax error: (?:\"|Unterminated|end of file|word unexpected)",
            r"(?i): bad substitution$",
            r"^\S+: line \d+: \S+: (?:unbound variable|parameter null or not set)",
            r"(?i): line \d+: conditional binary operator expected",
        ),
        actions=(Action.SHOW_LOG,),
    ),
    _refusal(
        label="slurm-env-conflict",
        title="Options or inherited SLURM_* variables contradict each other.",
        remedy="Unset the inherited SLURM_* variables, or submit from the login node, and give "
        "each quantity once.",
        patterns=(
            r"(?i)set by two different environment variables",
            r"(?:srun|sbatch|salloc): (?:error|fatal): .*mutually exclusive",
            r"(?i)fatal: .*SLURM_(?:MEM|TRES|CPUS|NTASKS|GPUS)\w+",
            r"Unable to confirm allocation for job \S+: Invalid job id",
            r"Check SLURM_JOB_ID environment variable",
            r"pyxis: (?:both --|--container-\S+ specified multiple times)",
        ),
        lines=("srun: error: Unable to confirm allocation for job 55: Invalid job id specified",),
        actions=(Action.RESUBMIT_CLEAN_ENV,),
    ),
    *(
        _refusal(
            label=label,
            title="The site's own rules refuse this request.",
            remedy="Do what the message asks for; the site's documentation says what is allowed.",
            patterns=(
                rf"^(?i)(?:sbatch|salloc): error: .*(?:{words})\b",
                rf"^(?i)srun: error: (?:you|your|please|the|must|no|an?|all) .*(?:{words})\b",
            ),
            lines=(line,),
            strength=Strength.FAULT,  # a word of it, against what Slurm itself names
            actions=(action,),
        )
        for label, action, words, line in (
            (
                "slurm-invalid-account",
                Action.RESUBMIT_ACCOUNT,
                r"\b(?:account|project|allocation)s?",
                "srun: error: You must specify an account!",
            ),
            (
                "slurm-invalid-partition",
                Action.RESUBMIT_PARTITION,
                r"\b(?:partition|queue)s?",
                "salloc: error: The genoa2 partition does not seem suitable for this job",
            ),
            (
                "slurm-invalid-qos",
                Action.RESUBMIT_QOS,
                r"\bqos",
                "sbatch: error: Please choose a QOS: short, long",
            ),
            (
                "slurm-invalid-time-limit",
                Action.MORE_TIME,
                r"\b(?:time ?limit|wall ?time|much time)|--time",
                "sbatch: error: You have requested too much time or specified no time limit",
            ),
            (
                "slurm-node-config",
                Action.RESUBMIT_SIZE,
                r"\b(?:memory|RAM)|--mem\S*",
                "sbatch: error: You requested 245760M RAM, but only 1 GPUs.",
            ),
            (
                "slurm-invalid-gres",
                Action.RESUBMIT_GPUS,
                r"\b(?:gpus?|gres)",
                "sbatch: error: A list of `gres` options is currently not permitted.",
            ),
            (
                "slurm-node-config",
                Action.RESUBMIT_SIZE,
                r"\b(?:cores?|cpus?|nodes|tasks)",
                "sbatch: error: Users must specify `--nodes` here.",
            ),
        )
    ),
)
