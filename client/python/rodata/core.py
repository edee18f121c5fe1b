"""The base of the generated methods: requests, retries, problems and streams."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from http.client import HTTPException, HTTPResponse
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

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


class CutError(Exception):
    """A stream ended before its last line, so that items may be missing."""


class Core:
    """Sends requests.

    url is the address of the gateway, without /v1. Calls without a key are limited by address. After a 429 or 503 with
    Retry-After, a call is repeated up to ``retries`` times. If it would have to wait for more than ``max_wait`` seconds,
    it fails at once. ``timeout`` is the maximum time without data from the gateway, in seconds.
    """

    def __init__(self, url: str, key: str | None = None, *, retries: int = 3, max_wait: float = 30, timeout: float = 60):
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"{url!r} is not the address of a gateway; give one such as https://api.example.ro")
        self._url = url.rstrip("/").removesuffix("/v1")
        self._key = key
        self._retries = retries
        self._max_wait = max_wait
        self._timeout = timeout

    def _call(self, method: str, path: str, **parts: Any) -> Any:
        """Returns a JSON answer, or None for an empty one."""
        content = self._bytes(method, path, accept="application/json", **parts)
        return json.loads(content) if content else None

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
                        yield json.loads(line)
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
            data = json.dumps(body).encode()

        request = urllib.request.Request(self._url + path + search(query), data, headers, method=method)
        attempt = 0
        while True:
            try:
                return _opener.open(request, timeout=self._timeout)
            except urllib.error.HTTPError as answer:
                error = problem_of(answer)
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
    return str(value).lower() if isinstance(value, bool) else str(value)


def problem_of(answer: urllib.error.HTTPError) -> ProblemError:
    """Parses a problem. A proxy in between may have answered in another format."""
    with answer:
        content = answer.read()
    after = answer.headers.get("Retry-After", "")
    retry_after = int(after) if after.isascii() and after.isdigit() else None
    if answer.headers.get_content_type() == "application/problem+json":
        return ProblemError(answer.code, json.loads(content), retry_after)

    detail = f"the answer is not from the gateway: {content[:200].decode(errors='replace')}"
    problem: Problem = {"type": "about:blank", "title": str(answer.reason), "status": answer.code, "detail": detail, "code": "internal"}
    return ProblemError(answer.code, problem, retry_after)
