"""How busy a job's GPUs are, asked of the nodes it runs on."""

from __future__ import annotations

from bot.ports import Output, Query

SECONDS = 40
LOOKS = 3
"""Looks at each node, a second apart: work comes in bursts."""

# $1: job; $2: nodes; $3: seconds; $4: looks. A node without nvidia-smi says nothing.
_USE = r"""
command -v srun >/dev/null || exit 0
timeout -k 5 "$3" srun --jobid="$1" --overlap --nodes="$2" --ntasks="$2" --ntasks-per-node=1 \
  --quiet --input=none --job-name=sbatchat-look /bin/sh -c '
  command -v nvidia-smi >/dev/null || exit 0
  looks=$1
  while [ "$looks" -gt 0 ]; do
    nvidia-smi --query-gpu=utilization.gpu --format=csv,noheader,nounits || exit 0
    looks=$((looks - 1))
    [ "$looks" -eq 0 ] || sleep 1
  done
' look "$4" 2>/dev/null
exit 0
"""


def gpu_use(job_id: str, nodes: int) -> Query[int | None]:
    """Ask for the highest use (percent) of any GPU of a job, seen a few times.

    None when nobody knows: without nvidia-smi, without GPUs, or when a node did not answer.
    """
    args = (job_id, str(nodes), str(SECONDS), str(LOOKS))

    def parse(output: Output) -> int | None:
        return _highest(output, nodes)

    return Query(_USE, parse, args, timeout=SECONDS + 20.0, name="gpu use")


def _highest(output: Output, nodes: int) -> int | None:
    lines = [line.strip() for line in output.stdout.splitlines() if line.strip()]
    if len(lines) < nodes * LOOKS or not all(line.isdigit() for line in lines):
        return None
    return max(map(int, lines))
