"""Git over HTTP, through git's own server program; a host's repositories may want a credential."""

from __future__ import annotations

import subprocess
from base64 import b64decode
from dataclasses import dataclass
from hmac import compare_digest
from pathlib import Path

from front import Answer, Request

_SERVICES = ("/info/refs", "/git-upload-pack")


@dataclass(frozen=True)
class Admission:
    """Who may read: a cookie `o=…`, as googlesource.com hands out, or its value as a password."""

    cookie: str
    password: str

    def admits(self, request: Request) -> bool:
        """Whether a request brings either."""
        cookies = [part.strip() for part in request.headers.get("Cookie", "").split(";")]
        if any(compare_digest(cookie, f"o={self.cookie}") for cookie in cookies):
            return True
        kind, _, code = request.headers.get("Authorization", "").partition(" ")
        if kind.lower() != "basic":
            return False
        password = b64decode(code).decode(errors="replace").partition(":")[2]
        return compare_digest(password.encode(), self.password.encode())


def answer(folder: Path, admission: Admission | None, request: Request) -> Answer:
    """Serve clones and fetches of the host's repositories below `folder`."""
    if admission is not None and not admission.admits(request):
        return Answer(401, b"Unauthorized\n", {"WWW-Authenticate": 'Basic realm="Git"'})
    service = next((end for end in _SERVICES if request.path.endswith(end)), "")
    name = request.path.removesuffix(service).removesuffix("/").removesuffix(".git")
    repository = folder / request.host / name.lstrip("/")
    if not service or ".." in name or not (repository / "HEAD").exists():
        return Answer(404, b"Repository not found.\n", {"Content-Type": "text/plain"})
    environment = {
        "PATH": "/usr/bin:/bin",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "uploadpack.allowFilter",
        "GIT_CONFIG_VALUE_0": "true",
        "GIT_PROJECT_ROOT": str(repository),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": service,
        "QUERY_STRING": request.query,
        "REQUEST_METHOD": request.method,
        "CONTENT_TYPE": request.headers.get("Content-Type", ""),
        "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
        "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
    }
    done = subprocess.run(
        ["git", "http-backend"],
        input=request.body,
        env=environment,
        capture_output=True,
        check=False,
    )
    head, _, body = done.stdout.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
    status = headers.pop("Status", "200 OK" if done.returncode == 0 else "500 Failed")
    return Answer(int(status.split()[0]), body, headers)
