#!/usr/bin/env python3
"""Receives the webhooks of `payroute serve`, and prints what became of each payment: receive.py [PORT]

Needs Python's standard library only. The secret of the webhook is in WEBHOOK_SECRET. Webhooks that are not signed with it,
or are older than five minutes, are refused. One may come twice, with the same id: it is printed once.
"""
import base64
import hashlib
import hmac
import http.server
import json
import os
import sys
import time

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
SEEN = set()


def is_genuine(fields, body):
    """Says whether a webhook is signed with the secret, now."""
    name, moment = fields.get("webhook-id", ""), fields.get("webhook-timestamp", "")
    if not moment.isdigit() or abs(time.time() - int(moment)) > 300:
        return False
    signed = hmac.new(KEY, f"{name}.{moment}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(signed).decode()
    return any(hmac.compare_digest(expected, given) for given in fields.get("webhook-signature", "").split())


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if not is_genuine(self.headers, body):
            self.send_error(401)
            return
        webhook = json.loads(body)
        if self.headers["webhook-id"] not in SEEN:
            SEEN.add(self.headers["webhook-id"])
            payment = webhook["data"]
            print(webhook["type"], payment["key"], payment["outcome"]["outcome"], flush=True)
        # Only now: what is not answered so comes again.
        self.send_response(204)
        self.end_headers()

    def log_message(self, *words):
        pass


def main():
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Receiver)
    print(f"webhooks at http://127.0.0.1:{server.server_port}/", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


main()
