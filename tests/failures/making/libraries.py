"""How Hydra, the Hub's libraries, W&B and Ray fail: real programs, which `--python` must have."""

from __future__ import annotations

from tests.failures.making.play import python

LIBRARIES = (
    python(
        "hydra-key",
        "hydra-config-key",
        "An override names a key that is not there.",
        """
        import hydra, sys
        from omegaconf import OmegaConf
        open("config.yaml", "w").write("model:\\n  layers: 2\\n")
        sys.argv.append("model.hidden_size=4")
        @hydra.main(config_path=".", config_name="config", version_base=None)
        def main(cfg): print(cfg)
        main()
        """,
        "Could not override",
        "not in struct",
    ),
    python(
        "hydra-missing",
        "hydra-config-missing",
        "A mandatory value was not given.",
        """
        import hydra
        open("config.yaml", "w").write("data:\\n  path: ???\\n")
        @hydra.main(config_path=".", config_name="config", version_base=None)
        def main(cfg): print(cfg.data.path)
        main()
        """,
        "Missing mandatory value",
    ),
    python(
        "hydra-no-config",
        "config-file-missing",
        "There is no configuration of this name.",
        """
        import hydra
        @hydra.main(config_path=".", config_name="llama_70b", version_base=None)
        def main(cfg): print(cfg)
        main()
        """,
        "Cannot find primary config",
    ),
    python(
        "hub-offline",
        "hf-offline",
        "Offline, and not in the cache.",
        "from huggingface_hub import hf_hub_download\n"
        "hf_hub_download('meta-llama/Llama-3.1-8B', 'config.json')\n",
        "ffline",
        before="export HF_HUB_OFFLINE=1 HF_HOME=$PWD/hf",
        also=("hf-connection",),
    ),
    python(
        "hub-unreachable",
        "hf-connection",
        "The Hub cannot be reached from the node.",
        "from transformers import AutoTokenizer\n"
        "AutoTokenizer.from_pretrained('meta-llama/Llama-3.1-8B')\n",
        "connect",
        "Connect",
        "onnection",
        before="export HF_ENDPOINT=http://127.0.0.1:9 HF_HOME=$PWD/hf",
        transient=True,
    ),
    python(
        "tokenizer-local",
        "tokenizer-missing",
        "The folder has no tokenizer.",
        "import os\nos.makedirs('model', exist_ok=True)\n"
        "from transformers import AutoTokenizer\nAutoTokenizer.from_pretrained('./model')\n",
        "tokenizer",
        "config.json",
        also=("config-file-missing", "checkpoint-missing"),
        before="export HF_HOME=$PWD/hf",
    ),
    python(
        "tokenizer-sentencepiece",
        "tokenizer-missing",
        "The file is no SentencePiece model.",
        "import sentencepiece\nopen('tokenizer.model', 'w').write('not a model')\n"
        "sentencepiece.SentencePieceProcessor(model_file='tokenizer.model')\n",
        "ModelProto",
    ),
    python(
        "dataset-files",
        "dataset-missing",
        "The file of the data set is not there.",
        "from datasets import load_dataset\nload_dataset('json', data_files='/data/train/1.jsonl')\n",
        "Unable to find",
        "FileNotFoundError",
        before="export HF_HOME=$PWD/hf",
    ),
    python(
        "dataset-glob",
        "dataset-missing",
        "No file has such a name; the library says only so much.",
        "from datasets import load_dataset\nload_dataset('json', data_files='/data/train/*.jsonl')\n",
        "StopIteration",
        before="export HF_HOME=$PWD/hf",
        also=("unclassified-exception",),
    ),
    python(
        "dataset-json",
        "dataset-bad-record",
        "A line of the data set is broken.",
        "open('a.jsonl', 'w').write('{\"a\": 1}\\n' * 50 + '{\"a\": \\n')\n"
        "from datasets import load_dataset\nload_dataset('json', data_files='a.jsonl')\n",
        "JSON parse error",
        "DatasetGenerationError",
        "Failed to read file",
        "ArrowInvalid",
        before="export HF_HOME=$PWD/hf",
    ),
    python(
        "wandb-no-key",
        "wandb-auth",
        "There is no key, and nobody to ask.",
        "import wandb\nwandb.init(project='llama')\n",
        "api_key not configured",
        "No API key",
        before="export WANDB_DIR=$PWD HOME=$PWD",
    ),
    python(
        "wandb-unreachable",
        "wandb-network",
        "W&B cannot be reached.",
        "import wandb\nwandb.init(project='llama', settings=wandb.Settings(init_timeout=15))\n",
        "timed out",
        "onnection refused",
        "CommError",
        "onnectionError",
        before=f"export WANDB_BASE_URL=http://127.0.0.1:9 WANDB_DIR=$PWD WANDB_API_KEY={'0' * 40}",
        transient=True,
    ),
    python(
        "ray-resources",
        "ray-resources",
        "A task asks for GPUs that the cluster has not.",
        """
        import ray
        ray.init(num_cpus=2, include_dashboard=False)
        pg = ray.util.placement_group([{"GPU": 8, "CPU": 1}] * 2)
        ray.get(pg.ready(), timeout=20)
        """,
        "cannot be scheduled",
        "GetTimeoutError",
        "timed out",
        also=("ray-placement-timeout",),
    ),
    python(
        "ray-actor-killed",
        "ray-actor-died",
        "An actor's process vanishes.",
        """
        import os, signal, ray
        ray.init(num_cpus=2, include_dashboard=False)
        @ray.remote
        class Worker:
            def step(self): os.kill(os.getpid(), signal.SIGKILL)
        ray.get(Worker.remote().step.remote())
        """,
        "The actor died",
        "ActorDiedError",
        "actor is dead",
        also=("host-oom-suspected",),
    ),
    python(
        "ray-inner",
        "unclassified-exception",
        "An error inside an actor.",
        """
        import ray
        ray.init(num_cpus=2, include_dashboard=False)
        @ray.remote
        class Policy:
            def train(self): raise ValueError("advantages have no variance")
        ray.get(Policy.remote().train.remote())
        """,
        "advantages have no variance",
    ),
    python(
        "lightning-zero",
        "dataset-too-small",
        "A loader without batches.",
        """
        import torch, lightning as L
        class M(L.LightningModule):
            def __init__(self):
                super().__init__(); self.l = torch.nn.Linear(4, 1)
            def training_step(self, b, i): return self.l(b).mean()
            def configure_optimizers(self): return torch.optim.SGD(self.parameters(), 0.1)
        data = torch.utils.data.DataLoader(torch.ones(3, 4), batch_size=8, drop_last=True)
        if len(data) == 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples=0")
        L.Trainer(max_epochs=1, logger=False).fit(M(), data)
        """,
        "num_samples",
    ),
    python(
        "warnings-only",
        "none",
        "Many warnings, and it works.",
        """
        import warnings, torch
        warnings.warn("NaN found in the optional column; ignored")
        for step in range(6):
            print(f"iteration {step}/6 | lm loss: {9 - step}.1E+00 | number of nan iterations: 0 | grad norm: 0.9")
        try:
            torch.load("missing.pt")
        except FileNotFoundError as error:
            print(f"WARNING: no checkpoint to resume from ({error}); starting from scratch")
        print("training done")
        """,
    ),
)
