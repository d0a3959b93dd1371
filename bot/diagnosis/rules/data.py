"""Data sets and tokenizers."""

from __future__ import annotations

from bot.diagnosis.rule import Action, Rule

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
        title="The tokenizer or vocabulary file is missing or is none[: {path}].",
        remedy="Give the right path or model of the tokenizer.",
        patterns=(
            r"could not parse ModelProto from",
            r"Can't load tokenizer for",
            r"No such file or directory:? .*(?:tokenizer|vocab|merges|spiece|sentencepiece)[\w.-]*",
            r"(?:Error|ERROR|error)\b.*[Tt]okenizer.* (?:not found|does not exist)",
            r"Not found: \"[^\"]*(?:tokenizer|vocab|\.model)",
            r"(?:Couldn't|Cannot) instantiate (?:the backend|this) tokenizer",
            r"stat: path should be string, bytes, os\.PathLike or integer, not NoneType",
            r"Unable to load vocabulary from file",
            r"sentencepiece_processor\.cc",
            r"did not match any variant of untagged enum",
            r"No such file or directory:? .*\.tiktoken\b",
        ),
        actions=(Action.RESUBMIT_OPTION,),
        lines=(
            (
                "Exception: data did not match any variant of untagged enum ModelWrapper at line "
                "1251003 column 3"
            ),
            (
                "OSError: Can't load tokenizer for '/models/llama3'. If you were trying to load it "
                "from a hub, make sure you don't have a local directory with the same name."
            ),
        ),
    ),
    Rule(
        label="tokenizer-missing",
        group=_GROUP,
        title="A file of the tokenizer is missing[: {path}].",
        remedy="Give the right path or model of the tokenizer.",
        patterns=(
            (
                r"^(?:FileNotFoundError|OSError|TypeError: (?:not a string|expected str)|"
                r"AttributeError: 'NoneType')"
            ),
        ),
        actions=(Action.RESUBMIT_OPTION,),
        within=r"File \"[^\"]*(?:tokeniz|sentencepiece|tiktoken)[^\"]*\.py\"",
        last_resort=True,
        lines=(
            (
                "Traceback (most recent call last):\n"
                '  File "/opt/venv/sentencepiece/__init__.py", line 310, in LoadFromFile\n'
                "TypeError: not a string"
            ),
        ),
    ),
    Rule(
        label="dataset-missing",
        group=_GROUP,
        title="The data set is not at the path given[: {path}].",
        remedy="Correct the data path or mount; Megatron wants the prefix without .bin and .idx.",
        patterns=(
            r"[Dd]ataset does not exist",
            r"[Oo]ne or both of the \.idx and \.bin files? cannot be found",
            r"no \.(?:idx|bin)/?\.?(?:bin|idx)? file at the path",
            r"Couldn't find any data file at",
            r"Couldn't find a dataset script at",
            r"DatasetNotFoundError",
            r"(?:EmptyDatasetError|DataFilesNotFoundError)",
            r"Caught FileNotFoundError in DataLoader worker",
            r"Couldn't find any class folder in|Found no valid file for the classes",
            r"Dataset not found(?: or corrupted)?\.",
            r"At least one data file must be specified",
            r"No such file or directory: ['\"][^'\"]*/\.nv-meta/",
            (
                r"No such file or directory: ['\"][^'\"]*\.(?:jsonl|json\.gz|parquet|arrow|bin|idx|"
                r"tar|tgz|tar\.gz|zip|gz|zst|txt|csv|tsv|tfrecord|npy|npz|h5|hdf5|lmdb|mds|wav|flac|"
                r"jpe?g|png|mp4)['\"]"
            ),
            r"Unable to find '[^']*'(?: with any supported extension.*)?$",
            r"(?:Error|ERROR|error)\b.*[Nn]o (?:files|data|shards) found\b",
            (
                r"(?:Error|ERROR|error)\b.*data\w* (?:path|prefix|file|dir\w*) .*(?:does not "
                r"exist|not found)"
            ),
            r"is neither a `Dataset` directory nor a `DatasetDict` directory",
        ),
        actions=(Action.RESUBMIT_OPTION,),
        lines=(
            "FileNotFoundError: Couldn't find any class folder in imagenet/val.",
            "RuntimeError: Dataset not found. You can use download=True to download it",
            "FileNotFoundError: Caught FileNotFoundError in DataLoader worker process 2.",
        ),
    ),
    Rule(
        label="dataset-missing",
        group=_GROUP,
        title="A file of the data set is missing[: {path}].",
        remedy="Correct the data path or the mount that should show it.",
        patterns=(r"^FileNotFoundError\b",),
        actions=(Action.RESUBMIT_OPTION,),
        within=r"File \"[^\"]*(?:data_?set|data_?load|data_?module|indexed_data)[^\"]*\.py\"",
        last_resort=True,
        lines=(
            (
                "Traceback (most recent call last):\n"
                '  File "/w/my/datasets.py", line 14, in __init__\n'
                "FileNotFoundError: [Errno 2] No such file or directory: '/lustre/web/shard_000'"
            ),
        ),
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
                r"UnicodeDecodeError) in DataLoader worker process"
            ),
            r"UnicodeDecodeError: ",
            r"ArrowInvalid: |ArrowTypeError: |DatasetGeneration(?:Cast)?Error",
            r"JSON parse error: ",
            r"UnidentifiedImageError",
            r"bad header, cannot read: \S+\.idx",
            r"image file is truncated|broken data stream when reading image",
            r"!_src\.empty\(\)",
            r"(?:BadGzipFile|tarfile\.ReadError|zlib\.error|LZMAError|ZstdError): ",
            r"Compressed file ended before the end-of-stream marker",
            r"Corrupt snappy compressed data|Parquet magic bytes not found",
            r"Error tokenizing data\. C error|_csv\.Error: ",
            r"Invalid data found when processing input|LibsndfileError: ",
            r"mmap length is greater than file ?size|cannot mmap an empty file",
            r"^ValueError: Expected object or value",
            r"Column(?:s| name)? \[.*\] not in the dataset",
            r"Couldn't cast (?:array of type)?",
            r"Relative sample index \d+ is not present in the",
            r"(?i)checksum (?:failed|mismatch).*(?:shard|\.mds|\.tar|\.parquet)",
            r"AudioLoadingError",
            r"stack expects each tensor to be equal size|batch should be of equal size",
        ),
        actions=(Action.SHOW_LOG,),
        lines=(
            "OSError: image file is truncated (12 bytes not processed)",
            "tarfile.ReadError: unexpected end of data",
            "zlib.error: Error -3 while decompressing data: incorrect header check",
            "EOFError: Compressed file ended before the end-of-stream marker was reached",
            (
                "pandas.errors.ParserError: Error tokenizing data. C error: Expected 3 fields "
                "in line "
                "12, saw 5"
            ),
            (
                "datasets.exceptions.DatasetGenerationCastError: An error occurred while "
                "generating "
                "the dataset"
            ),
        ),
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
        r"datasets/(?:arrow_dataset|iterable_dataset|formatting/)|"
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
            (
                r"(?:Error|ERROR|error|Exception)\b.*[Dd]ataset (?:is empty|has no samples|of "
                r"length 0)"
            ),
            r"len\(DataLoader\) returns 0",
            r"`Trainer\.fit` stopped: No training batches",
            r"no samples? (?:left )?to consume",
            r"[Nn]o samples found\b",
            r"(?i)data ?loader is empty",
            r"(?i)data(?:set|loader)?\b.* smaller than (?:the )?(?:global )?batch",
            r"corresponds to no data!",
            r"not a single sample in your epoch_iterator",
        ),
        actions=(Action.RESUBMIT_OPTION,),
        lines=(
            "AssertionError: Train dataloader is empty!",
            'ValueError: Instruction "train" corresponds to no data!',
            "ValueError: no samples found in dataset; perhaps you have fewer shards than workers.",
        ),
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
