"""The root cause is named, not its consequences, and nothing is named that is not there."""

from __future__ import annotations

import pytest

from bot.diagnosis import Action, Facts, Finding, diagnose
from bot.diagnosis.rule import Rule
from bot.diagnosis.rules import RULES

STEPS = "".join(
    f"Training epoch 0, iteration {n}/99 | lr: 1e-4 | reduced_train_loss: 3.1\n" for n in range(4)
)
TORCHRUN = """\
W0101 torch/distributed/elastic/multiprocessing/api.py:898] Sending process 7 closing signal SIGTERM
torch.distributed.elastic.multiprocessing.errors.ChildFailedError: 
srun: error: alice-a3m-0: task 3: Exited with exit code 1
slurmstepd: error: *** STEP 7.0 ON alice-a3m-0 CANCELLED AT 2026-01-01T00:00:00 ***
"""  # noqa: W291 - torchrun prints the blank
TRACE = 'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n'
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"


def _label(text: str, facts: Facts | None = None) -> str:
    return diagnose({"job.out": text}, facts).label


def test_the_cause_is_named_and_not_what_follows_from_it() -> None:
    """With the file, line, rank and what can be done."""
    finding = diagnose({"job.out": f"{STEPS}[rank3]: {TRACE}[rank3]: {OOM}{TORCHRUN}"})
    assert finding.label == "cuda-oom"
    assert finding.title == "The memory of a GPU ran out when 2.00 GiB more were asked for."
    (evidence,) = finding.evidence
    assert (evidence.file, evidence.line_no, evidence.rank) == ("job.out", 7, "3")
    assert evidence.line == OOM.strip()


def test_consequences_alone_name_no_cause() -> None:
    """It says that the log does not tell, and quotes nothing."""
    finding = diagnose({"job.out": STEPS + TORCHRUN})
    assert (finding.label, finding.evidence) == ("cause-not-in-log", ())


@pytest.mark.parametrize(
    "after",
    [STEPS, "  successfully saved checkpoint from iteration 20 to c\n", "+ exit 0\n"],
)
def test_what_the_run_got_over_is_no_failure(after: str) -> None:
    """Two more steps, a checkpoint, an orderly end."""
    assert _label(TRACE + OOM + after) == "none"


def test_one_more_step_of_another_rank_does_not_excuse_a_crash() -> None:
    """Ranks die at different times."""
    assert _label(STEPS + TRACE + OOM + STEPS.splitlines()[0] + "\n" + TORCHRUN) == "cuda-oom"


def test_only_the_last_attempt_counts() -> None:
    """After a restart the earlier death is history."""
    restart = "torch/elastic: Worker group FAILED. 2/3 attempts left; will restart worker group\n"
    assert _label(TRACE + OOM + restart + STEPS) == "none"
    assert _label(TRACE + OOM + restart + TRACE + "KeyError: 'x'\n") == "unclassified-exception"


def test_the_stronger_sign_wins_over_the_earlier() -> None:
    """A collective times out because a rank died; the kernel's word explains the exception."""
    timeout = "[rank1]: [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9,\n"
    killed = "slurmstepd: error: Detected 1 oom_kill event in StepId=7.0.\n"
    assert _label(timeout + TRACE + "ValueError: no\n") == "unclassified-exception"
    assert _label(TRACE + OOM + killed) == "host-oom"


def test_the_rank_that_lags_in_a_collective_is_named() -> None:
    """It has the lowest sequence number; where all are level nobody is blamed."""
    line = "[Rank {}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={}, OpType=X,\n"
    finding = diagnose({"o": line.format(0, 88) + line.format(6, 87) + line.format(1, 88)})
    assert finding.title.endswith("behind the others: rank 6.")
    assert "SeqNum=87" in finding.evidence[0].line
    level = diagnose({"o": line.format(0, 88) + line.format(1, 88)})
    assert level.title == "A collective (X) did not end in time."
    assert level.nodes == ()


def test_the_node_of_the_rank_that_is_to_blame_is_named() -> None:
    """By torchrun's summary, Slurm's own lines, or NCCL's."""
    facts = Facts(state="FAILED", nodes=4, node_list="a-[0-3]")
    ecc = "[rank11]: RuntimeError: CUDA error: uncorrectable ECC error encountered\n"
    summary = "  host      : a-1\n  rank      : 11 (local_rank: 3)\n"
    finding = diagnose({"o": ecc + summary}, facts)
    assert (finding.nodes, finding.evidence[0].node) == (("a-1",), "a-1")
    said = "srun: error: a-2: tasks 2-3: Exited with exit code 1\n"
    assert diagnose({"o": f"3: {ecc}{said}"}, facts).nodes == ("a-2",)
    spoken = "a-3:8:9 [3] NCCL INFO ncclCommInitRank comm 0x1 rank 11 nranks 16 - Init START\n"
    small = "a-0:8:9 [3] NCCL INFO ncclCommInitRank comm 0x2 rank 11 nranks 12 - Init START\n"
    assert diagnose({"o": spoken + small + ecc}, facts).nodes == ("a-3",)
    assert diagnose({"o": ecc}, facts).nodes == ()


