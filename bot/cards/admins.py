"""What the administrators of a cluster are told of a job, and that they were."""

from __future__ import annotations

from bot.card import Card, Excerpt, Fact, Mono, Paragraph, Person, Tone
from bot.cards import parts
from bot.cards.evidence import evidence
from bot.diagnosis import Finding
from bot.job import Job
from bot.model import Request

DRAIN = 'scontrol update nodename={nodes} state=drain reason="{reason}"'


def report(job: Job, finding: Finding, by: str) -> Card:
    """Return the message for them: which job, which nodes, the cause, and what proves it."""
    nodes = finding.nodes or job.blamed
    proof = evidence(finding.evidence)
    return Card(
        tone=Tone.TROUBLE,
        lead=(f"Job {job.id} on {job.cluster} failed. {finding.title}",),
        facts=(
            *((Fact(label=_node(nodes), value=(Mono(text=",".join(nodes)),)),) if nodes else ()),
            Fact(label="Job", value=parts.job_name(job)),
            *_where(job, nodes),
            *_whose(job),
        ),
        parts=(
            *((proof,) if proof else ()),
            *(
                (Excerpt(caption=(_take_out(nodes),), text=_drain(nodes, finding)),)
                if nodes
                else ()
            ),
        ),
        foot=(parts.fill("{who} told you of it from Slack.", who=Person(user=by)),),
    )


def refusal_report(request: Request, finding: Finding, by: str) -> Card:
    """Return the message for them on a launch that came to nothing."""
    said = request.error.strip()[-1_500:]
    return Card(
        tone=Tone.TROUBLE,
        lead=(f"Nothing could be submitted to {request.cluster}. {finding.title}",),
        facts=(Fact(label="By", value=(Person(user=request.caller.user),)),),
        parts=(Excerpt(text=said),) if said else (Paragraph(text=("Nothing more was said.",)),),
        foot=(parts.fill("{who} told you of it from Slack.", who=Person(user=by)),),
    )


def told(what: str) -> Card:
    """Say to whoever clicked that they know."""
    return Card(tone=Tone.DONE, lead=(f"The administrators were told of {what}.",))


def _node(nodes: tuple[str, ...]) -> str:
    return "Node" if len(nodes) == 1 else "Nodes"


def _take_out(nodes: tuple[str, ...]) -> str:
    return f"To keep jobs away from {'it' if len(nodes) == 1 else 'them'}"


def _drain(nodes: tuple[str, ...], finding: Finding) -> str:
    return DRAIN.format(nodes=",".join(nodes), reason=finding.label)


def _where(job: Job, nodes: tuple[str, ...]) -> tuple[Fact, ...]:
    """Return where it ran, where that says more than the nodes to blame."""
    ran = job.seen.node_list
    if not ran or ran == ",".join(nodes):
        return ()
    return (Fact(label="Ran on", value=(Mono(text=ran),)),)


def _whose(job: Job) -> tuple[Fact, ...]:
    people: list[Person | str] = [Person(user=job.caller)] if job.caller else []
    account = job.seen.user
    if account:
        people.append(f"{' ' if people else ''}(account {account})" if people else account)
    return (Fact(label="Whose", value=tuple(people)),) if people else ()
