"""How PyTorch and Lightning fail, without GPUs: real programs, which `--python` must have."""

from __future__ import annotations

from textwrap import dedent

from tests.failures.making.play import Play, python


def ranks(
    name: str,
    label: str,
    truth: str,
    program: str,
    *proof: str,
    ranks: int = 2,
    also: tuple[str, ...] = (),
) -> Play:
    """Return the play of a program under torchrun, in a job of one node."""
    line = f"srun python3 -m torch.distributed.run --nproc_per_node={ranks} --master_port=$((20000 + SLURM_JOB_ID)) train.py"
    return Play(
        name, label, truth, line, ("--time=5",), proof, also, files=(("train.py", dedent(program)),)
    )


TORCH = (
    ranks(
        "ranks-shape",
        "unclassified-exception",
        "Two matrices do not fit.",
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
    ranks(
        "ranks-one-leaves",
        "unclassified-exception",
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
    ranks(
        "ranks-killed",
        "host-oom-suspected",
        "Rank 1 is killed with signal 9.",
        """
        import os, signal, torch, torch.distributed as dist
        dist.init_process_group("gloo")
        if dist.get_rank() == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        dist.barrier()
        """,
        "Signal 9",
        "SIGKILL",
        "exitcode: -9",
        "exitcode  : -9",
    ),
    ranks(
        "ranks-segfault",
        "segfault",
        "Rank 0 reads address 0.",
        """
        import ctypes, torch.distributed as dist
        dist.init_process_group("gloo")
        if dist.get_rank() == 0:
            ctypes.string_at(0)
        dist.barrier()
        """,
        "Signal 11",
        "SIGSEGV",
        "exitcode: -11",
        "exitcode  : -11",
    ),
    ranks(
        "mesh-too-big",
        "parallelism-config",
        "A mesh of 8 with 2 ranks.",
        """
        import torch.distributed as dist
        from torch.distributed.device_mesh import init_device_mesh
        dist.init_process_group("gloo")
        init_device_mesh("cpu", (2, 4), mesh_dim_names=("dp", "tp"))
        """,
        "Mesh should not be bigger",
    ),
    ranks(
        "gather-sizes",
        "unclassified-exception",
        "A world size that was taken for granted.",
        """
        import torch, torch.distributed as dist
        dist.init_process_group("gloo")
        world = dist.get_world_size()
        assert world % 4 == 0, f"world size ({world}) is not divisible by tensor parallel size (4)"
        """,
        "is not divisible by",
        also=("parallelism-config",),
    ),
    Play(
        "rendezvous-alone",
        "rendezvous-timeout",
        "Two nodes are announced, one comes.",
        "python3 -m torch.distributed.run --nnodes=2 --nproc_per_node=1 --rdzv_backend=c10d --rdzv_id=7 "
        "--rdzv_endpoint=localhost:29761 --rdzv_conf=join_timeout=10,last_call_timeout=1 train.py",
        ("--time=5",),
        ("RendezvousTimeoutError", "timed out", "Timeout"),
        files=(("train.py", "print('never')\n"),),
        transient=True,
    ),
    Play(
        "store-alone",
        "rendezvous-timeout",
        "The other rank never comes to the store.",
        "MASTER_ADDR=localhost MASTER_PORT=29762 RANK=0 WORLD_SIZE=2 python3 train.py",
        ("--time=5",),
        ("Timed out", "timed out", "imeout"),
        files=(
            (
                "train.py",
                "import datetime, torch.distributed as d\n"
                "d.init_process_group('gloo', timeout=datetime.timedelta(seconds=8))\n",
            ),
        ),
        transient=True,
    ),
    Play(
        "torchrun-port-taken",
        "port-in-use",
        "Somebody has the port of the store.",
        "python3 -m http.server 29763 >/dev/null 2>&1 & sleep 2\n"
        "MASTER_ADDR=localhost MASTER_PORT=29763 RANK=0 WORLD_SIZE=1 python3 train.py",
        ("--time=5",),
        ("EADDRINUSE", "address already in use", "Address already in use"),
        files=(("train.py", "import torch.distributed as d\nd.init_process_group('gloo')\n"),),
        transient=True,
    ),
    python(
        "no-gpu",
        "no-gpu-visible",
        "There is no GPU; PyTorch was built for none.",
        "import torch\ntorch.zeros(2).cuda()\n",
        "CUDA",
        also=("gpu-arch-unsupported", "python-import"),
    ),
    python(
        "loader-record",
        "dataset-bad-record",
        "One record is no JSON.",
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
    python(
        "loader-killed",
        "host-oom-suspected",
        "A worker of the loader is killed.",
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
        "killed by signal",
        also=("host-oom",),
    ),
    python(
        "checkpoint-cut",
        "checkpoint-corrupt",
        "The checkpoint was cut short.",
        """
        import os, torch
        torch.save({"w": torch.ones(1000, 100)}, "step_500.pt")
        os.truncate("step_500.pt", 9000)
        print("resuming from step_500.pt")
        torch.load("step_500.pt")
        """,
        "PytorchStreamReader",
        "central directory",
    ),
    python(
        "checkpoint-empty",
        "checkpoint-corrupt",
        "The checkpoint is empty.",
        "import torch\nopen('last.ckpt', 'w').close()\ntorch.load('last.ckpt')\n",
        "EOFError",
    ),
    python(
        "checkpoint-gone",
        "checkpoint-missing",
        "The checkpoint is not there.",
        "import torch\ntorch.load('/results/gpt/checkpoints/last.ckpt')\n",
        "FileNotFoundError",
    ),
    python(
        "checkpoint-shapes",
        "checkpoint-mismatch",
        "The vocabulary is another one.",
        """
        import torch
        torch.save(torch.nn.Embedding(512, 64).state_dict(), "e.pt")
        torch.nn.Embedding(640, 64).load_state_dict(torch.load("e.pt"))
        """,
        "size mismatch",
        "Error(s) in loading state_dict",
    ),
    python(
        "save-full",
        "storage-write-failed",
        "The device is full while a checkpoint is written.",
        "import torch\ntorch.save({'w': torch.ones(999999)}, '/dev/full')\n",
        "No space left",
        "PytorchStreamWriter",
        "unexpected pos",
        also=("storage-no-space",),
    ),
    python(
        "nan-detected",
        "loss-nan",
        "Lightning stops since the loss is not a number.",
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
)
