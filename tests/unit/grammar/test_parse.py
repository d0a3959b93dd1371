"""Words → validated requests, or every reason why not."""

from __future__ import annotations

import pytest

from bot.errors import FieldError, InputRefused
from bot.grammar import Help, Parsed, parse
from bot.grammar.commands import COMMANDS, LATER, Command
from bot.grammar.jobs import Cancel, Jobs, Logs, Rerun
from bot.options import typed_fields
from bot.workloads.batch_script import Submit
from bot.workloads.nemo import NemoRun


def parsed(command: str, text: str) -> Parsed:
    found = parse(command, text)
    assert isinstance(found, Parsed)
    return found


def errors(command: str, text: str) -> dict[str, FieldError]:
    with pytest.raises(InputRefused) as refusal:
        parse(command, text)
    return {error.field: error for error in refusal.value.errors}


def test_the_main_command_gives_a_nemo_run() -> None:
    found = parsed("/nemo", "run pretrain/llama3p1_2b_pt.py -n 2 -p a3m")
    assert found.subcommand == "nemo run"
    assert found.options == NemoRun(recipe="pretrain/llama3p1_2b_pt.py", nodes=2, partition="a3m")
    assert found.cluster == ""


def test_every_option_of_nemo_run_is_read() -> None:
    text = (
        "run x.py --nodes=3 --partition a3u --slurm-type A3-Mega -i /a/b.sqsh -d ~/w"
        " --experiment-name e-1 --log-dir l --cache-dir $HOME/c --data-dir /gcs/d --time 90m"
        " --account research --qos high --after 75,76 --after 77 --exclude alice-a3u-[0-1]"
        " --retries 2 --dry-run --cluster alice"
    )
    assert parsed("/nemo", text).options == NemoRun(
        recipe="x.py",
        nodes=3,
        partition="a3u",
        slurm_type="hcc-a3m",
        image="/a/b.sqsh",
        workdir="~/w",
        experiment_name="e-1",
        log_dir="l",
        cache_dir="$HOME/c",
        data_dir="/gcs/d",
        time="01:30:00",
        account="research",
        qos="high",
        after=("75", "76", "77"),
        exclude="alice-a3u-[0-1]",
        retries=2,
        dry_run=True,
        cluster="alice",
    )


@pytest.mark.parametrize(
    "spelt", ["-n 2", "-n2", "-n=2", "--nodes 2", "--nodes=2", "-N 2", "--Nodes 2", "-nodes 2"]
)
def test_an_option_may_be_spelt_in_every_usual_way(spelt: str) -> None:
    assert parsed("/nemo", f"run x.py {spelt}").options == NemoRun(recipe="x.py", nodes=2)


def test_a_prefix_of_an_option_is_not_the_option() -> None:
    assert errors("/nemo", "run x.py --part a3m")["--part"].hint == "Did you mean `--partition`?"


def test_all_errors_come_at_once() -> None:
    found = errors("/nemo", "run ../x.py -n two --time soon --patition a3m --image")
    assert set(found) == {"recipe", "nodes", "time", "--patition", "image"}
    assert found["nodes"].message == "`two` is not a whole number"
    assert found["nodes"].hint == "Did you mean 2?"
    assert "`..`" in found["recipe"].hint
    assert found["image"].message == "`--image` needs a value"


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ("0", "0 is too few"),
        ("-3", "-3 is too few"),
        ("10,000", "10,000 is too many"),
        ("10000", "10,000 is too many"),
        ("99999999999999999999", "is not a whole number"),
        ("2.5", "`2.5` is not a whole number"),
        ("two", "`two` is not a whole number"),
        ("", "“” is not a whole number"),
    ],
)
def test_a_number_of_nodes_that_cannot_be_is_said(nodes: str, message: str) -> None:
    assert message in errors("/nemo", f"run x.py -n '{nodes}'")["nodes"].message


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("recipe", "😀.py"),
        ("recipe", "שלום.py"),
        ("recipe", "<!channel>"),
        ("recipe", "-- -x.py"),
        ("recipe", "'$OTHER/x.py'"),
        ("recipe", "a/../../etc/passwd"),
        ("recipe", "'a b.py'"),
        ("recipe", "$HOMEWARD/x.py"),
        ("experiment_name", "x.py --experiment-name <!here>"),
        ("experiment_name", "x.py --experiment-name 🚀"),
        ("experiment_name", f"x.py --experiment-name {'a' * 65}"),
        ("experiment_name", "x.py --experiment-name a/b"),
        ("partition", "x.py -p 'a3m,--wrap=id'"),
        ("partition", "x.py -p שלום"),
        ("account", "x.py --account 'a b'"),
        ("qos", "x.py --qos ''"),
        ("exclude", "x.py --exclude 'a;b'"),
        ("after", "x.py --after last"),
        ("after", "x.py --after 0"),
        ("slurm_type", "x.py --slurm-type v100"),
        ("retries", "x.py --retries 99"),
        ("dry_run", "x.py --dry-run=perhaps"),
        ("cluster", "x.py --cluster 'a b'"),
        ("executor", "x.py -e local"),
    ],
)
def test_a_value_of_the_wrong_shape_is_refused_with_the_shape(field: str, words: str) -> None:
    found = errors("/nemo", f"run {words}")
    assert field in found
    assert all(error.message and error.hint for error in found.values())


