"""How fast logs are diagnosed, and whether a longer log costs more than its length."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count
from statistics import median

from bot.bench.figures import Figure, Goal
from bot.diagnosis import Facts, Source, diagnose

SMALL, LARGE = 4, 32
"""MB."""
RUNS = 5
FAST = Goal(20, least=True)
LINEAR = Goal(1.2, of="ratio")
_RANKS = 16
_MEGA = 1 << 20

_FAILURE = """\
[rank{rank}]: Traceback (most recent call last):
[rank{rank}]:   File "/opt/NeMo/nemo/collections/llm/api.py", line 857, in _train
[rank{rank}]:     trainer.fit(model, data)
[rank{rank}]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU {gpu} \
has a total capacity of 79.11 GiB of which 1.31 GiB is free.
"""


def diagnosis() -> list[Figure]:
    """Measure on logs of the shapes that training writes, with the failure at their end."""
    small, large = training_log(SMALL * _MEGA), training_log(LARGE * _MEGA)
    slow = [pace(small, "cuda-oom") for _ in range(RUNS)]
    fast = [pace(large, "cuda-oom") for _ in range(RUNS)]
    return [
        Figure("diagnosis", 1 / median(fast), "MB/s", goal=FAST),
        Figure(
            f"diagnosis, {LARGE} MB against {SMALL} MB",
            median(fast) * 1000,
            "ms/MB",
            median(slow) * 1000,
            LINEAR,
        ),
    ]


def pace(log: bytes, cause: str) -> float:
    """Return the seconds of processor time that a MB takes: it waits for nothing else.

    Raises RuntimeError where another cause is found, since then it was not read as meant.
    """
    began = time.process_time()
    finding = diagnose([Source("train.log", _chunks(log))], Facts(state="FAILED"))
    took = time.process_time() - began
    if finding.label != cause:
        raise RuntimeError(f"the log was not understood: {finding.label}")
    return took / (len(log) / _MEGA)


def _chunks(log: bytes) -> Iterator[bytes]:
    for start in range(0, len(log), _MEGA):
        yield log[start : start + _MEGA]


def training_log(size: int) -> bytes:
    """Return about so many bytes: initialisation of NCCL, steps, bars, colours; then a failure."""
    parts: list[str] = []
    length = 0
    for step in count():
        part = _start(step) if step < _RANKS else _step(step)
        parts.append(part)
        length += len(part)
        if length >= size:
            break
    parts += [_FAILURE.format(rank=rank, gpu=rank % 8) for rank in range(_RANKS)]
    return "".join(parts).encode()


def _start(rank: int) -> str:
    who = f"{rank:>2}: alice-a3m-{rank // 8}:{3000 + rank}:{4811 + rank} [{rank % 8}] NCCL INFO "
    rings = (f"{who}Channel {n:02d}/0 : {rank}[{rank % 8}] -> {n} via P2P/CUMEM" for n in range(16))
    return "\n".join([f"{who}cudaDriverVersion 12080", *rings, f"{who}Init COMPLETE", ""])


def _step(step: int) -> str:
    rank = step % _RANKS
    loss = 2.0 + 9.0 / (1 + step / 500)
    bar = "".join(f"\rEpoch 0:  {n}%|{'█' * (n // 10)}| {n}/100" for n in (step % 100, 100))
    return (
        f"[default{rank}]:Training epoch 0, iteration {step}/999999 | lr: 3e-05 | "
        f"global_batch_size: 512 | global_step: {step} | reduced_train_loss: {loss:.4f} | "
        f"train_step_timing in s: 1.{step % 1000:03d} | consumed_samples: {step * 512}\n"
        f"\x1b[32m[NeMo I 2026-03-02 10:{step % 60:02d}:07 nemo_logging:393]\x1b[0m rank {rank}: "
        f"saved nothing at step {step}\n{bar if step % 50 == 0 else ''}\n"
    )
