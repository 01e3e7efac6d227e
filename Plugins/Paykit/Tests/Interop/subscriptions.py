#!/usr/bin/env python3
"""Agrees on subscriptions with this project's Paykit over private links and private channels, in two processes:
`make interop`.

Written from Plugins/Paykit/Provider/PaykitProvider.docc/Protocol.md, whose sections are named here, with the Noise
protocol of noiseprotocol, the keys of PyNaCl and the invoices of bolt11. Nothing is shared with the other program but
the homeserver and the simulated money.

    subscriptions.py PAYKIT-SUBSCRIPTION-PROCESS
"""
import json
import os
import subprocess
import sys

import channels
import links
from nacl import bindings as sodium
from pubky import User, zbase32


class Swift:
    """The other program: an application with this project's Paykit, and the sandbox."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.hello = self.line()

    def line(self):
        answer = json.loads(self.process.stdout.readline())
        assert "error" not in answer, answer["error"]
        return answer

    def __call__(self, name, **members):
        self.process.stdin.write(json.dumps({"do": name, **members}) + "\n")
        self.process.stdin.flush()
        return self.line()

    def close(self):
        self.process.stdin.close()
        assert self.process.wait(timeout=20) == 0


def new_user(swift, begins):
    """A user whose key comes before the other side's, or after it: who begins a link's handshake follows from that."""
    while True:
        seed = os.urandom(32)
        if (zbase32(sodium.crypto_sign_seed_keypair(seed)[0]) < swift.hello["user"]) == begins:
            return User(swift.hello["port"], swift.hello["homeserver"], seed)


def main(path):
    heard, spoken = 0, 0
    for begins, dialect in ((True, "native"), (False, "mobile")):
        swift = Swift(path)
        user = new_user(swift, begins)
        heard += links.play(swift, user)
        spoken += channels.play(swift, user, dialect)
        swift.close()
    print(f"4 subscriptions over 2 private links and 4 over private channels with a program of others, "
          f"{heard} and {spoken} messages read there")


if __name__ == "__main__":
    main(*sys.argv[1:])
