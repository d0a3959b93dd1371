"""Google accounts: a long-lived credential is changed for an access token of one hour."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from urllib.parse import parse_qs

from front import Answer, Request

_LIFETIME = 3600


class Google:
    """Hands out access tokens and knows them again, also after a restart."""

    def __init__(self, accounts: Mapping[str, str], signing: str) -> None:
        """`accounts` gives the account of each refresh token."""
        self._accounts = accounts
        self._signing = signing.encode()

    def answer(self, request: Request) -> Answer:
        """`POST /token` with a refresh token."""
        form = parse_qs(request.body.decode())
        account = self._accounts.get(form.get("refresh_token", [""])[0])
        if request.path != "/token" or account is None:
            return _json(400, {"error": "invalid_grant", "error_description": "Bad Request"})
        until = int(time.time()) + _LIFETIME
        token = f"ya29.{account.encode().hex()}.{until}.{self.sign(f'{account} {until}')}"
        return _json(200, {"access_token": token, "expires_in": _LIFETIME - 1})

    def account(self, token: str) -> str:
        """The account of an access token that is good now, or nothing."""
        try:
            _, name, until, signature = token.split(".")
            account = bytes.fromhex(name).decode()
        except ValueError:
            return ""
        good = hmac.compare_digest(signature, self.sign(f"{account} {until}"))
        return account if good and int(until) > time.time() else ""

    def sign(self, text: str) -> str:
        """A signature that only this service can make."""
        return hmac.new(self._signing, text.encode(), hashlib.sha256).hexdigest()


def _json(status: int, value: object) -> Answer:
    return Answer(status, json.dumps(value).encode(), {"Content-Type": "application/json"})
