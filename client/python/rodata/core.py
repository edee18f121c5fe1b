"""The base of the generated methods: requests, retries, problems and streams."""

from __future__ import annotations

import datetime
import email.utils
import ipaddress
import json
import math
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from http.client import HTTPException, HTTPResponse
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

if TYPE_CHECKING:
    from .api import Problem


class ProblemError(Exception):
    """An error response of the gateway. Programs should use ``problem["code"]``; the detail is for people."""

    def __init__(self, status: int, problem: Problem, retry_after: int | None):
        super().__init__(f"{problem['code']}: {problem['detail']}")
        self.status = status
        self.problem = problem
        self.retry_after = retry_after
        """The value of the header Retry-After, in seconds, or None."""


class UnreachableError(ConnectionError):
    """No gateway answers at the address: nothing listens there, its name is unknown, or it does not respond."""


class CutError(Exception):
    """A stream ended before its last line, so that items may be missing."""


class Core:
    """Sends requests.

    url is the address of the gateway, without /v1. Calls without a key are limited by address. After a 429 or 503 with
    Retry-After, a call is repeated up to ``retries`` times. If it would have to wait for more than ``max_wait`` seconds,
    it fails at once. ``timeout`` is the maximum time without data from the gateway, in seconds. ``allow_http`` sends the
    key over http:// to other machines as well, for a gateway within a private network, such as http://rodata:8080.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        retries: int = 3,
        max_wait: float = 30,
        timeout: float = 60,
        allow_http: bool = False,
    ):
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"{url!r} is not the address of a gateway; give one such as https://api.example.ro")
        self._url = url.rstrip("/").removesuffix("/v1")
        self._key = key or None  # an empty key, such as that of an unset variable, is none
        if self._key is not None and not allow_http and not is_private(url):
            raise ValueError(
                f"the key would travel unencrypted to {url!r}: use https://, or allow_http within a private network"
            )
        self._retries = retries
        self._max_wait = max_wait
        self._timeout = timeout

    def _call(self, method: str, path: str, **parts: Any) -> Any:
        """Returns a JSON answer, or None for an empty one."""
        content = self._bytes(method, path, accept="application/json", **parts)
        return parse(content) if content else None

    def _text(self, method: str, path: str, **parts: Any) -> str:
        return self._bytes(method, path, **parts).decode()

    def _bytes(self, method: str, path: str, **parts: Any) -> bytes:
        with self._send(method, path, **parts) as response:
            return response.read()

    def lines(self, method: str, path: str, **parts: Any) -> Iterator[dict[str, Any]]:
        """Yields the lines of a JSON stream as they arrive. An incomplete last line is left out."""
        with self._send(method, path, accept="application/x-ndjson", **parts) as response:
            try:
                for line in response:
                    if line.strip() and line.endswith(b"\n"):
                        yield parse(line)
            except (HTTPException, ConnectionError) as error:
                raise CutError("the answer was cut off: items may be missing") from error

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        file: bytes | None = None,
        type: str | None = None,
        accept: str = "*/*",
        repeatable: bool = False,
    ) -> HTTPResponse:
        """Sends a request, and repeats it as long as the gateway asks for a retry."""
        headers = {"Accept": accept, "User-Agent": "rodata-python"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        if repeatable:  # a repeated attempt is not charged twice
            headers["Idempotency-Key"] = str(uuid.uuid4())
        data = file
        if type is not None:
            headers["Content-Type"] = type
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body, default=plain).encode()

        request = urllib.request.Request(self._url + path + search(query), data, headers, method=method)
        attempt = 0
        while True:
            try:
                response = _opener.open(request, timeout=self._timeout)
            except urllib.error.HTTPError as answer:
                error = problem_of(answer)
            except (OSError, HTTPException) as error:
                reason = error.reason if isinstance(error, urllib.error.URLError) else error
                raise UnreachableError(
                    f"no gateway answers at {self._url}: {reason}; check the address, and that the gateway is running"
                ) from None
            else:
                if response.headers.get_content_type() != "text/html":
                    return response
                with response:
                    raise foreign(response.status, response.reason, response.read())
            wait = error.retry_after if error.status in (429, 503) else None
            if wait is None or wait > self._max_wait or attempt >= self._retries:
                raise error
            time.sleep(wait)
            attempt += 1


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, which would carry the key to another host."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def segment(value: int | str) -> str:
    """Encodes an argument of a path."""
    return quote(str(value), safe="")


def search(query: Mapping[str, Any] | None) -> str:
    """Encodes the arguments of a query. Arguments that are None are left out."""
    given = {name: text(value) for name, value in (query or {}).items() if value is not None}
    return "?" + urlencode(given) if given else ""


def text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(map(text, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def plain(value: Any) -> Any:
    """Converts a value that JSON lacks: a date, or a scalar of numpy or pandas."""
    if isinstance(value, datetime.date):
        return value.isoformat()
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{value!r} cannot be sent as JSON")


def is_private(address: str) -> bool:
    """Whether nobody on the way can read what is sent: it is encrypted, or stays on this machine."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    if parts.scheme == "https" or host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def problem_of(answer: urllib.error.HTTPError) -> ProblemError:
    """Parses a problem. A proxy in between may have answered in another format."""
    with answer:
        content = answer.read()
    retry_after = seconds_of(answer.headers.get("Retry-After", ""))
    if answer.headers.get_content_type() == "application/problem+json":
        try:
            problem = json.loads(content)
            return ProblemError(answer.code, problem, retry_after)
        except (ValueError, LookupError, TypeError):
            pass  # not the gateway's
    return foreign(answer.code, str(answer.reason), content, retry_after)


def foreign(status: int, title: str, content: bytes, retry_after: int | None = None) -> ProblemError:
    """Returns the error for an answer of another server."""
    detail = f"the answer is not from the gateway: {content[:200].decode(errors='replace')}"
    return ProblemError(
        status, {"type": "about:blank", "title": title, "status": status, "detail": detail, "code": "internal"}, retry_after
    )


def parse(content: bytes) -> Any:
    """Parses the JSON of a successful answer."""
    try:
        return json.loads(content)
    except ValueError:
        raise foreign(200, "OK", content) from None


def seconds_of(text: str) -> int | None:
    """Parses Retry-After: seconds, or a date (RFC 9110, section 10.2.3)."""
    if text.isascii() and text.isdigit():
        return int(text)
    try:
        return max(0, math.ceil(email.utils.parsedate_to_datetime(text).timestamp() - time.time()))
    except ValueError:
        return None
