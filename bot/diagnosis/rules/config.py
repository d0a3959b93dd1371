"""Configuration of the program, and the Python it runs in."""

from __future__ import annotations

from bot.diagnosis.rule import Action, Rule

_GROUP = "config"

RULES = (
    Rule(
        label="config-file-missing",
        group=_GROUP,
        title="The configuration file[ {path}] does not exist.",
        remedy="Correct the path or name, and the mount that should show it.",
        patterns=(
            r"No such file or directory: '(?P<path>[^']+\.(?:ya?ml|toml|cfg|ini))'",
            r"Cannot find primary config '(?P<path>[^']+)'",
            r"Primary config (?:directory|module) .*not found",
            r"(?:Error|ERROR|error|Exception)\b.*[Cc]onfig\w* file.*(?:does not exist|not found)",
            r"The passed configuration file .(?P<path>[^`']+). does not exist",
            r"Expected a string path to an existing deepspeed config",
            (
                r"Error: [Uu]nable to (?:open|load|read|find) (?:the )?(?:recipe "
                r")?config(?:uration)?\b"
            ),
            r"No such file or directory: '(?P<path>[^']*(?:ds_|deepspeed|zero\d)[^'/]*\.json)'",
            r"In '[^']+': Could not (?:find|load) '(?P<path>[^']+)'",
            (
                r"^(?:Error|click\.exceptions\.BadParameter): .*(?:Path|File|file) "
                r"'(?P<path>[^']+\.(?:ya?ml|toml|json|cfg|ini|conf))' does not exist"
            ),
            r"(?:file|File) \"(?P<path>[^\"]*config\S*\.py)\" does not exist",
        ),
        lines=(
            "In 'train': Could not find 'model/llama3_70b'",
            (
                "ValueError: The passed configuration file `acc.yaml` does not exist. Please pass "
                "an existing file to `accelerate launch`"
            ),
            (
                "ValueError: Expected a string path to an existing deepspeed config, or a "
                "dictionary, or a base64 encoded string. Received: ds_z3.json"
            ),
        ),
        actions=(Action.RESUBMIT_OPTION,),
    ),
    Rule(
        label="hydra-config-missing",
        group=_GROUP,
        title="A mandatory value[, {key},] is not set.",
        remedy="Give the value as an override.",
        patterns=(
            r"Missing mandatory value: (?P<key>\S+)",
            r"MissingMandatoryValue",
            r"InterpolationKeyError: Interpolation key '(?P<key>[^']+)'",
            r"InterpolationResolutionError",
            r"You must specify '(?P<key>[^']+)'",
            r"Configuration Error: Missing required keys",
            r"UnsupportedInterpolationType|InterpolationToMissingValueError",
            r"error: the following arguments are required: (?P<key>.+)",
            r"^Error: Missing (?:option|argument|parameter)",
        ),
        lines=("sft.py: error: the following arguments are required: --data-path",),
        actions=(Action.RESUBMIT_OPTION,),
    ),
    Rule(
        label="hydra-config-key",
        group=_GROUP,
        title="An override names a key[, {key},] that is not in the configuration.",
        remedy="Correct the key, or put + or ++ before it.",
        patterns=(
            r"Could not override '(?P<key>[^']+)'",
            r"Key '(?P<key>[^']+)' is not in struct",
            r"To append to your config use \+",
            r"ConfigAttributeError",
            r"ConfigKeyError",
            r"Error merging override (?P<key>\S+)",
            r"OverrideParseException",
            r"LexerNoViableAltException|mismatched input .* expecting",
            r"MissingConfigException: In",
            r"unrecognized arguments: (?P<key>.+)",
            r"error: (?:argument \S+: |ambiguous option: )",
            r"^Error: (?:No such (?:option|command)|Invalid value for|Got unexpected extra)",
            r"Unknown command line flag '(?P<key>[^']+)'",
            r"not used by the HfArgumentParser: (?P<key>.+)",
            r"Parser key \"(?P<key>[^\"]+)\":|Key \"(?P<key>[^\"]+)\" is not expected",
            r"TypeError: No parameter named '(?P<key>[^']+)' exists for",
            r"No match in the defaults list|Could not (?:append to|delete from) config\.",
            r"Multiple values for \S+\. To override a value use",
            r"Extra inputs are not permitted",
            r"^(?:omegaconf\.errors\.)?ValidationError: Value .* could not be converted to",
            r"[Ee]rror parsing override|token recognition error at|no viable alternative at input",
            r"Key '(?P<key>[^']+)' not in '",
            r"ConfigCompositionException",
            r"^Error merging '",
            r"^Value '.*' of type '\w+' could not be converted to",
            r"cli_parser\.\w+Error: ",
            r"^Failed to parse argument",
        ),
        lines=(
            "run_grpo.py: error: argument --steps: invalid int value: '1e3'",
            "Error: No such option: --lr-decay",
            "TypeError: No parameter named 'max_stepz' exists for <class 'recipes.Trainer'>",
            (
                "omegaconf.errors.ValidationError: Value 'many' of type 'str' could not be "
                "converted to Integer"
            ),
        ),
        actions=(Action.RESUBMIT_OPTION,),
    ),
    Rule(
        label="batch-size-config",
        group=_GROUP,
        title="The batch sizes do not fit each other or the number of ranks.",
        remedy="Make global batch = micro batch × data parallel × accumulation.",
        patterns=(
            r"global batch size \(?\d+\)? is not divisible by micro batch size",
            r"[Gg]lobal[ _]batch[ _]size.*(?:divisible|multiple|equal)",
            r"Check batch related parameters",
            r"cannot split evenly into microbatches",
            (
                r"(?:batch[_ ]size|num_samples|num_prompts\w*).*(?:must|should) be (?:divisible|a "
                r"multiple|equal)"
            ),
            r"(?:micro|train|mini)[_ ]?batch.*(?:not divisible|must be divisible|divisible by)",
            r"number of micro-?batches .*(?:divisible|multiple)",
            r"[Bb]atch[_ ]?[Ss]ize.*(?:not (?:evenly )?divisible|must be evenly divisible)",
            r"evenly divisible by the number of generations per prompt",
            (
                r"(?i)batch[_ ]?size\S* .*(?:should|must|has to) be (?:larger|greater|at least|"
                r"positive|>=)"
            ),
            r"(?i)batch[_ ]?size\S* .*(?:must|should) be a positive integer",
            r"Error: .*[Bb]atch[_ ]?[Ss]ize.*(?:divisible by|multiple of)",
            r"Error: .*(?:divisible by|multiple of) (?:the )?\W?\w*batch",
            r"[Mm]icro-?batches should be at least|[Gg]radient accumulation steps: \d+ has to be",
            r"[Ee]ither train_batch_size or train_micro_batch_size_per_gpu needs",
            (
                r"Error: .*(?:set at least one of|must be >=) .*batch_size|At least two of "
                r"\[micro_batch"
            ),
            r"only support equal chunk",
            r"not divisible by (?:micro|mini|global)[_ -]?batch|batch_size % \(",
            r"% \w*batch_size == 0$",
            r"Expected num_prompts_per_step to be a multiple of",
            r"gradient_accumulation_steps must be",
        ),
        lines=(
            (
                "ValueError: The global train batch size (7 x 5) must be evenly divisible by the "
                "number of generations per prompt (16)."
            ),
        ),
        actions=(Action.RESUBMIT_OPTION,),
    ),
    Rule(
        label="parallelism-config",
        group=_GROUP,
        title="The parallel sizes do not fit the number of GPUs or the model.",
        remedy="Choose TP × PP × CP × EP that divide the world size, and that divide layers, "
        "heads and sequence.",
        patterns=(
            (
                r"[Ww]orld[_ ]size ?\(?\d*\)? ?(?:is|must be|should be|not).*(?:divisible|"
                r"multiple|equal)"
            ),
            r"should be divisible by tensor (?:model )?parallel size",
            (
                r"(?:tensor|pipeline|context|expert|data|sequence)[_ -](?:model[_ "
                r"-])?parallel.*(?:divisible|multiple of|must (?:be )?(?:divide|equal|less)|"
                r"exceed)"
            ),
            (
                r"(?:num(?:ber)?(?:_| of )?(?:attention[_ ])?(?:heads|layers|query[_ ]groups|"
                r"experts)|num_layers|attention heads|query groups).*(?:divisible|multiple)"
            ),
            r"Error: .*\d+ is not divisible by \d+",
            r"(?:TP|PP|CP|EP|DP) ?(?:\*|x|×) ?(?:TP|PP|CP|EP|DP).*(?:world|GPU)",
            r"You set .(?:devices|num_nodes)=\d+. in Lightning, but",
            r"Total number of GPUs.*(?:divisible|does not match)",
            r"Mesh should not be bigger than default world size",
            r"mesh_shape .*(?:world|number of (?:ranks|devices))",
            r"data_parallel_size .*(?:must|should|divis)",
            (
                r"(?:vocab|hidden|ffn|sequence|seq)\w*.*(?:divisible by|must be a multiple "
                r"of).*(?:tensor|tp|parallel)"
            ),
            r"(?:tensor|pipeline|expert)_(?:model_)?parallel_size.*(?:larger|greater) than",
            r"(?:Tensor|tensor|Pipeline|pipeline) parallel size \(?\d+\)? cannot be larger",
            r"World size \(\d+\) is larger than the number of available GPUs",
            (
                r"[Ii]nvalid parallel dims|parallel\w* (?:dims|sizes?|degrees?) .*(?:!=|does not "
                r"match)"
            ),
            r"total_size \(\d+\) does not match num_processes",
            r"parallel[ -]size should be (?:greater|larger|less)|[Dd]egree of parallelism must",
            r"[Mm]esh .*does not match .*world|[Ww]orld[_ ]size \(?\d+\)? != ",
            r"sequence paral+elism without tensor parallelism",
            (
                r"(?:should|must) be divisible by (?:partial DistOpt shard factor|world size|"
                r"\w*parallel)"
            ),
            r"[Nn]umber of experts should be a multiple of",
            r"[Ww]orld [Ss]ize \(\d+\) is insufficient|[Ii]nvalid parallelism configuration",
            r"Error: .*not supported (?:with|for|by) .*\b(?:\w+ )?parallel(?:ism)?\b",
            r"Error: .*[Pp]arallel(?:ism)? is not supported|to use expert-parallel",
            r"(?:multiplied should|should be|must be|must) equal (?:to )?the world[_ ]size",
            r"Sequence length per GPU needs to be divisible",
            r"Assertion failed: mpiSize ==|(?:dims|layout|mesh) does not match (?:the )?world",
            (
                r"(?i)parallel[ _]size \(?\d+\)? (?:does not evenly divide|should not be "
                r"(?:larger|greater))"
            ),
            r"(?i)parallel[ _]size \(?\d+\)? must be (?:less|smaller|at most)",
            r"only supported for single pipeline parallel stage|requires an even number of ranks",
            r"[Pp]arallel (?:size mismatch|groups are expected to be the same)",
            r"parallel size of the attention and moe layers must be the same",
            (
                r"(?i)(?:not (?:evenly )?divisible by|(?:must|should) be (?:evenly )?divisible by|"
                r"a multiple of) .{0,40}\b(?:\w*(?:tp|pp|cp|ep|dp)(?:_?size)?|world_?size|ranks?|"
                r"gpus?|\w*parallel\w*|stages?)\b"
            ),
        ),
        lines=(
            (
                "AssertionError: Expert data parallel size should be divisible by partial DistOpt "
                "shard factor"
            ),
            (
                "AssertionError: Invalid parallel dims: dp_replicate(1) * dp_shard(4) * cp(1) * "
                "tp(4) * pp(1) != WORLD_SIZE(8)"
            ),
        ),
        actions=(Action.RESUBMIT_OPTION, Action.RESUBMIT_SIZE),
    ),
    Rule(
        label="python-version-conflict",
        group=_GROUP,
        title="Installed packages exclude each other by version.",
        remedy="Go back to the image's own versions, or pin the one named.",
        patterns=(
            r"maximum version .* is supported|[Mm]aximum supported version",
            r"^ImportError: .*(?:is required for a normal functioning|but found)",
            r"\w+[<>=!~]=?[\d.]+.* is required",
            r"VersionConflict|ContextualVersionConflict",
            r"ResolutionImpossible",
            r"[Pp]lease (?:upgrade|downgrade) .* to version",
            r"No solution found when resolving dependencies",
            r"compiled with different CUDA",
            r"^\w*Error: .*\brequires \S+ ?(?:>=|<=|==|<|>) ?\d",
            (
                r"^ImportError: .*\bneeds \S+ [\d.]+ or (?:less|greater)|Found an incompatible "
                r"version of"
            ),
            r"module compiled against (?:ABI|API) version",
            r"numpy\.dtype size changed|binary incompatibility",
            r"version incompatibility: .*compiled +against",
            r"operator torchvision::\w+ does not exist",
            r"was removed in the NumPy 2\.0 release",
            r"requires \S+ version [\d.]+ or (?:later|newer|higher|above)",
            r"No matching distribution found for|Could not find a version that satisfies",
            r"requires a different Python: |Version mismatch: The cluster was started with",
            r"^ImportError: .*version [\d.]+ is not supported",
            r"numpy\.core\.multiarray failed to import",
            r"Requested Python version .* is incompatible",
            r"^TypeError: Descriptors cannot (?:not )?be created directly",
        ),
        lines=(
            "ImportError: Numba needs NumPy 2.1 or less. Got NumPy 2.3.",
            "RuntimeError: operator torchvision::nms does not exist",
            (
                "ValueError: numpy.dtype size changed, may indicate binary incompatibility. "
                "Expected 96 from C header, got 88 from PyObject"
            ),
        ),
        actions=(Action.RESUBMIT_IMAGE,),
    ),
    Rule(
        label="python-import",
        group=_GROUP,
        title="A Python package or name[, {module},] is missing in this environment.",
        remedy="Use an image that has it, or install it there.",
        patterns=(
            r"^(?:\w+\.)*ModuleNotFoundError: No module named '?(?P<module>[^'\s]+)",
            r"^(?:\w+\.)*ImportError: ",
            r"No module named (?P<module>[\w.]+)$",
            r"\(ModuleNotFoundError: No module named '(?P<module>[^']+)'",
            r"^AttributeError: (?:partially initialized )?module '[^']+' has no attribute",
            r"^OSError: .*\.so[\w.]*: (?:cannot open shared object file|undefined symbol)",
            r"error while loading shared libraries",
            r"PackageNotFoundError: ",
            r"Failed to import \S+ because of the following error",
            r"Error (?:locating|loading) target '(?P<module>[^']+)'",
            r"undefined symbol: ",
            r"version .GLIBC\w*_[\d.]+. not found",
        ),
        actions=(Action.RESUBMIT_IMAGE,),
    ),
    Rule(
        label="python-syntax-error",
        group=_GROUP,
        title="Python cannot parse a source file.",
        remedy="Repair the line named and resubmit.",
        patterns=(r"^(?:Sorry: )?(?:SyntaxError|IndentationError|TabError): ",),
        actions=(Action.SHOW_LOG,),
    ),
)
