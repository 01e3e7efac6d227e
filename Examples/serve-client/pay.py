#!/usr/bin/env python3
"""Pays a link by `payroute serve`: pay.py http://127.0.0.1:7070 'https://…' --key order-7

Needs Python's standard library only. The token, where the server takes some, is in PAYROUTE_TOKEN. The key names this
payment: give the same one again after a crash of either side, and nothing is paid twice. The exit code is 0 only if
the payment is made.
"""
import argparse
import json
import os
import sys
import urllib.error
import urllib.request
import uuid


def call(base, method, path, body=None, key=None):
    """Calls the API, and returns its answer; an error ends the program."""
    headers = {"Content-Type": "application/json"}
    if os.environ.get("PAYROUTE_TOKEN"):
        headers["Authorization"] = "Bearer " + os.environ["PAYROUTE_TOKEN"]
    if key:
        headers["Idempotency-Key"] = key
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=90) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        failure = json.load(error)["error"]
        sys.exit(f"{failure['code']}: {failure['message']}")


def answer(action):
    """Answers what the payment asks for: the suggested amount, the first option that can be paid; all else needs a
    person, and is declined here."""
    if action["kind"] == "amount" and "suggested" in action:
        print(f"amount: {action['suggested']} {action['unit']}")
        return {"amount": {"amount": action["suggested"], "unit": action["unit"]}}
    if action["kind"] == "choose":
        usable = [option for option in action["options"] if not option["unmet"]]
        if usable:
            print(f"{usable[0]['title']}: {usable[0]['amount']} {usable[0]['unit']}")
            return {"option": usable[0]["id"]}
    print(f"declined: {action['kind']}")
    return {"decline": True}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("server")
    parser.add_argument("link")
    parser.add_argument("--key", default=str(uuid.uuid4()))
    parser.add_argument("--accept-unverified", action="store_true", help="pay a link that does not prove where it leads")
    words = parser.parse_args()
    base = words.server.rstrip("/")
    request = {"link": words.link, "acceptingUnverified": words.accept_unverified}
    payment = call(base, "POST", "/v1/payments", request, words.key)
    path = "/v1/payments/" + payment["id"]
    if payment["state"] == "interrupted":
        payment = call(base, "POST", path + "/resume")
    while payment["state"] in ("running", "waiting"):
        if payment["state"] == "waiting":
            action = payment["action"]
            call(base, "POST", f"{path}/actions/{action['id']}", answer(action))
        payment = call(base, "GET", path + "?wait=30")
    outcome = payment["outcome"]
    print(f"{outcome['outcome']}: {outcome['reason']}")
    sys.exit(0 if outcome["outcome"] == "succeeded" else 1)


main()