@pytest.mark.parametrize(
    ("time", "canonical"),
    [
        ("30", "00:30:00"),
        ("1:30", "00:01:30"),
        ("1:30:00", "01:30:00"),
        ("2-0", "2-00:00:00"),
        ("2-00:00:00", "2-00:00:00"),
        ("90m", "01:30:00"),
        ("4h", "04:00:00"),
        ("1d", "1-00:00:00"),
        ("1d12h", "1-12:00:00"),
        ("24:00:00", "1-00:00:00"),
        ("4H", "04:00:00"),
    ],
)
def test_times_are_written_as_slurm_prints_them(time: str, canonical: str) -> None:
    run = parsed("/nemo", f"run x.py --time {time}").options
    assert isinstance(run, NemoRun)
    assert run.time == canonical


@pytest.mark.parametrize("time", ["0", "soon", "1:2:3:4", "-1", "400d", "1e3", "UNLIMITED", ""])
def test_what_is_no_time_is_refused_with_examples(time: str) -> None:
    assert "`4h`" in errors("/nemo", f"run x.py '--time={time}'")["time"].hint


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("a3m", "hcc-a3m"),
        ("A3-Mega", "hcc-a3m"),
        ("hcc_a3m", "hcc-a3m"),
        ("HCC-A3U", "hcc-a3u"),
        ("a3-ultragpu-8g", "hcc-a3u"),
        ("a4", "hcc-a4"),
        ("a3h", "hcc-a3h"),
    ],
)
def test_cluster_types_are_known_by_all_their_names(typed: str, meant: str) -> None:
    run = parsed("/nemo", f"run x.py --slurm-type {typed}").options
    assert isinstance(run, NemoRun)
    assert run.slurm_type == meant


def test_an_option_given_twice_is_refused_unless_it_says_the_same() -> None:
    assert errors("/nemo", "run x.py -n 2 --nodes 3")["nodes"].message == "`--nodes` is given twice"
    assert parsed("/nemo", "run x.py -n 2 --nodes 2").options == NemoRun(recipe="x.py", nodes=2)


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        ("x.py --seed 7", ("--seed=7",)),
        ("--seed 7 x.py", ("--seed=7",)),
        ("x.py --max_steps=40 -n 2", ("--max_steps=40",)),
        ("--mock x.py", ("--mock",)),
        ("--mock -s x.py", ("--mock",)),
        ("--tags a b -s x.py", ("--tags", "a", "b")),
        ("x.py --lr -0.5 --name 'a b'", ("--lr=-0.5", "--name=a b")),
        ("x.py -- --tame=3 -x 4", ("--tame=3", "-x=4")),
        ("x.py --out '$HOME/x' --in='${WORK_DIR}'", ("--out=$HOME/x", "--in=${WORK_DIR}")),
    ],
)
def test_options_of_run_py_pass_with_their_values(words: str, extra: tuple[str, ...]) -> None:
    found = parsed("/nemo", f"run {words}").options
    assert isinstance(found, NemoRun)
    assert (found.recipe, found.extra) == ("x.py", extra)


@pytest.mark.parametrize(
    ("words", "field", "said"),
    [
        ("--tame 3", "--tame", "Did you mean `--time`?"),
        ("--partitoin a3m", "--partitoin", "Did you mean `--partition`?"),
        ("--exp x", "--exp", "--experiment-name"),
        ("-y 3", "-y", "--help` lists them"),
        ("--wandb-api-key=0123abcd", "extra", "revoke it"),
        ("--ckpt=../../x", "extra", "without `..`"),
        ("--seed='$(id)'", "extra", "recipe or job script"),
        ("--seed '`id`'", "extra", "recipe or job script"),
        ("--seed='7;id'", "extra", "recipe or job script"),
        ("--seed='7 && id'", "extra", "recipe or job script"),
        ("--seed='7|id'", "extra", "recipe or job script"),
        ("--seed='>x'", "extra", "recipe or job script"),
        ("--seed='$HOMER/x'", "extra", "recipe or job script"),
        ("-- seed 7", "command", "Options can follow `--`"),
        ("--😀=1", "extra", "--seed=7"),
    ],
)
def test_what_cannot_be_an_option_of_run_py_is_refused_at_once(
    words: str, field: str, said: str
) -> None:
    assert said in errors("/nemo", f"run x.py {words}")[field].hint


