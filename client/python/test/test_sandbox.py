"""The client against a sandbox, which .ci/clients starts: RODATA_URL and RODATA_KEY."""

import os
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer

from rodata import Client, ProblemError, WebhookError, batch_companies, verify_webhook


class Receiver(BaseHTTPRequestHandler):
    got: list = []

    def do_POST(self):
        self.got.append((self.rfile.read(int(self.headers["Content-Length"])), dict(self.headers)))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


@unittest.skipUnless("RODATA_URL" in os.environ, "RODATA_URL is not set")
class SandboxTest(unittest.TestCase):
    def setUp(self):
        self.client = Client(os.environ["RODATA_URL"], os.environ["RODATA_KEY"])

    def test_a_company(self):
        company = self.client.get_company(9900000010)
        self.assertEqual((company["taxId"], company["vatPayer"]), (9900000010, True))

    def test_a_problem(self):
        with self.assertRaises(ProblemError) as raised:
            self.client.get_company("9900000011")
        self.assertEqual((raised.exception.status, raised.exception.problem["errors"][0]["code"]), (400, "check_digit"))

    def test_a_batch(self):
        batch = batch_companies(self.client, {"items": [{"taxId": "RO9900000010", "reference": "S-1"}, {"taxId": "x"}]}, "input")
        items = list(batch)
        self.assertEqual([item["status"] for item in items], [200, 400])
        self.assertEqual((items[0]["reference"], batch.summary["found"]), ("S-1", 1))

    def test_a_webhook(self):
        with HTTPServer(("127.0.0.1", 0), Receiver) as receiver:
            threading.Thread(target=receiver.serve_forever, daemon=True).start()
            webhook = self.client.create_webhook({"url": f"http://127.0.0.1:{receiver.server_port}/"})
            test = self.client.test_webhook(webhook["id"])
            self.client.delete_webhook(webhook["id"])
            receiver.shutdown()
        body, headers = Receiver.got[0]
        self.assertEqual(verify_webhook(body, headers, webhook["secret"])["id"], test["event"])
        with self.assertRaises(WebhookError):
            verify_webhook(body + b" ", headers, webhook["secret"])
