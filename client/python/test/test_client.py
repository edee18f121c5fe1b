"""What the client promises, against a gateway that misbehaves on demand."""

import datetime
import email.utils
import json
import socket
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from rodata import Client, CutError, ProblemError, UnreachableError, batch_companies


class Gateway(BaseHTTPRequestHandler):
    """Gives the answers of a script, one after the other, and keeps the requests."""

    script: list = []
    requests: list = []

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.requests.append((self.command, self.path, self.headers, body))
        status, kind, headers, content = self.script.pop(0)
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": len(content), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_DELETE = answer

    def log_message(self, *_):
        pass


def answer(value, kind="application/json"):
    return 200, kind, {}, value if isinstance(value, bytes) else json.dumps(value).encode()


def problem(status, code, **headers):
    value = {"type": f"https://rodata.example/problems/{code}", "title": code, "status": status, "detail": "why", "code": code}
    return status, "application/problem+json", headers, json.dumps(value).encode()


def later(status, seconds):
    return problem(status, "unavailable", **{"Retry-After": seconds})


def lines(*values, end=b""):
    content = b"".join(json.dumps(value).encode() + b"\n" for value in values)
    return answer(content + end, "application/x-ndjson")


class ClientTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = ThreadingHTTPServer(("127.0.0.1", 0), Gateway)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def client(self, *script, **options):
        Gateway.script, Gateway.requests = list(script), []
        return Client(f"http://127.0.0.1:{self.server.server_port}/v1/", "rodata_live_test", **options)

    def test_arguments_become_a_request(self):
        self.client(answer({})).get_company("99/1")
        method, path, headers, _ = Gateway.requests[0]
        self.assertEqual((method, path, headers["Authorization"]), ("GET", "/v1/companies/99%2F1", "Bearer rodata_live_test"))
        self.client(answer({})).search_companies(q="a & b", vat_payer=True)
        self.assertEqual(Gateway.requests[0][1], "/v1/companies?q=a+%26+b&vatPayer=true")
        self.client(answer({})).create_watchlist({"name": "Furnizori"})
        self.assertEqual(Gateway.requests[0][3], b'{"name": "Furnizori"}')
        self.client(answer({})).create_job(b"cui\n19\n", "text/csv", column="cui")
        _, path, headers, body = Gateway.requests[0]
        self.assertEqual((path, headers["Content-Type"], body), ("/v1/jobs?column=cui", "text/csv", b"cui\n19\n"))

    def test_an_answer_without_a_body_is_nothing(self):
        self.assertIsNone(self.client(answer(b"")).delete_watchlist("wl_a"))

    def test_it_tries_again_as_retry_after_says(self):
        for status in 429, 503:
            with self.subTest(status):
                got = self.client(later(status, 0), later(status, 0), answer({"status": "ok"})).get_health()
                self.assertEqual((got["status"], len(Gateway.requests)), ("ok", 3))

    def test_tries_are_bounded(self):
        with self.assertRaises(ProblemError):
            self.client(later(503, 0), later(503, 0), answer({}), retries=1).get_health()
        self.assertEqual(len(Gateway.requests), 2)

    def test_a_wait_that_is_too_long_is_an_error_at_once(self):
        with self.assertRaises(ProblemError) as raised:
            self.client(later(429, 6), max_wait=5).get_health()
        self.assertEqual((raised.exception.status, raised.exception.retry_after, len(Gateway.requests)), (429, 6, 1))

    def test_other_problems_are_not_tried_again(self):
        for status, code in (503, "unavailable"), (404, "not-found"):
            with self.subTest(code), self.assertRaises(ProblemError) as raised:
                self.client(problem(status, code)).get_health()
            self.assertEqual((raised.exception.problem["code"], raised.exception.retry_after), (code, None))

    def test_an_error_page_of_a_proxy_is_a_problem_too(self):
        with self.assertRaisesRegex(ProblemError, "Bad Gateway"):
            self.client((502, "text/html", {}, b"<h1>Bad Gateway</h1>")).get_health()

    def test_an_answer_of_another_server_is_a_problem(self):
        for status, kind, content in (
            (200, "text/html", b"<h1>Log in</h1>\n"),
            (200, "application/json", b"<h1>Log in</h1>\n"),
            (400, "application/problem+json", b'{"title": "<h1>"}'),
            (400, "application/problem+json", b"null"),
            (400, "application/problem+json", b"<h1>"),
        ):
            script = status, kind, {}, content
            for act in (
                lambda: self.client(script).get_health(),
                lambda: list(batch_companies(self.client(script), {"taxIds": [19]})),
            ):
                with self.subTest(script), self.assertRaisesRegex(ProblemError, "internal: the answer is not from the gateway") as raised:
                    act()
                self.assertEqual(raised.exception.status, status)
        with self.assertRaises(ProblemError):
            self.client((200, "text/html; charset=utf-8", {}, b"<h1>")).get_job_result("job_a")

    def test_retry_after_can_be_a_date(self):
        def at(seconds):
            return later(503, email.utils.formatdate(time.time() + seconds, usegmt=True))

        self.assertEqual(self.client(at(-5), answer({"status": "ok"})).get_health()["status"], "ok")
        with self.assertRaises(ProblemError) as raised:
            self.client(at(100)).get_health()
        self.assertTrue(90 < raised.exception.retry_after <= 100)
        with self.assertRaises(ProblemError) as raised:
            self.client(later(503, "soon")).get_health()
        self.assertIsNone(raised.exception.retry_after)

    def test_an_empty_key_is_no_key(self):
        self.client(answer({}))
        Client(f"http://127.0.0.1:{self.server.server_port}", "").get_health()
        self.assertNotIn("Authorization", Gateway.requests[0][2])

    def test_values_of_other_libraries_are_sent(self):
        class Scalar:  # like numpy.int64
            def item(self):
                return 19

        self.client(answer({})).create_watchlist({"name": "a", "taxIds": [Scalar()], "day": datetime.date(2026, 3, 31)})
        self.assertEqual(json.loads(Gateway.requests[0][3]), {"name": "a", "taxIds": [19], "day": "2026-03-31"})
        with self.assertRaises(TypeError):
            self.client(answer({})).create_watchlist({"name": object()})
        self.client(answer({})).search_companies(state=["insolvent", "bankrupt"])
        self.assertEqual(Gateway.requests[0][1], "/v1/companies?state=insolvent%2Cbankrupt")

    def test_redirects_are_not_followed(self):
        with self.assertRaises(ProblemError) as raised:
            self.client((302, "text/html", {"Location": "https://elsewhere.example/"}, b"")).get_health()
        self.assertEqual(raised.exception.status, 302)

    def test_a_batch_gives_its_items_and_its_summary(self):
        batch = batch_companies(self.client(later(503, 0), lines({"index": 1}, {"index": 0}, {"summary": {"count": 2}})), {"taxIds": [19, 27]})
        self.assertEqual([item["index"] for item in batch], [1, 0])
        self.assertEqual(batch.summary, {"count": 2})
        first, second = (headers["Idempotency-Key"] for _, _, headers, _ in Gateway.requests)
        self.assertEqual(first, second)
        self.assertGreater(len(first), 16)

    def test_a_batch_without_its_summary_is_an_error(self):
        broken = lines({"index": 0})
        for script in lines({"index": 0}), lines({"index": 0}, end=b'{"ind'), (*broken[:2], {"Content-Length": 999}, broken[3]):
            with self.subTest(script), self.assertRaises(CutError):
                list(batch_companies(self.client(script), {"taxIds": [19]}))