@pytest.mark.parametrize("value", ["$(id)", "`id`", "7;id", "7 && id", "7|id", "<x", "a\\", "${x}"])
def test_a_setting_that_a_job_script_could_run_is_refused(value: str) -> None:
    """A launcher may put its words into the text of a script, where a shell reads them."""
    error = errors("/nemo-rl", f"run dpo -- 'a.b={value}'")["args"]
    assert "could take as a command" in error.message
    assert "job script on the cluster" in error.hint


def test_a_setting_may_hold_lists_and_quotes() -> None:
    run = parsed("/nemo-rl", """run dpo -- 'a.b=[1, "x"]' '+c={d:1}'""").options
    assert run.model_dump()["args"] == ('a.b=[1, "x"]', "+c={d:1}")


def test_a_missing_recipe_is_said_with_the_usage() -> None:
    with pytest.raises(InputRefused) as refusal:
        parse("/nemo", "run -n 2")
    [error] = refusal.value.errors
    assert error.message == "RECIPE is missing"
    assert error.hint == "Name the recipe, such as `pretrain/llama3p1_2b_pt.py`"
    assert refusal.value.usage == "/nemo run RECIPE [options]"
    assert "\n" not in refusal.value.usage


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("logs", Logs()),
        ("logs 75", Logs(job="75")),
        ("logs 202_3 slurm -n 100", Logs(job="202_3", source="slurm", lines=100)),
        ("logs launcher", Logs(source="launcher")),
        ("logs 75 driver", Logs(job="75", source="driver")),
        ("logs 75 ray-head.log", Logs(job="75", source="head")),
        ("logs 75 worker 2 -n 5", Logs(job="75", source="worker-2", lines=5)),
        ("logs 75 worker-2", Logs(job="75", source="worker-2")),
        ("logs worker 2", Logs(source="worker-2")),
        ("logs Worker-2", Logs(source="worker-2")),
        ("logs ray-worker-2", Logs(source="worker-2")),
        ("logs my.job --grep 'loss|nan'", Logs(job="my.job", grep="loss|nan")),
        ("jobs", Jobs()),
        ("jobs FAILED", Jobs(which="failed")),
        ("cancel 123+1", Cancel(job="123+1")),
        ("Cancel", Cancel()),
        ("rerun 75 -p a3u -n 4", Rerun(job="75", partition="a3u", nodes=4)),
    ],
)
def test_jobs_are_named_by_id_by_name_or_not_at_all(text: str, options: object) -> None:
    assert parsed("/slurm", text).options == options


def test_a_rerun_knows_which_changes_were_typed() -> None:
    rerun = parsed("/slurm", "rerun 75 --cache-dir ~/c --time 4h --dry-run").options
    assert isinstance(rerun, Rerun)
    assert rerun.changes == {"cache_dir": "~/c", "time": "04:00:00"}
    other = parsed("/slurm", "rerun 75 --seed 7").options
    assert isinstance(other, Rerun)
    assert other.changes == {"extra": ("--seed=7",)}


def test_a_bad_expression_for_grep_is_refused() -> None:
    assert "regular expression" in errors("/slurm", "logs 75 --grep '('")["grep"].message


def test_a_stray_word_is_no_setting_of_the_training() -> None:
    found = errors("/nemo-rl", "run dpo x")["args"]
    assert found.message == "`x` is not possible as a setting"
    assert "dpo.max_num_steps=50" in found.hint
    run = parsed("/nemo-rl", "run dpo -- ++dpo.max_num_steps=5 data.path='a b'").options
    assert run.model_dump()["args"] == ("++dpo.max_num_steps=5", "data.path=a b")


def test_only_workers_are_numbered() -> None:
    found = errors("/slurm", "logs 75 head 2")["worker"]
    assert (found.message, found.hint) == (
        "`2` is one word too many",
        "A number follows `worker` only",
    )


def test_a_word_too_many_is_said() -> None:
    assert errors("/slurm", "cancel 75 76")["command"].message == "`76` is one word too many"


@pytest.mark.parametrize("flag", ["--follow", "-f"])
def test_following_a_log_is_said_to_come_later(flag: str) -> None:
    assert "comes later" in errors("/slurm", f"logs 75 {flag}")[flag].message


