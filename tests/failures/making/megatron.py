"""How Megatron, transformers, Lightning and file formats fail; `--python` must have them."""

from __future__ import annotations

from tests.failures.making.play import Play, python
from tests.failures.making.torch import ranks

_GLOO = """
import torch, torch.distributed as dist
dist.init_process_group("gloo")
"""

MEGATRON = (
    ranks(
        "megatron-tp",
        "parallelism-config",
        "Three-way tensor parallel on two ranks.",
        _GLOO
        + "from megatron.core import parallel_state as p\n"
        + "p.initialize_model_parallel(tensor_model_parallel_size=3)\n",
        "not divisible by",
    ),
    python(
        "megatron-heads",
        "parallelism-config",
        "Four heads for three ranks.",
        "from megatron.core.transformer import TransformerConfig\n"
        "TransformerConfig(num_layers=2, hidden_size=64, num_attention_heads=4, "
        "tensor_model_parallel_size=3)\n",
        "must be a multiple of",
    ),
    python(
        "megatron-batch",
        "batch-size-config",
        "A global batch of 10 with micro batches of 4 on two replicas.",
        "from megatron.core.num_microbatches_calculator import *\n"
        "init_num_microbatches_calculator(0, None, 10, 4, 2, False)\n",
        "is not divisible by",
    ),
    python(
        "megatron-index",
        "dataset-missing",
        "There is no data set of this prefix.",
        "from megatron.core.datasets.indexed_dataset import IndexedDataset\n"
        "IndexedDataset('/data/pile/my-gpt_text_document')\n",
        "my-gpt_text_document",
    ),
    ranks(
        "megatron-checkpoint",
        "checkpoint-missing",
        "The checkpoint's folder is not there.",
        _GLOO
        + "from megatron.core import dist_checkpointing as d\n"
        + "d.load({}, '/results/llama/checkpoints/iter_0001000')\n",
        "iter_0001000",
    ),
    python(
        "safetensors-cut",
        "checkpoint-corrupt",
        "The file was cut short.",
        "import os, torch\nfrom safetensors.torch import save_file, load_file\n"
        "save_file({'w': torch.ones(1000, 9)}, 'model.safetensors')\n"
        "os.truncate('model.safetensors', 3000)\nload_file('model.safetensors')\n",
        "SafetensorError",
    ),
    python(
        "weights-gone",
        "checkpoint-missing",
        "The model's folder has a configuration and no weights.",
        "import json, os\nos.makedirs('m', exist_ok=True)\n"
        "json.dump({'model_type': 'gpt2', 'n_layer': 1, 'n_embd': 8, 'n_head': 1}, open('m/config.json', 'w'))\n"
        "from transformers import AutoModelForCausalLM\nAutoModelForCausalLM.from_pretrained('./m')\n",
        "no file named",
        before="export HF_HOME=$PWD/hf HF_HUB_OFFLINE=1",
    ),
    python(
        "tokenizer-broken",
        "tokenizer-missing",
        "The tokenizer's file is no JSON.",
        "from tokenizers import Tokenizer\nopen('tokenizer.json', 'w').write('version https://git-lfs')\n"
        "Tokenizer.from_file('tokenizer.json')\n",
        "Exception: expected",
        also=("unclassified-exception",),
    ),
    python(
        "parquet-cut",
        "dataset-bad-record",
        "A file of the data set is no Parquet.",
        "open('a.parquet', 'wb').write(b'PAR1' + b'x' * 99)\n"
        "from datasets import load_dataset\nload_dataset('parquet', data_files='a.parquet')\n",
        "Parquet magic bytes",
        "DatasetGenerationError",
        before="export HF_HOME=$PWD/hf",
    ),
    python(
        "out-of-memory-python",
        "host-oom",
        "Python may not have so much memory.",
        "x = [bytearray(1 << 28) for _ in range(64)]\n",
        "MemoryError",
        before="ulimit -v 1500000",
        also=("unclassified-exception", "host-oom-suspected"),
    ),
    python(
        "save-nowhere",
        "unclassified-exception",
        "The folder for the checkpoint was not made.",
        "import torch\ntorch.save({'w': torch.ones(4)}, 'checkpoints/step_1.pt')\n",
        "Parent directory",
        "No such file",
        also=("storage-write-failed", "checkpoint-missing", "config-file-missing"),
    ),
    ranks(
        "barrier-late",
        "nccl-timeout",
        "Rank 1 does not come to a barrier in time.",
        _GLOO
        + "import datetime, time\n"
        + "if dist.get_rank() == 1: time.sleep(20)\n"
        + "dist.monitored_barrier(timeout=datetime.timedelta(seconds=5))\n",
        "monitoredBarrier",
        also=("rendezvous-timeout",),
    ),
    ranks(
        "reduce-late",
        "nccl-timeout",
        "Rank 1 is stuck while the others add up.",
        "import datetime, time, torch, torch.distributed as dist\n"
        "dist.init_process_group('gloo', timeout=datetime.timedelta(seconds=6))\n"
        "x = torch.ones(9)\ndist.all_reduce(x)\n"
        "if dist.get_rank() == 1: time.sleep(30)\n"
        "dist.all_reduce(x)\n",
        "Timed out waiting",
        also=("nccl-network",),
    ),
    ranks(
        "nccl-not-built",
        "no-gpu-visible",
        "NCCL is asked for where PyTorch has none.",
        "import torch.distributed as dist\ndist.init_process_group('nccl')\n",
        "NCCL",
        also=("nccl-error", "unclassified-exception", "python-import"),
    ),
    python(
        "lightning-no-gpu",
        "no-gpu-visible",
        "Four GPUs are asked for, and there are none.",
        "import lightning as L\nL.Trainer(devices=4, accelerator='gpu')\n",
        "gpu backend",
        "CUDA",
        "GPU",
    ),
    python(
        "lightning-no-checkpoint",
        "checkpoint-missing",
        "The checkpoint to resume from is not there.",
        "import torch, lightning as L\n"
        "from lightning.pytorch.demos.boring_classes import BoringModel\n"
        "L.Trainer(max_epochs=1, logger=False).fit(BoringModel(), ckpt_path='results/last.ckpt')\n",
        "results/last.ckpt",
    ),
    Play(
        "lightning-tasks",
        "parallelism-config",
        "Two devices are announced, and srun starts one task.",
        "srun -n 1 python3 -u train.py",
        ("--ntasks-per-node=1", "--time=5"),
        ("in Lightning, but the number of tasks", "does not match"),
        files=(
            (
                "train.py",
                "import lightning as L\n"
                "from lightning.pytorch.demos.boring_classes import BoringModel\n"
                "L.Trainer(devices=2, accelerator='cpu', max_epochs=1, logger=False).fit(BoringModel())\n",
            ),
        ),
    ),
    python(
        "hydra-target",
        "python-import",
        "The class that the configuration names is not there.",
        "import hydra\nhydra.utils.instantiate({'_target_': 'nemo_aligner.models.Reward'})\n",
        "nemo_aligner",
        "Error locating target",
        also=("hydra-config-key",),
    ),
    python(
        "interpolation",
        "hydra-config-missing",
        "A value points to a key that is not there.",
        "from omegaconf import OmegaConf\n"
        "c = OmegaConf.create({'data': {'path': '${paths.root}/pile'}})\nprint(c.data.path)\n",
        "nterpolation",
    ),
    python(
        "yaml-tab",
        "unclassified-exception",
        "The configuration is no YAML.",
        "import yaml\nopen('c.yaml', 'w').write('model:\\n\\tlayers: 2\\n')\nyaml.safe_load(open('c.yaml'))\n",
        "cannot start any token",
        "ScannerError",
        also=("hydra-config-key", "config-file-missing", "dataset-bad-record"),
    ),
    python(
        "arguments-wrong",
        "hydra-config-key",
        "A slip in an option of the program.",
        "import argparse, sys\np = argparse.ArgumentParser()\np.add_argument('--micro-batch-size')\n"
        "sys.argv += ['--mirco-batch-size', '4']\np.parse_args()\n",
        "unrecognized arguments",
        also=("unclassified-exception",),
    ),
    python(
        "ray-nowhere",
        "ray-gcs-down",
        "There is no Ray to join.",
        "import ray\nray.init(address='auto')\n",
        "Could not find any running Ray instance",
    ),
    python(
        "ray-memory",
        "host-oom",
        "Ray's monitor kills a worker for its memory.",
        """
        import ray, time
        ray.init(num_cpus=1, include_dashboard=False)
        @ray.remote(max_retries=0)
        def hog():
            x = bytearray(1 << 30); time.sleep(60)
        ray.get(hog.remote())
        """,
        "memory pressure",
        "OutOfMemoryError",
        "Memory on the node",
        before="export RAY_memory_usage_threshold=0.02 RAY_memory_monitor_refresh_ms=200",
    ),
    python(
        "recursion",
        "unclassified-exception",
        "A function calls itself for ever.",
        "def f(n): return f(n + 1)\nf(0)\n",
        "RecursionError",
    ),
    python(
        "own-exit",
        "cause-not-in-log",
        "The program decides to stop, and says nothing of why.",
        "import sys\nprint('starting')\nsys.exit(3)\n",
    ),
    python(
        "exit-message",
        "unclassified-exception",
        "The program stops with a sentence.",
        "import sys\nsys.exit('ERROR: learning rate schedule has a negative length')\n",
        "negative length",
        also=("cause-not-in-log",),
    ),
    python(
        "assertion",
        "unclassified-exception",
        "A check of the program's own.",
        "n = 3\nassert n % 2 == 0, f'need an even number of experts, got {n}'\n",
        "need an even number",
        also=("parallelism-config",),
    ),
    python(
        "got-over",
        "none",
        "It prints an error that it gets over, and trains on.",
        "try:\n    1 / 0\nexcept ZeroDivisionError:\n    import traceback; traceback.print_exc()\n"
        "for step in range(9):\n"
        "    print(f'global_step: {step} | reduced_train_loss: {9 - step}.1')\n",
    ),
)
