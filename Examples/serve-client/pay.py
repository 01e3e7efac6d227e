#!/usr/bin/env python3
"""Pays a link by `payroute serve`: pay.py http://127.0.0.1:7070 'https://…' [key]

Needs Python's standard library only. The token, where the server takes some, is in PAYROUTE_TOKEN. The key names this
payment: give the same one again after a crash of either side, and nothing is paid twice. The exit code is 0 only if
the payment is made.
"""
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
    """Answers what the payment asks for: the first option that can be paid; a person confirms all else."""
    if action["kind"] == "choose":
        usable = [option for option in action["options"] if not option["unmet"]]
        if usable:
            print(f"{usable[0]['title']}: {usable[0]['amount']} {usable[0]['unit']}")
            return {"option": usable[0]["id"]}
    print(f"declined: {json.dumps(action)}")
    return {"decline": True}


def main():
    base, link = sys.argv[1].rstrip("/"), sys.argv[2]
    key = sys.argv[3] if len(sys.argv) > 3 else str(uuid.uuid4())
    payment = call(base, "POST", "/v1/payments", {"link": link}, key)
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