def test_the_scripts_own_arguments_follow_two_dashes() -> None:
    found = parsed("/slurm", "submit train.sh -N 2 -p a3m,a3u --gres gpu:8 -- --lr 1e-4 'a b'")
    assert found.options == Submit(
        script="train.sh",
        nodes=2,
        partition="a3m,a3u",
        gres="gpu:8",
        args=("--lr", "1e-4", "a b"),
    )


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ("--wrap id", "--wrap"),
        ("--export ALL", "--export"),
        ("--dependency after75", "dependency"),
        ("--array 1-x", "array"),
        ("--gres 'gpu:8;id'", "gres"),
        ("--mem lots", "mem"),
        ("-C 'a b'", "constraint"),
        ("--gpus-per-node eight", "gpus_per_node"),
        ("--comment 'a\tb\x07'", "command"),
    ],
)
def test_sbatch_options_are_a_closed_list_with_shapes(words: str, field: str) -> None:
    assert field in errors("/slurm", f"submit a.sh {words}")


@pytest.mark.parametrize(
    ("command", "text", "hint"),
    [
        ("/slurm", "lgos 75", "Did you mean `/slurm logs`?"),
        ("/slurm", "75", "Did you mean `/slurm status 75`?"),
        ("/slurm", "train.sh -N 2", "Did you mean `/slurm submit train.sh`?"),
        ("/nemo", "pretrain/x.py -n 2", "Did you mean `/nemo run pretrain/x.py`?"),
        ("/nemo", "logs 75", "Did you mean `/slurm logs`?"),
        ("/slurm", "run x.py", "Did you mean `/nemo run` or `/nemo-rl run`?"),
        ("", "run x.py", "Did you mean `/nemo run` or `/nemo-rl run`?"),
        ("", "rnu x.py", "Did you mean `/nemo run` or `/nemo-rl run`?"),
        ("/nemo-rl", "dpo", "Did you mean `/nemo-rl run dpo`?"),
        ("/nemo-rl", "algorithms/x.sh -N 2", "Did you mean `/nemo-rl run algorithms/x.sh`?"),
        ("/nemo-rl", "rum dpo", "Did you mean `/nemo-rl run`?"),
    ],
)
def test_what_was_meant_is_offered(command: str, text: str, hint: str) -> None:
    assert errors(command, text)["command"].hint == hint


def test_where_nothing_is_meant_everything_is_offered() -> None:
    assert errors("/nemo", "zzz")["command"].hint.startswith("There is `run`, ")


@pytest.mark.parametrize(
    ("command", "text"),
    [(f"/{group}", verb) for group, verbs in LATER.items() for verb in verbs]
    + [("", f"{group} {verb}") for group, verbs in LATER.items() for verb in verbs[:1]],
)
def test_what_is_not_built_yet_says_so(command: str, text: str) -> None:
    assert "comes later" in errors(command, text)["command"].message


def test_the_wrong_slash_command_does_for_a_command_named_in_full() -> None:
    assert parsed("/nemo", "slurm logs 75").subcommand == "slurm logs"


def test_an_unknown_slash_command_is_refused() -> None:
    assert errors("/slrum", "jobs")["command"].hint == "Did you mean `/slurm`?"


def test_too_long_a_text_is_refused_unread() -> None:
    found = errors("/slurm", "logs " + "7" * 3000)
    assert "3,005 characters" in found["command"].message


def test_three_thousand_characters_are_answered_briefly() -> None:
    found = errors("/nemo", "run " + "x" * 2996)
    assert len(found["recipe"].message) < 200


@pytest.mark.parametrize(
    ("text", "subcommand"),
    [
        ("<@U0BOT> logs -n 50", "slurm logs"),
        ("<@U0BOT|sbatchat> nemo run x.py", "nemo run"),
        ("/nemo run x.py", "nemo run"),
        ("slurm jobs", "slurm jobs"),
        ("sinfo", "slurm partitions"),
        ("python3 run.py -s x.py", "nemo run"),
        ("nemo export NEMORUN_HOME=$WORK_DIR && python3 run.py -s x.py", "nemo run"),
    ],
)
def test_a_mention_takes_the_same_words(text: str, subcommand: str) -> None:
    assert parsed("", text).subcommand == subcommand


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
class TestEverySubcommand:
    """What holds for each entry of the table."""

    def test_accepts_its_own_examples(self, command: Command) -> None:
        for example in command.examples:
            slash, _, text = example.partition(" ")
            assert parsed(slash, text).subcommand == command.name

    def test_refuses_an_option_it_does_not_have(self, command: Command) -> None:
        if any(option.open for _, option in typed_fields(command.model)):
            return  # what is behind it has the last word
        found = errors(f"/{command.group}", f"{command.verb} --no-such-thing")
        assert "is not an option" in found["--no-such-thing"].message

    def test_answers_help_in_every_form(self, command: Command) -> None:
        verb = command.verb
        for text in (f"{verb} -h", f"{verb} --help", f"{verb} help", f"help {verb}"):
            assert parse(f"/{command.group}", text) == Help(command.name)
