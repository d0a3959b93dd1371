"""Hugging Face and Weights & Biases, as far as they say whether a token is good."""

from __future__ import annotations

import json
from base64 import b64decode

from front import Answer, Request

_GATED = "meta-llama/"


def hugging_face(token: str, request: Request) -> Answer:
    """`/api/whoami-v2`, and the files of models, of which those below `meta-llama/` are gated."""
    known = request.headers.get("Authorization", "") == f"Bearer {token}"
    if request.path == "/api/whoami-v2":
        if not known:
            return _json(401, {"error": "Invalid username or password."})
        return _json(200, {"type": "user", "name": "alice", "auth": {"type": "access_token"}})
    if request.path.lstrip("/").startswith(_GATED) and not known:
        model = "/".join(request.path.lstrip("/").split("/")[:2])
        said = (
            f"Access to model {model} is restricted. You must have access to it and be"
            " authenticated to access it. Please log in."
        )
        headers = {"X-Error-Code": "GatedRepo", "X-Error-Message": said}
        return Answer(401, said.encode(), headers)
    if "/resolve/" in request.path and request.path.endswith("/config.json"):
        return _json(200, {"model_type": "llama", "hidden_size": 16})
    return _json(404, {"error": "Repository not found"})


def weights_and_biases(key: str, request: Request) -> Answer:
    """`/graphql`, the question who the viewer is."""
    if request.path != "/graphql" or request.method != "POST":
        return _json(404, {"error": "not found"})
    kind, _, code = request.headers.get("Authorization", "").partition(" ")
    given = b64decode(code).decode(errors="replace") if kind.lower() == "basic" else ""
    if not given:
        return _json(200, {"data": {"viewer": None}})
    if given != f"api:{key}":
        return _json(401, {"errors": [{"message": "permission denied"}]})
    return _json(
        200, {"data": {"viewer": {"id": "VXNlcjox", "username": "alice", "entity": "alice"}}}
    )


def _json(status: int, value: object) -> Answer:
    return Answer(status, json.dumps(value).encode(), {"Content-Type": "application/json"})
