"""Checkpoints that cannot be loaded, and losses that are no numbers."""

from __future__ import annotations

from bot.diagnosis.rule import Action, Mark, Rule

_GROUP = "data"

RULES = (
    Rule(
        label="checkpoint-missing",
        group=_GROUP,
        title="The checkpoint to load is not there, or lacks a part[: {path}].",
        remedy="Point to a whole checkpoint, or start with a fresh folder.",
        patterns=(
            r"context/io\.json",
            (
                r"No such file or directory: "
                r"['\"][^'\"]*(?:\.ckpt|\.pth?|\.distcp|\.nemo|checkpoint|"
                r"ckpt|\.safetensors|common\.pt|metadata\.json|iter_\d+|step_\d+)[^'\"]*['\"]"
            ),
            r"does not appear to have (?:a |any )?files? named ",
            r"HFValidationError: Repo id must",
            r"Incorrect path_or_model_id: ",
            r"Error: (?:/|\.\.?/)\S* is not a local folder",
            r"\b(?:Remote)?EntryNotFoundError|RevisionNotFoundError",
            r"Unable to find latest file at",
            r"(?:Error|ERROR)\b.*[Nn]o checkpoints? (?:was |were )?found",
            r"can't find \S+ files in directory",
            r"Client provided checkpoint load path",
            r"'--exit-on-missing-checkpoint' set",
            r"NotFoundError: There (?:was|were) no checkpoint",
            r"Cannot find any model weights with",
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
        lines=(
            "OSError: /models/llama does not appear to have a file named config.json.",
            (
                "huggingface_hub.errors.HFValidationError: Repo id must be in the form "
                "'repo_name' or "
                "'namespace/repo_name': '/models/llama3'."
            ),
            (
                "ValueError: Unable to find latest file at /out/latest, if trying to load latest "
                "checkpoint please ensure this file exists"
            ),
            'FileNotFoundError: No such file or directory: "/m/model-00002-of-00004.safetensors"',
            (
                "OSError: /models/llama is not a local folder and is not a valid model identifier "
                "listed on the hub"
            ),
            "huggingface_hub.errors.EntryNotFoundError: 404 Client Error. (Request ID: 1)",
        ),
    ),
    Rule(
        label="checkpoint-missing",
        group=_GROUP,
        title="A file of the checkpoint is missing[: {path}].",
        remedy="Point to a whole checkpoint, or start with a fresh folder.",
        patterns=(r"^FileNotFoundError\b",),
        actions=(Action.RESUBMIT_OPTION,),
        within=r"File \"[^\"]*(?:checkpoint|ckpt|torch/serialization)[^\"]*\.py\"|"
        r"\bin \w*(?:load_checkpoint|from_checkpoint|restore_from|load_state_dict)\b",
        last_resort=True,
        lines=(
            (
                "Traceback (most recent call last):\n"
                '  File "/w/train.py", line 90, in load_checkpoint\n'
                "FileNotFoundError: [Errno 2] No such file or directory: '/out/run7/last'"
            ),
        ),
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
            r"CheckpointingException: .*(?:mismatch|unexpected|Cannot find|access pattern|shape)",
            r"loaded used a DP world size of|partitioning with a new world size is not",
            r"KeyError: MetadataIndex\(",
            r"Trying to set a tensor of shape",
            r"Attempted to load weight .* into parameter",
            r"There is no module or parameter named",
            r"checkpoint (?:was saved|has).*(?:but|mismatch)",
            r"value from checkpoint \(.*\) is not equal to the (?:input argument|currently set)",
            r"Missing key in checkpoint state_dict",
            r"Size mismatch between saved",
            r"Weights only load failed",
        ),
        actions=(Action.RESUBMIT_OPTION,),
        lines=(
            (
                "deepspeed.runtime.zero.utils.ZeRORuntimeException: The checkpoint being "
                "loaded used a "
                "DP world size of 8 but the current world size is 4."
            ),
            "KeyError: MetadataIndex(fqn='module.decoder.layers.0.weight', offset=None, index=24)",
            (
                'ValueError: Trying to set a tensor of shape torch.Size([8, 4]) in "weight" '
                "(which has "
                "shape torch.Size([4, 4])), this looks incorrect."
            ),
        ),
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
            r"PytorchStreamReader failed (?:reading|finding|locating)",
            r"Invalid magic number; corrupt file",
            r"Unable to load weights from (?:the )?(?:pytorch|safetensors|checkpoint)",
            r"Consistency check failed: file should be of size",
            r"SafetensorError: Error while deserializing",
            r"UnpicklingError: ",
            r"(?:invalid header|zip archive).*(?:corrupted|truncated|failed)",
            r"zarr\S*.*(?:corrupt|checksum)",
            r"unexpected EOF, expected \d+ more bytes",
            r"BadZipFile",
        ),
        actions=(Action.RESUME,),
        lines=(
            "RuntimeError: PytorchStreamReader failed locating file data.pkl: file not found",
            "RuntimeError: Invalid magic number; corrupt file?",
            (
                "OSError: Consistency check failed: file should be of size 4976698672 but has size "
                "18874368 (model-00001-of-00004.safetensors)."
            ),
        ),
    ),
    Rule(
        label="checkpoint-corrupt",
        group=_GROUP,
        title="The archive of a checkpoint is truncated or damaged.",
        remedy="Use the previous whole checkpoint, or download again.",
        patterns=(
            r"^(?:tarfile\.ReadError|EOFError|zlib\.error|\S*BadGzipFile)\b",
            r"^OSError: \[Errno 22\] Invalid argument$",  # PyTorch seeks where a file was cut off
        ),
        actions=(Action.RESUME,),
        within=r"File \"[^\"]*(?:save_restore_connector|checkpoint|torch/serialization)\w*\.py\"",
        lines=(
            (
                "Traceback (most recent call last):\n"
                '  File "/opt/NeMo/nemo/core/connectors/save_restore_connector.py", line 60, '
                "in load\n"
                "tarfile.ReadError: unexpected end of data"
            ),
        ),
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
            r"(?i)\bloss['\"]?(?:[:= ] ?|: +)['\"]?nan\b",
            r"'grad_norm': '?nan\b",
            r"(?i)\bloss (?:is|became|has become|was|turned) (?:nan|not finite|non-finite|inf)",
            r"grad[_ ]norm: +(?:nan|inf)\b.*skipped iterations: +0 ",
            r"number of nan iterations: +[1-9]\d* ",
            r"Function '\w+' returned nan values",
            r"(?i)non-?finite (?:loss|gradient)",
            r"Detected nan and/or inf values in",
            r"(?i)\bnan (?:values? )?(?:detected|encountered) in (?:the )?(?:loss|grad)",
            r"training loss is `?nan",
            r"The loss returned in `\w+` is (?:nan|inf)",
            r"Current loss scale already at minimum|Minimum loss scale reached",
            r"for gradients from `parameters` is non-finite",
            r"Unexpected result (?:nan|inf|-inf) on rank",
        ),
        actions=(Action.RESUME, Action.RESUBMIT_OPTION),
        quiet=True,
        going=True,
        healed=frozenset({Mark.STEP}),
        lines=(
            (
                "Exception: Current loss scale already at minimum - cannot decrease scale anymore. "
                "Exiting run."
            ),
            "FloatingPointError: Minimum loss scale reached (0.0001). Your loss is exploding.",
            "ValueError: The loss returned in `training_step` is nan.",
            "iter 1200: loss nan, time 812.10ms, mfu 31.2%",
            "{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 1.2e-05, 'epoch': 0.11}",
            (
                "RuntimeError: The total norm of order 2.0 for gradients from `parameters` is "
                "non-finite, so it cannot be clipped."
            ),
        ),
    ),
)