class UnreachableTest(unittest.TestCase):
    """Addresses where no gateway answers."""

    def setUp(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.listener.close)
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def check(self, reason, **options):
        remedy = "; check the address, and that the gateway is running"
        for act in (
            lambda: Client(f"{self.address}/v1", **options).get_health(),
            lambda: list(batch_companies(Client(self.address, **options), {"taxIds": [19]})),
        ):
            with self.assertRaisesRegex(UnreachableError, f"^no gateway answers at {self.address}: .*{reason}.*{remedy}$") as raised:
                act()
            self.assertTrue(raised.exception.__suppress_context__)

    def test_nothing_listens(self):
        self.listener.close()
        self.check("refused")

    def test_it_is_silent(self):
        self.check("timed out", timeout=0.05)

    def test_it_hangs_up(self):
        def hang_up():
            for _ in range(2):
                self.listener.accept()[0].close()

        threading.Thread(target=hang_up, daemon=True).start()
        self.check("")


class AddressTest(unittest.TestCase):
    def test_it_has_its_form(self):
        with self.assertRaises(ValueError):
            Client("api.example.ro")

    def test_a_key_does_not_travel_unencrypted(self):
        for url in "http://api.example.ro", "http://127.0.0.1.example.ro", "http://localhost.example.ro/v1", "http://a.localhost", "http://10.0.0.1", "http://rodata:8080":
            with self.subTest(url), self.assertRaisesRegex(ValueError, "https://, or allow_http"):
                Client(url, "rodata_live_test")
            Client(url, "rodata_live_test", allow_http=True)
            for key in None, "":
                Client(url, key)
        for url in "https://api.example.ro", "http://localhost:1", "http://[::1]:1", "http://127.0.0.9":
            Client(url, "rodata_live_test")


if __name__ == "__main__":
    unittest.main()
