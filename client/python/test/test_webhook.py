"""The example of the Standard Webhooks libraries, and what must not be believed."""

import unittest

from rodata import WebhookError, verify_webhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
SENT_AT = 1614265330
BODY = b'{"test": 2432232314}'
GOOD = {
    "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": str(SENT_AT),
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}
SIGNATURE = GOOD["webhook-signature"]


class WebhookTest(unittest.TestCase):
    def test_a_signed_message_is_believed(self):
        for headers, now in (GOOD, SENT_AT), (GOOD, SENT_AT + 300), (GOOD | {"webhook-signature": f"v1,AAAA {SIGNATURE}"}, SENT_AT):
            with self.subTest(headers=headers, now=now):
                self.assertEqual(verify_webhook(BODY, headers, SECRET, now=now), {"test": 2432232314})

    def test_others_are_refused(self):
        for name, body, headers, now in (
            ("another body", BODY + b" ", GOOD, SENT_AT),
            ("another id", BODY, GOOD | {"Webhook-Id": "msg_other"}, SENT_AT),
            ("another time", BODY, GOOD | {"webhook-timestamp": str(SENT_AT + 1)}, SENT_AT),
            ("no signature", BODY, GOOD | {"webhook-signature": ""}, SENT_AT),
            ("a signature of another kind", BODY, GOOD | {"webhook-signature": SIGNATURE.replace("v1", "v2")}, SENT_AT),
            ("a signature that is not base64", BODY, GOOD | {"webhook-signature": "v1,ă"}, SENT_AT),
            ("no headers", BODY, {}, SENT_AT),
            ("an old message", BODY, GOOD, SENT_AT + 301),
            ("a message of the future", BODY, GOOD, SENT_AT - 301),
        ):
            with self.subTest(name), self.assertRaises(WebhookError):
                verify_webhook(body, headers, SECRET, now=now)

    def test_a_secret_has_its_form(self):
        with self.assertRaises(ValueError):
            verify_webhook(BODY, GOOD, "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
