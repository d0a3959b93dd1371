"""How PyTorch, Ray, Hydra, the Hub's libraries and W&B fail: real programs, without GPUs.

They need an environment that has them (`--python`): torch, ray, hydra-core, wandb, transformers,
datasets, lightning, sentencepiece, accelerate.
"""

from __future__ import annotations

from textwrap import dedent

from tests.failures.making.play import Play


def _torchrun(
    name: str,
    label: str,
    truth: str,
    program: str,
    *proof: str,
    ranks: int = 2,
    also: tuple[str, ...] = (),
) -> Play:
    line = (
        f"srun python3 -m torch.distributed.run --nproc_per_node={ranks} --master_port=$((20000 + SLURM_JOB_ID)) train.py"
    )
    return Play(
        name, label, truth, line, ("--time=5",), proof, also, files=(("train.py", dedent(program)),)
    )


def _python(
    name: str, label: str, truth: str, program: str, *proof: str,
    before: str = "", also: tuple[str, ...] = (), transient: bool = False,
) -> Play:  # fmt: skip
    return Play(
        name, label, truth, f"{before}\npython3 -u train.py", ("--time=5",), proof, also,
        files=(("train.py", dedent(program)),), transient=transient,
    )  # fmt: skip


PROGRAMS = (
    _torchrun(
        "ranks-shape", "unclassified-exception", "Two matrices do not fit.",
        """
        import os, torch, torch.distributed as dist
        dist.init_process_group("gloo")
        a = torch.ones(4, 8)
        if dist.get_rank() == 1:
            a @ torch.ones(7, 4)
        dist.barrier()
        """,
        "mat1 and mat2 shapes cannot be multiplied",
    ),
    _torchrun(
        "ranks-one-leaves", "unclassified-exception",
        "Rank 1 raises; rank 0 then loses its connection.",
        """
        import torch, torch.distributed as dist, time
        dist.init_process_group("gloo")
        x = torch.ones(1)
        for step in range(5):
            print(f"global_step: {step} | reduced_train_loss: {9 - step}.1", flush=True)
            dist.all_reduce(x)
        if dist.get_rank() == 1:
            raise ZeroDivisionError("tokens per second over zero seconds")
        dist.all_reduce(x)
        """,
        "ZeroDivisionError",
    ),
    _torchrun(
        "ranks-killed", "host-oom-suspected", "Rank 1 is killed with signal 9.",
        """
        import os, signal, torch, torch.distributed as dist
        dist.init_process_group("gloo")
        if dist.get_rank() == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        dist.barrier()
        """,
        "Signal 9", "SIGKILL", "exitcode: -9", "exitcode  : -9",
    ),
    _torchrun(
        "ranks-segfault", "segfault", "Rank 0 reads address 0.",
        """
        import ctypes, torch.distributed as dist
        dist.init_process_group("gloo")
        if dist.get_rank() == 0:
            ctypes.string_at(0)
        dist.barrier()
        """,
        "Signal 11", "SIGSEGV", "exitcode: -11", "exitcode  : -11",
    ),
    _torchrun(
        "mesh-too-big", "parallelism-config", "A mesh of 8 with 2 ranks.",
        """
        import torch.distributed as dist
        from torch.distributed.device_mesh import init_device_mesh
        dist.init_process_group("gloo")
        init_device_mesh("cpu", (2, 4), mesh_dim_names=("dp", "tp"))
        """,
        "Mesh should not be bigger",
    ),
    _torchrun(
        "gather-sizes", "unclassified-exception", "A world size that was taken for granted.",
        """
        import torch, torch.distributed as dist
        dist.init_process_group("gloo")
        world = dist.get_world_size()
        assert world % 4 == 0, f"world size ({world}) is not divisible by tensor parallel size (4)"
        """,
        "is not divisible by", also=("parallelism-config",),
    ),
    Play(
        "rendezvous-alone", "rendezvous-timeout", "Two nodes are announced, one comes.",
        "python3 -m torch.distributed.run --nnodes=2 --nproc_per_node=1 --rdzv_backend=c10d --rdzv_id=7 "
        "--rdzv_endpoint=localhost:29761 --rdzv_conf=join_timeout=10,last_call_timeout=1 train.py",
        ("--time=5",), ("RendezvousTimeoutError", "timed out", "Timeout"),
        files=(("train.py", "print('never')\n"),), transient=True,
    ),
    Play(
        "store-alone", "rendezvous-timeout", "The other rank never comes to the store.",
        "MASTER_ADDR=localhost MASTER_PORT=29762 RANK=0 WORLD_SIZE=2 python3 train.py",
        ("--time=5",), ("Timed out", "timed out", "imeout"),
        files=(("train.py", "import datetime, torch.distributed as d\n"
        "d.init_process_group('gloo', timeout=datetime.timedelta(seconds=8))\n"),), transient=True,
    ),
    Play(
        "torchrun-port-taken", "port-in-use", "Somebody has the port of the store.",
        "python3 -m http.server 29763 >/dev/null 2>&1 & sleep 2\n"
        "MASTER_ADDR=localhost MASTER_PORT=29763 RANK=0 WORLD_SIZE=1 python3 train.py",
        ("--time=5",), ("EADDRINUSE", "address already in use", "Address already in use"),
        files=(("train.py", "import torch.distributed as d\nd.init_process_group('gloo')\n"),),
        transient=True,
    ),
    _python(
        "no-gpu", "no-gpu-visible", "There is no GPU; PyTorch was built for none.",
        "import torch\ntorch.zeros(2).cuda()\n", "CUDA", also=("gpu-arch-unsupported", "python-import"),
    ),
    _python(
        "loader-record", "dataset-bad-record", "One record is no JSON.",
        """
        import json
        from torch.utils.data import DataLoader, Dataset
        class Lines(Dataset):
            rows = ['{"text": "a"}'] * 20 + ['{"text": "b"} x'] + ['{"text": "c"}'] * 20
            def __len__(self): return len(self.rows)
            def __getitem__(self, i): return json.loads(self.rows[i])["text"]
        for batch in DataLoader(Lines(), batch_size=4, num_workers=2):
            print(batch)
        """,
        "JSONDecodeError",
    ),
    _python(
        "loader-killed", "host-oom-suspected", "A worker of the loader is killed.",
        """
        import os, signal
        from torch.utils.data import DataLoader, Dataset
        class Bad(Dataset):
            def __len__(self): return 40
            def __getitem__(self, i):
                if i == 21: os.kill(os.getpid(), signal.SIGKILL)
                return i
        for batch in DataLoader(Bad(), batch_size=4, num_workers=2):
            print(batch)
        """,
        "killed by signal", also=("host-oom",),
    ),
    _python(
        "checkpoint-cut", "checkpoint-corrupt", "The checkpoint was cut short.",
        """
        import os, torch
        torch.save({"w": torch.ones(1000, 100)}, "step_500.pt")
        os.truncate("step_500.pt", 9000)
        print("resuming from step_500.pt")
        torch.load("step_500.pt")
        """,
        "PytorchStreamReader", "central directory",
    ),
    _python(
        "checkpoint-empty", "checkpoint-corrupt", "The checkpoint is empty.",
        "import torch\nopen('last.ckpt', 'w').close()\ntorch.load('last.ckpt')\n", "EOFError",
    ),
    _python(
        "checkpoint-gone", "checkpoint-missing", "The checkpoint is not there.",
        "import torch\ntorch.load('/results/gpt/checkpoints/last.ckpt')\n", "FileNotFoundError",
    ),
    _python(
        "checkpoint-shapes", "checkpoint-mismatch", "The vocabulary is another one.",
        """
        import torch
        torch.save(torch.nn.Embedding(512, 64).state_dict(), "e.pt")
        torch.nn.Embedding(640, 64).load_state_dict(torch.load("e.pt"))
        """,
        "size mismatch", "Error(s) in loading state_dict",
    ),
    _python(
        "save-full", "storage-write-failed", "The device is full while a checkpoint is written.",
        "import torch\ntorch.save({'w': torch.ones(999999)}, '/dev/full')\n",
        "No space left", "PytorchStreamWriter", "unexpected pos", also=("storage-no-space",),
    ),
    _python(
        "nan-detected", "loss-nan", "Lightning stops since the loss is not a number.",
        """
        import torch, lightning as L
        from lightning.pytorch.callbacks import EarlyStopping
        class M(L.LightningModule):
            def __init__(self):
                super().__init__(); self.l = torch.nn.Linear(4, 1)
            def training_step(self, b, i):
                loss = self.l(b).mean() * (float("nan") if i > 20 else 1)
                if i % 10 == 0: print(f"global_step: {i} | reduced_train_loss: {loss.item():.4f}")
                return loss
            def configure_optimizers(self): return torch.optim.SGD(self.parameters(), 0.1)
        torch.autograd.set_detect_anomaly(True)
        L.Trainer(max_epochs=1, logger=False, accelerator="cpu", enable_progress_bar=False,
                  detect_anomaly=True).fit(M(), torch.utils.data.DataLoader(torch.ones(64, 4)))
        """,
        "nan",
    ),
    _python(
        "hydra-key", "hydra-config-key", "An override names a key that is not there.",
        """
        import hydra, sys
        from omegaconf import OmegaConf
        open("config.yaml", "w").write("model:\\n  layers: 2\\n")
        sys.argv.append("model.hidden_size=4")
        @hydra.main(config_path=".", config_name="config", version_base=None)
        def main(cfg): print(cfg)
        main()
        """,
        "Could not override", "not in struct",
    ),
    _python(
        "hydra-missing", "hydra-config-missing", "A mandatory value was not given.",
        """
        import hydra
        open("config.yaml", "w").write("data:\\n  path: ???\\n")
        @hydra.main(config_path=".", config_name="config", version_base=None)
        def main(cfg): print(cfg.data.path)
        main()
        """,
        "Missing mandatory value",
    ),
    _python(
        "hydra-no-config", "config-file-missing", "There is no configuration of this name.",
        """
        import hydra
        @hydra.main(config_path=".", config_name="llama_70b", version_base=None)
        def main(cfg): print(cfg)
        main()
        """,
        "Cannot find primary config",
    ),
    _python(
        "hub-offline", "hf-offline", "Offline, and not in the cache.",
        "from huggingface_hub import hf_hub_download\n"
        "hf_hub_download('meta-llama/Llama-3.1-8B', 'config.json')\n",
        "ffline", before="export HF_HUB_OFFLINE=1 HF_HOME=$PWD/hf",
        also=("hf-connection",),
    ),
    _python(
        "hub-unreachable", "hf-connection", "The Hub cannot be reached from the node.",
        "from transformers import AutoTokenizer\n"
        "AutoTokenizer.from_pretrained('meta-llama/Llama-3.1-8B')\n",
        "connect", "Connect", "onnection",
        before="export HF_ENDPOINT=http://127.0.0.1:9 HF_HOME=$PWD/hf", transient=True,
    ),
    _python(
        "tokenizer-local", "tokenizer-missing", "The folder has no tokenizer.",
        "import os\nos.makedirs('model', exist_ok=True)\n"
        "from transformers import AutoTokenizer\nAutoTokenizer.from_pretrained('./model')\n",
        "tokenizer", "config.json", also=("config-file-missing", "checkpoint-missing"),
        before="export HF_HOME=$PWD/hf",
    ),
    _python(
        "tokenizer-sentencepiece", "tokenizer-missing", "The file is no SentencePiece model.",
        "import sentencepiece\nopen('tokenizer.model', 'w').write('not a model')\n"
        "sentencepiece.SentencePieceProcessor(model_file='tokenizer.model')\n",
        "ModelProto",
    ),
    _python(
        "dataset-files", "dataset-missing", "The files of the data set are not there.",
        "from datasets import load_dataset\nload_dataset('json', data_files='/data/train/*.jsonl')\n",
        "Unable to find", "FileNotFoundError", before="export HF_HOME=$PWD/hf",
    ),
    _python(
        "dataset-json", "dataset-bad-record", "A line of the data set is broken.",
        "open('a.jsonl', 'w').write('{\"a\": 1}\\n' * 50 + '{\"a\": \\n')\n"
        "from datasets import load_dataset\nload_dataset('json', data_files='a.jsonl')\n",
        "JSON parse error", "DatasetGenerationError", "Failed to read file", "ArrowInvalid",
        before="export HF_HOME=$PWD/hf",
    ),
    _python(
        "wandb-no-key", "wandb-auth", "There is no key, and nobody to ask.",
        "import wandb\nwandb.init(project='llama')\n",
        "api_key not configured", "No API key", before="export WANDB_DIR=$PWD HOME=$PWD",
    ),
    _python(
        "wandb-unreachable", "wandb-network", "W&B cannot be reached.",
        "import wandb\nwandb.init(project='llama', settings=wandb.Settings(init_timeout=15))\n",
        "timed out", "onnection refused", "CommError", "onnectionError",
        before=f"export WANDB_BASE_URL=http://127.0.0.1:9 WANDB_DIR=$PWD WANDB_API_KEY={'0' * 40}",
        transient=True,
    ),
    _python(
        "ray-resources", "ray-resources", "A task asks for GPUs that the cluster has not.",
        """
        import ray
        ray.init(num_cpus=2, include_dashboard=False)
        pg = ray.util.placement_group([{"GPU": 8, "CPU": 1}] * 2)
        ray.get(pg.ready(), timeout=20)
        """,
        "cannot be scheduled", "GetTimeoutError", "timed out", also=("ray-placement-timeout",),
    ),
    _python(
        "ray-actor-killed", "ray-actor-died", "An actor's process vanishes.",
        """
        import os, signal, ray
        ray.init(num_cpus=2, include_dashboard=False)
        @ray.remote
        class Worker:
            def step(self): os.kill(os.getpid(), signal.SIGKILL)
        ray.get(Worker.remote().step.remote())
        """,
        "The actor died", "ActorDiedError", "actor is dead", also=("host-oom-suspected",),
    ),
    _python(
        "ray-inner", "unclassified-exception", "An error inside an actor.",
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
    _python(
        "lightning-zero", "dataset-too-small", "A loader without batches.",
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
    _python(
        "warnings-only", "none", "Many warnings, and it works.",
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
)  # fmt: skip
