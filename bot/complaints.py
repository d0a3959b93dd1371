"""What pydantic complains about, in our own words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bot.shape import shown


@dataclass(frozen=True)
class Complaint:
    """One thing that is wrong, and where."""

    where: tuple[str | int, ...]
    kind: str
    """Pydantic's name of the error, or `refused` by one of our shapes."""
    message: str
    hint: str = ""


def complaints(error: ValidationError) -> Iterator[Complaint]:
    """Yield every complaint, without pydantic's wording."""
    for detail in error.errors(include_url=False):
        context = detail.get("ctx", {})
        if detail["type"] == "refused":
            yield Complaint(detail["loc"], "refused", context["message"], context["hint"])
        else:
            yield Complaint(detail["loc"], detail["type"], _sentence(detail, context))


def _sentence(detail: ErrorDetails, context: dict[str, object]) -> str:
    value = shown(detail["input"])
    match detail["type"]:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return "is not known"
        case "literal_error" | "enum":
            return f"{value} is not one of {context.get('expected', 'the choices')}"
        case "greater_than" | "greater_than_equal":
            return f"{value} is too small"
        case "less_than" | "less_than_equal":
            return f"{value} is too large"
        case kind:
            wanted = _WANTED.get(kind.partition("_")[0], "what belongs here")
            return f"{value} is not {wanted}"


_WANTED = {
    "string": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "list": "a list",
    "tuple": "a list",
    "dict": "a section",
    "model": "a section",
    "path": "a path",
}