def test_torchruns_summary_tells_whose_end_it_was() -> None:
    """Its paragraph names host and rank above the exit code."""
    text = (
        "[0]:\n  time      : 2026-01-01_00:00:00\n  host      : a-1\n"
        "  rank      : 11 (local_rank: 3)\n  exitcode  : -11 (pid: 77)\n  error_file: <N/A>\n"
    )
    finding = diagnose({"o": text}, Facts(state="FAILED", nodes=4, node_list="a-[0-3]"))
    assert finding.label == "segfault"
    assert (finding.evidence[0].rank, finding.evidence[0].node) == ("11", "a-1")
    assert finding.nodes == ("a-1",)


def test_what_most_nodes_say_is_no_nodes_fault() -> None:
    """A fault of the program shows on all of them."""
    facts = Facts(state="FAILED", nodes=2, node_list="a-[0-1]")
    crash = "{}: a-{}: Fatal Python error: Segmentation fault\n"
    assert diagnose({"o": crash.format(0, 0)}, facts).nodes == ("a-0",)
    assert diagnose({"o": crash.format(0, 0) + crash.format(1, 1)}, facts).nodes == ()


def test_ranks_that_say_the_same_are_one_line_of_proof() -> None:
    """Whatever figures stand in it."""
    oom = "[rank{}]: torch.OutOfMemoryError: CUDA out of memory. GPU {} has {}.00 GiB free.\n"
    finding = diagnose({"o": "".join(oom.format(n, n, n) for n in range(4))})
    (evidence,) = finding.evidence
    assert (evidence.rank, evidence.ranks) == ("0", ("0", "1", "2", "3"))


def test_a_count_that_begins_anew_on_each_node_is_no_rank() -> None:
    """`default3` is there twice on two nodes."""
    text = "[default3]:torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
    one = diagnose({"o": text}, Facts(nodes=1)).evidence[0].rank
    two = diagnose({"o": text}, Facts(nodes=2)).evidence[0].rank
    assert (one, two) == ("3", "")


def test_a_cancelled_step_is_a_cancellation_only_when_nothing_failed_before() -> None:
    """Slurm cancels the step of a job that lost a task."""
    cancelled = TORCHRUN.splitlines()[-1] + "\n"
    assert _label(STEPS + cancelled) == "slurm-cancelled"
    assert _label(STEPS + TORCHRUN) == "cause-not-in-log"


def test_a_frame_tells_what_an_exception_is_about() -> None:
    """Error 28 from a process lock is not the disk's."""
    lock = (
        'Traceback (most recent call last):\n  File "/l/multiprocessing/synchronize.py", line 57\n'
    )
    full = "OSError: [Errno 28] No space left on device\n"
    assert _label(lock + full) == "shm-too-small"
    assert _label(TRACE + full) == "storage-no-space"
    assert _label(lock + "ValueError: x\n" + TRACE + full) == "storage-no-space"


@pytest.mark.parametrize(
    "head", ["Exception ignored in: <function Data.__del__ at 0x7f>\n", "--- Logging error ---\n"]
)
def test_a_traceback_that_python_forgets_is_forgotten(head: str) -> None:
    """And only that one."""
    forgotten = head + TRACE + "AttributeError: 'Data' object has no attribute 'index'\n"
    assert _label(forgotten) == "none"
    assert _label(forgotten + TRACE + "KeyError: 'x'\n") == "unclassified-exception"


def test_a_refused_submission_is_forgotten_once_one_was_accepted() -> None:
    """A wrapper tried again."""
    refused = "sbatch: error: Batch job submission failed: Invalid qos specification\n"
    assert _label(refused) == "slurm-invalid-qos"
    assert _label(refused + "Submitted batch job 12\n") == "none"


def test_a_loss_that_is_nan_is_told_although_the_job_runs_on() -> None:
    """Unless it became a number again."""
    nan = "Training epoch 0, iteration 4/99 | reduced_train_loss: nan\n"
    assert _label(STEPS + nan, Facts(state="RUNNING")) == "loss-nan"
    assert _label(STEPS + nan + STEPS, Facts(state="RUNNING")) == "none"


def test_the_cause_is_found_in_whichever_file_has_it() -> None:
    """The batch script's output only knows that something failed."""
    finding = diagnose({"sbatch.out": "job exited with code 1\n", "log.out": TRACE + OOM})
    assert finding.evidence[0].file == "log.out"


CROSS = (
    "OSError: [Errno 18] Invalid cross-device link: 'gpt2-vocab.json' -> '/c/torch/megatron/x'\n"
)


def test_a_cross_device_link_is_rerun_first_and_then_mended_by_hand() -> None:
    """The same cache folder often is enough; the second time the files are put in place."""
    first = diagnose({"o": TRACE + CROSS})
    second = diagnose({"o": TRACE + CROSS}, Facts(earlier=("cross-device-link",)))
    assert first.actions == (Action.RERUN_SAME,)
    assert second.actions == (Action.PLACE_TOKENIZER,)


