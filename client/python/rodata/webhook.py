"""Verification of webhook messages: https://www.standardwebhooks.com."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .api import Event

TOLERANCE = 300
"""The tolerated clock skew of a message, in seconds."""


class WebhookError(Exception):
    """A message that failed verification and must be ignored."""


class Headers(Protocol):
    """The headers of a request, as http.server, WSGI and ASGI frameworks have them, or a dict."""

    def items(self) -> Iterable[tuple[str, str]]: ...


def verify_webhook(body: bytes, headers: Headers, secret: str, *, now: float | None = None) -> Event:
    """Verifies a message and returns its event.

    The body must be the raw bytes, before any parsing. Names in headers are case-insensitive. secret is the webhook's
    secret: whsec_ and base64. now is for tests, in seconds. An event can be delivered more than once, with the same id.
    """
    given = {name.lower(): value for name, value in headers.items()}
    id, timestamp = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    expected = hmac.new(_key(secret), f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()

    signed = False
    for one in given.get("webhook-signature", "").split():  # two while a secret is replaced
        version, _, signature = one.partition(",")
        if version == "v1" and hmac.compare_digest(_decoded(signature), expected):
            signed = True
    if not signed or not id:
        raise WebhookError("the message is not signed with the secret of this webhook")
    if not (timestamp.isascii() and timestamp.isdigit()) or abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE:
        raise WebhookError("the message was sent more than 5 minutes ago, or the clocks differ")
    return json.loads(body)


def _key(secret: str) -> bytes:
    key = _decoded(secret.removeprefix("whsec_")) if secret.startswith("whsec_") else b""
    if not key:
        raise ValueError("the secret of a webhook is whsec_ and base64; this one is not")
    return key


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
