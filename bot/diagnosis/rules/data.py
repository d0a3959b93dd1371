"""Data sets, tokenizers, checkpoints, numbers."""

from __future__ import annotations

from bot.diagnosis.rule import Action, Mark, Rule

_GROUP = "data"

RULES = (
    Rule(
        label="cross-device-link",
        group=_GROUP,
        title="A tokenizer file could not be moved into the cache: they are on two file systems.",
        remedy="Rerun with the same cache dir, which is often enough.",
        patterns=(r"\[Errno 18\] .*(?:gpt2-(?:vocab|merges)|torch/megatron/|megatron-gpt-345m)",),
        actions=(Action.RERUN_SAME,),
        again=(Action.PLACE_TOKENIZER,),
        remedy_again="It failed in the same way again: put the two tokenizer files into "
        "CACHE/torch/megatron/, which the button does, and run it once more.",
    ),
    Rule(
        label="cross-device-link",
        group=_GROUP,
        title="A file was to be renamed from one file system to another.",
        remedy="Put TMPDIR and the cache on one file system, or put the file into the cache by "
        "hand.",
        patterns=(r"\[Errno 18\]", r"[Ii]nvalid cross-device link"),
        actions=(Action.RERUN_SAME, Action.RESUBMIT_OPTION),
        again=(Action.RESUBMIT_OPTION,),
    ),
    Rule(
        label="dataset-index-cache",
        group=_GROUP,
        title="The data set's index files are not visible on every node.",
        remedy="Put the data cache path on shared storage, or build the index once before.",
        patterns=(
            (
                r"No such file or directory: '[^']*(?:index[-_]cache|index_mapping|"
                r"cache/\w*GPTDataset)[^']*'"
            ),
            (
                r"No such file or directory: '[^']*_(?:doc_idx|sample_idx|shuffle_idx|"
                r"indexmap)[^']*\.npy'"
            ),
            (
                r"No such file or directory: '[^']*-(?:document_index|sample_index|"
                r"shuffle_index)\.npy'"
            ),
        ),
        actions=(Action.RESUBMIT_OPTION,),
        transient=True,
    ),
    Rule(
        label="tokenizer-missing",
        group=_GROUP,
        title="The tokenizer or vocabulary file is missing or is none.",
        remedy="Give the right path or model of the tokenizer.",
        patterns=(
            r"could not parse ModelProto from",
            r"Can't load tokenizer for",
            r"No such file or directory:? .*(?:tokenizer|vocab|merges|spiece|sentencepiece)[\w.-]*",
            r"(?:Error|ERROR|error)\b.*[Tt]okenizer.* (?:not found|does not exist)",
            r"Not found: \"[^\"]*(?:tokenizer|vocab|\.model)",
            r"Couldn't instantiate the backend tokenizer",
            r"stat: path should be string, bytes, os\.PathLike or integer, not NoneType",
            r"Unable to load vocabulary from file",
            r"sentencepiece_processor\.cc",
        ),
        actions=(Action.RESUBMIT_OPTION,),
    ),
    Rule(
        label="dataset-missing",
        group=_GROUP,
        title="The data set is not at the path given.",
        remedy="Correct the data path or mount; Megatron wants the prefix without .bin and .idx.",
        patterns=(
            r"[Dd]ataset does not exist",
            r"[Oo]ne or both of the \.idx and \.bin files? cannot be found",
            r"no \.(?:idx|bin)/?\.?(?:bin|idx)? file at the path",
            r"Couldn't find any data file at",
            r"Couldn't find a dataset script at",
            r"DatasetNotFoundError",
            r"(?:EmptyDatasetError|DataFilesNotFoundError)",
            (
                r"No such file or directory: '[^']*\.(?:jsonl|json\.gz|parquet|arrow|bin|idx|tar|"
                r"txt|csv|tfrecord|npy|h5)'"
            ),
            r"Unable to find '[^']*'$",
            r"(?:Error|ERROR|error)\b.*[Nn]o (?:files|data|shards|samples) found\b",
            (
                r"(?:Error|ERROR|error)\b.*data\w* (?:path|prefix|file|dir\w*) .*(?:does not "
                r"exist|not found)"
            ),
            r"is neither a `Dataset` directory nor a `DatasetDict` directory",
        ),
        actions=(Action.RESUBMIT_OPTION,),
    ),
    Rule(
        label="dataset-bad-record",
        group=_GROUP,
        title="A record of the data set cannot be read.",
        remedy="Repair or drop the record, and validate the whole file.",
        patterns=(
            r"JSONDecodeError: ",
            (
                r"Caught (?:IndexError|KeyError|ValueError|TypeError|JSONDecodeError|"
                r"UnicodeDecodeError|AssertionError|RuntimeError) in DataLoader worker process"
            ),
            r"UnicodeDecodeError: ",
            r"ArrowInvalid: |DatasetGenerationError|pyarrow\.lib\.Arrow\w+Error?: JSON parse error",
            r"JSON parse error: ",
            r"UnidentifiedImageError",
            r"bad header, cannot read: \S+\.idx",
        ),
        actions=(Action.SHOW_LOG,),
    ),
    Rule(
        label="dataset-bad-record",
        group=_GROUP,
        title="A record of the data set cannot be read.",
        remedy="Repair or drop the record, and validate the whole file.",
        patterns=(
            r"^(?:KeyError|IndexError|ValueError|TypeError|UnicodeDecodeError|struct\.error)\b",
        ),
        actions=(Action.SHOW_LOG,),
        within=r"torch/utils/data/(?:_utils/fetch|_utils/worker|dataloader)\.py|"
        r"\b(?:rec|record|row|sample|example|doc|entry|datapoint)\[[\"']",
    ),
    Rule(
        label="dataset-too-small",
        group=_GROUP,
        title="The data set gives no step or sample for this batch size or split.",
        remedy="Use more data, another split, or a smaller batch.",
        patterns=(
            r"Number of steps/epoch 0\b",
            r"num_samples should be a positive integer value, but got num_samples=0",
            r"Dataset is too small|[Nn]ot enough (?:samples|data|documents)",
            r"`?Dataloader`? (?:has|returned) 0 (?:batches|length)",
            r"(?:Error|ERROR|error)\b.*[Dd]ataset (?:is empty|has no samples|of length 0)",
            r"`Trainer\.fit` stopped: No training batches",
            r"no samples? (?:left )?to consume",
        ),
        actions=(Action.RESUBMIT_OPTION,),
    ),
    Rule(
        label="checkpoint-missing",
        group=_GROUP,
        title="The checkpoint to load is not there, or lacks a part.",
        remedy="Point to a whole checkpoint, or start with a fresh folder.",
        patterns=(
            r"context/io\.json",
            (
                r"No such file or directory: '[^']*(?:\.ckpt|\.pth?|\.distcp|\.nemo|checkpoint|"
                r"ckpt|\.safetensors|common\.pt|metadata\.json|iter_\d+|step_\d+)[^']*'"
            ),
            r"(?:Error|ERROR|error)\b.*[Cc]heckpoint.*(?:does not exist|not found)",
            r"is not a (?:distributed )?checkpoint",
            r"could not find the metadata file .*(?:exit|abort)",
            r"Error no file named .*found in directory",
            r"CheckpointingException: .*(?:not found|does not exist|not a distributed)",
            r"cannot access '[^']*(?:checkpoint|ckpt)[^']*': No such file",
            r"No such file or directory: '[^']*/\.metadata'",
            r"(?i)no valid checkpoint found|can't find a valid checkpoint",
        ),
        actions=(Action.RESUBMIT_OPTION,),
    ),
    Rule(
        label="checkpoint-mismatch",
        group=_GROUP,
        title="The checkpoint does not fit the model, the library or the parallel layout.",
        remedy="Use the configuration it was made with, or do not resume from it.",
        patterns=(
            r"Global shape mismatch for loaded",
            r"size mismatch for \S+: copying a param",
            r"Error\(s\) in loading state_dict for",
            r"(?:Missing|Unexpected) key\(s\) in state_dict",
            r"KeyError: .*(?:sharded|state_dict|optimizer\.state)",
            r"loaded state dict (?:contains|has)",
            r"CheckpointingException: .*(?:mismatch|unexpected)",
            r"checkpoint (?:was saved|has).*(?:but|mismatch)",
            r"value from checkpoint \(.*\) is not equal to the (?:input argument|currently set)",
            r"Missing key in checkpoint state_dict",
            r"Size mismatch between saved",
            r"Weights only load failed",
        ),
        actions=(Action.RESUBMIT_OPTION,),
    ),
    Rule(
        label="checkpoint-mismatch",
        group=_GROUP,
        title="The checkpoint was made with another version of a library.",
        remedy="Use the library it was made with, or convert the checkpoint again.",
        patterns=(r"^(?:EOFError|KeyError|AttributeError|TypeError|\S*UnpicklingError)\b",),
        actions=(Action.RESUBMIT_OPTION,),
        within=r", in (?:set_extra_state|_set_extra_state)\b",
    ),
    Rule(
        label="checkpoint-corrupt",
        group=_GROUP,
        title="The checkpoint file is truncated or damaged.",
        remedy="Use the previous whole checkpoint, or download again.",
        patterns=(
            r"EOFError: Ran out of input",
            r"MetadataIncompleteBuffer",
            r"PytorchStreamReader failed (?:reading|finding)",
            r"SafetensorError: Error while deserializing",
            r"UnpicklingError: ",
            r"(?:invalid header|zip archive).*(?:corrupted|truncated|failed)",
            r"zarr\S*.*(?:corrupt|checksum)",
            r"unexpected EOF, expected \d+ more bytes",
            r"BadZipFile",
        ),
        actions=(Action.RESUME,),
    ),
    Rule(
        label="loss-nan",
        group=_GROUP,
        title="The loss or gradient is no longer a number.",
        remedy="Go back to a checkpoint before it, and lower the learning rate or check the data.",
        patterns=(
            r"found (?:NaN|Inf) in local (?:forward loss|grad norm)",
            r"global batch size: +\d+ \| loss scale: .*number of skipped iterations: +0 \|",
            r"(?i)(?:reduced_train_loss|lm loss|train_loss|training_loss|total_loss): +nan\b",
            r"(?i)\bloss['\"]?(?:[:=] ?|: +)nan\b",
            r"(?i)\bloss (?:is|became|was) (?:nan|not finite|inf)\b",
            r"grad[_ ]norm: +(?:nan|inf)\b.*skipped iterations: +0 ",
            r"Unexpected result nan on rank",
            r"number of nan iterations: +[1-9]\d* ",
            r"Function '\w+' returned nan values",
            r"(?i)non-?finite (?:loss|gradient)",
            r"Detected nan and/or inf values in",
            r"(?i)\bnan (?:values? )?(?:detected|encountered) in (?:the )?(?:loss|grad)",
            r"training loss is `?nan",
        ),
        actions=(Action.RESUME, Action.RESUBMIT_OPTION),
        quiet=True,
        going=True,
        healed=frozenset({Mark.STEP}),
    ),
    Rule(
        label="dataset-missing",
        group=_GROUP,
        title="A file of the data set is missing: {path}.",
        remedy="Correct the data path or the mount that should show it.",
        patterns=(
            r"No such file or directory: '(?P<path>[^']*/(?:data|datasets?|corpus|corpora)/[^']+)'",
            # A program of the shell names it: `wc: /data/train.jsonl: No such file or directory`.
            (
                r"^\w[\w.-]*: (?:cannot \w+ )?'?(?P<path>/[^':]*\.(?:jsonl|json\.gz|parquet|"
                r"arrow|bin|idx|tar|txt|csv|tfrecord|npy|h5))'?: No such file or directory$"
            ),
        ),
        actions=(Action.RESUBMIT_OPTION,),
    ),
)
