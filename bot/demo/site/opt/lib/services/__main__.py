"""What a training cluster reaches beyond itself, on one port of this machine.

Usage: python3 services FOLDER PORT, where FOLDER holds `certificate.pem`, `key.pem`,
`secrets.json` (who is admitted) and `git/HOST/…`, bare repositories.

The port is a proxy for HTTPS: git and the cluster's programs name the hosts that the documentation
names, and end here. The same answers are given in plain HTTP below `/HOST/…`.
"""

from __future__ import annotations

import json
import ssl
import sys
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path

import accounts
import gitserver
import hub
import registry
from front import Front


def main() -> None:
    """Serve until killed."""
    folder, port = Path(sys.argv[1]), int(sys.argv[2])
    secrets = json.loads((folder / "secrets.json").read_text())
    google = accounts.Google(secrets["google"], secrets["signing"])
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
    Front.tls = tls
    repositories = folder / "git"
    recipes = gitserver.Admission(secrets["git_cookie"], secrets["git_password"])
    Front.sites = {
        "github.com": partial(gitserver.answer, repositories, None),
        "vertex-model-garden.googlesource.com": partial(gitserver.answer, repositories, recipes),
        "oauth2.googleapis.com": google.answer,
        "huggingface.co": partial(hub.hugging_face, secrets["hugging_face"]),
        "api.wandb.ai": partial(hub.weights_and_biases, secrets["wandb"]),
        **{host: registry.Registry(host, google).answer for host in registry.IMAGES},
    }
    ThreadingHTTPServer(("127.0.0.1", port), Front).serve_forever()


main()