@pytest.mark.parametrize(
    ("facts", "label"),
    [
        (Facts(state="TIMEOUT"), "slurm-time-limit"),
        (Facts(state="OUT_OF_MEMORY"), "host-oom"),
        (Facts(state="NODE_FAIL"), "slurm-node-fail"),
        (Facts(state="BOOT_FAIL"), "slurm-node-fail"),
        (Facts(state="PREEMPTED"), "slurm-preempted"),
        (Facts(state="PENDING", past=("PREEMPTED",), reason="BeginTime"), "slurm-preempted"),
        (Facts(state="PENDING", past=("NODE_FAIL",), reason="BeginTime"), "slurm-node-fail"),
        (Facts(state="PENDING", reason="QOSMaxJobsPerUserLimit"), "slurm-pending-limit"),
        (Facts(state="PENDING", reason="AssocGrpGRES"), "slurm-pending-limit"),
        (Facts(state="PENDING", reason="PartitionDown"), "slurm-pending-node-unavailable"),
        (
            Facts(state="PENDING", reason="ReqNodeNotAvail, UnavailableNodes:a-1"),
            "slurm-pending-node-unavailable",
        ),
        (Facts(state="PENDING", reason="PartitionTimeLimit"), "slurm-invalid-time-limit"),
        (Facts(state="PENDING", reason="PartitionNodeLimit"), "slurm-node-config"),
        (Facts(state="PENDING", reason="DependencyNeverSatisfied"), "slurm-dependency"),
        (Facts(state="PENDING", reason="launch failed requeued held"), "slurm-launch-failed-held"),
        (Facts(state="FAILED", signal=53, code=0), "job-killed-no-log"),
        (Facts(state="FAILED", signal=9, code=0), "job-killed-no-log"),
        (Facts(state="FAILED", code=1, signal=0), "cause-not-in-log"),
        (Facts(state="CANCELLED", cancelled_by="1007"), "slurm-cancelled"),
        (Facts(state="PENDING", reason="Resources"), "none"),
        (Facts(state="PENDING", reason="JobHeldUser"), "none"),
        (Facts(state="RUNNING"), "none"),
        (Facts(state="COMPLETED", code=0, signal=0), "none"),
        (Facts(), "none"),
    ],
)
def test_scheduler_facts_speak_where_the_log_is_empty(facts: Facts, label: str) -> None:
    """Waiting in order and running are nothing."""
    assert _label("", facts) == label


def test_the_schedulers_word_stands_above_the_text() -> None:
    """And the text proves it where it can."""
    limit = (
        "slurmstepd: error: *** JOB 7 ON n CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***"
    )
    finding = diagnose({"o": f"{STEPS}{TRACE}{OOM}{limit}\n"}, Facts(state="TIMEOUT"))
    assert (finding.label, finding.evidence[0].line) == ("slurm-time-limit", limit)


def test_the_node_to_blame_is_named() -> None:
    """So that it can be left out."""
    finding = diagnose({"o": "srun: error: Node failure on alice-a3m-1\n"})
    assert finding.evidence[0].node == "alice-a3m-1"


def test_it_says_who_cancelled() -> None:
    """Slurm itself, which signs as 0, is nobody."""
    by_person = diagnose({"o": ""}, Facts(state="CANCELLED", cancelled_by="1007"))
    by_slurm = diagnose({"o": ""}, Facts(state="CANCELLED", cancelled_by="0"))
    assert by_person.title == "It was cancelled by 1007."
    assert by_slurm.title == "Slurm itself or an administrator cancelled it."


def test_a_job_that_runs_or_ended_well_is_not_accused_of_an_old_error() -> None:
    """What it printed did not stop it."""
    assert _label(TRACE + OOM, Facts(state="COMPLETED")) == "none"


def test_nothing_wrong_is_a_finding_too() -> None:
    """With a label of its own."""
    finding: Finding = diagnose({"o": STEPS})
    assert finding.healthy


@pytest.mark.parametrize(
    ("lacking", "title"),
    [
        ((), "is gated, and this token has no access."),
        (("WANDB_API_KEY",), "is gated, and this token has no access."),
        (("HF_TOKEN",), "is gated, and the bot has no HF_TOKEN to give to the job."),
    ],
)
def test_a_token_that_was_never_given_is_not_blamed(lacking: tuple[str, ...], title: str) -> None:
    """The bot knows which secrets it holds."""
    log = "GatedRepoError: Access to model meta-llama/Llama-3.1-8B is restricted.\n"
    found = diagnose({"o": log}, Facts(state="FAILED", lacking=frozenset(lacking)))
    assert found.label == "hf-gated"
    assert found.title.endswith(title)
    assert ("administrators" in found.remedy) is ("HF_TOKEN" in lacking)


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.wants])
def test_what_lacks_a_secret_says_so_and_what_to_do(rule: Rule) -> None:
    """By its name, with the page that shows how it is."""
    assert f"the bot has no {rule.wants}" in rule.title_without
    assert rule.wants in rule.remedy_without
    assert "/slurm secrets" in rule.remedy_without
