#!/usr/bin/env python3
"""Agrees on subscriptions with this project's Paykit over a private link, in two processes: `make interop`.

Written from Plugins/Paykit/Provider/PaykitProvider.docc/Protocol.md, whose sections are named below, with the Noise
protocol of noiseprotocol, the keys of PyNaCl and the invoices of bolt11. Nothing is shared with the other program but
the homeserver.

    links.py PAYKIT-SUBSCRIPTION-PROCESS
"""
import base64
import hashlib
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid

import bolt11
from nacl import bindings as sodium
from noise.connection import Keypair, NoiseConnection

BOLT11 = "btc-lightning-bolt11"
ALPHABET = "ybndrfg8ejkmcpqxot1uwisza345h769"
ROOT = "/pub/paykit/v0/"


def zbase32(data):  # 1.1
    bits = "".join(f"{byte:08b}" for byte in data)
    bits += "0" * (-len(bits) % 5)
    return "".join(ALPHABET[int(bits[i:i + 5], 2)] for i in range(0, len(bits), 5))


def unzbase32(text):
    bits = "".join(f"{ALPHABET.index(letter):05b}" for letter in text)
    return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits) // 8 * 8, 8))


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unbase64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def moment(seconds):  # 12.5
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def seconds(text):
    return int(time.mktime(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ")) - time.timezone)


class User:
    """A user with an account at the homeserver (sections 1 to 3)."""

    def __init__(self, port, homeserver, seed):
        self.base = f"http://localhost:{port}"
        key, self.secret = sodium.crypto_sign_seed_keypair(seed)
        self.key, self.text, self.cookie = key, zbase32(key), None
        self.publish(homeserver)
        body = self.token("/:rw")
        _, headers = self.ask("POST", "/signup", self.text, body)
        self.cookie = headers["Set-Cookie"].split(";")[0]

    def sign(self, message):
        return sodium.crypto_sign(message, self.secret)[:64]

    def token(self, capabilities):  # 3.2
        text = capabilities.encode()
        content = (b"PUBKY:AUTH\0" + int(time.time() * 1e6).to_bytes(8, "big") + self.key
                   + bytes([len(text)]) + text)
        return self.sign(content[1:]) + content

    def publish(self, homeserver):  # 2.1 to 2.3
        def name(*labels):
            return b"".join(bytes([len(label)]) + label.encode() for label in labels) + b"\0"

        record = (0).to_bytes(2, "big") + name(homeserver)
        message = (bytes([0, 0, 0x80, 0, 0, 0, 0, 1, 0, 0, 0, 0]) + name("_pubky", self.text)
                   + bytes([0, 65, 0, 1]) + (3600).to_bytes(4, "big") + len(record).to_bytes(2, "big") + record)
        now = int(time.time() * 1e6)
        signature = self.sign(b"3:seqi%de1:v%d:%s" % (now, len(message), message))
        self.ask("PUT", f"/pkarr/{self.text}", None, signature + now.to_bytes(8, "big") + message)

    def ask(self, method, path, owner, body=None):
        request = urllib.request.Request(self.base + path, data=body, method=method)
        if owner:
            request.add_header("pubky-host", owner)
        if self.cookie:
            request.add_header("Cookie", self.cookie)
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.read(), answer.headers

    def read(self, path, owner):
        try:
            return self.ask("GET", path, owner)[0]
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            raise

    def write(self, path, content):
        self.ask("PUT", path, self.text, content)


class Link:
    """A private link (section 12), in the form N1, from its first handshake on."""

    def __init__(self, user, receiver, peer, peer_receiver):
        self.user, self.peer, self.receiver = user, peer, receiver
        self.begins = user.text < peer
        secret = os.urandom(32)
        routing, _ = sodium.crypto_sign_seed_keypair(secret)
        flags = dict.fromkeys(("private_payments", "payment_requests", "receipts", "outgoing_payments"), True)
        user.write(f"{ROOT}{receiver}/receiver.json", json.dumps({  # 12.3
            "version": 1, "kind": "paykit.receiver", "receiver_path": receiver, "capabilities": flags,
            "noise_public_key": zbase32(routing)}).encode())
        marker = json.loads(user.read(f"{ROOT}{peer_receiver}/receiver.json", peer))
        remote = unzbase32(marker["noise_public_key"])
        shared = sodium.crypto_scalarmult(  # 12.2
            hashlib.sha512(secret).digest()[:32], sodium.crypto_sign_ed25519_pk_to_curve25519(remote))
        pairs = sorted([(user.text, receiver), (peer, peer_receiver)])
        domain = b"paykit-path-v0" + b"".join(b"\0" + a.encode() + b"\0" + b.encode() for a, b in pairs)

        def folder(writer, app):
            return f"{ROOT}private/{app}/messages/{hashlib.sha256(domain + shared + writer).hexdigest()}/"

        self.own, self.peers = folder(routing, receiver), folder(remote, peer_receiver)
        self.noise = NoiseConnection.from_name(b"Noise_XX_25519_ChaChaPoly_SHA256")
        (self.noise.set_as_initiator if self.begins else self.noise.set_as_responder)()
        self.noise.set_keypair_from_private_bytes(Keypair.STATIC, secret)
        self.noise.start_handshake()
        self.slot, self.read_slot, self.write_slot = 0, 3, 3
        self.outbox, self.heard, self.seen = [], [], set()

    def put(self, slot, content):
        self.user.write(f"{self.own}{slot}", len(content).to_bytes(2, "big") + content.ljust(1016, b"\0"))

    def get(self, slot):
        file = self.user.read(f"{self.peers}{slot}", self.peer)
        if file is None:
            return None
        assert len(file) == 1018, "a file has 1,018 bytes"
        length = int.from_bytes(file[:2], "big")
        assert not any(file[2 + length:]), "only zeros follow"
        return file[2:2 + length]

    def poll(self):
        while self.slot < 3:
            if (self.slot % 2 == 0) == self.begins:
                self.put(self.slot, bytes(self.noise.write_message()))
            else:
                message = self.get(self.slot)
                if message is None:
                    return
                assert not self.noise.read_message(message), "the handshake has no payloads"
            self.slot += 1
        while (message := self.get(self.read_slot)) is not None:
            self.read_slot += 1
            event = json.loads(self.noise.decrypt(message))
            if event.get("event_id") not in self.seen:
                self.seen.add(event.get("event_id", object()))
                self.heard.append(event)
        for message in self.outbox:
            assert len(message) <= 1000
            self.put(self.write_slot, bytes(self.noise.encrypt(message)))
            self.write_slot += 1
        self.outbox = []

    def say(self, kind, members, is_event=True):  # 12.4
        head = {"version": 1, "kind": f"paykit.{kind}"}
        if is_event:
            head["event_id"] = str(uuid.uuid4())
        self.outbox.append(json.dumps({**head, **members}, separators=(",", ":")).encode())

    def last(self, kind, **members):
        found = [event for event in self.heard if event["kind"] == f"paykit.{kind}"
                 and all(event.get(name) == value for name, value in members.items())]
        assert found, f"no {kind} of {members} among {self.heard}"
        return found[-1]


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


def both(swift, link, rounds=3):
    for _ in range(rounds):
        link.poll()
        state = swift("poll")
    link.poll()
    return state


def months(start, number):
    year, month = time.gmtime(start)[:2]
    def at(index):
        return f"{year + (month - 1 + index) // 12}-{(month - 1 + index) % 12 + 1:02}-01T00:00:00Z"
    return {"starts_at": at(number), "ends_at": at(number + 1)}


def invoice_hash(text):
    return bolt11.decode(text).payment_hash


def is_asked(swift, link, start):
    """Python is paid: it proposes; the Swift side accepts, pays two periods and proves, and reads the receipts."""
    user, request = link.user, str(uuid.uuid4())
    terms = {"amount": {"value": "0.000021", "asset": "btc"}, "payment_reference": "coffee, monthly",
             "proposal_expires_at": None,
             "recurrence": {"every": 1, "unit": "month", "starts_at": moment(start), "anchor": moment(start),
                            "ends_at": None},
             "accepted_payment_endpoint_identifiers": [BOLT11], "metadata": {}}
    link.say("payment_request", {"payment_request_id": request, "request": terms})
    found = [entry for entry in both(swift, link)["requests"] if entry["id"] == request]
    assert found == [{"id": request, "own": False, "phase": "proposed", "reference": "coffee, monthly",
                      "recurs": True, "amount": "0.00002100"}], found
    swift("accept", id=request)
    both(swift, link)
    link.last("payment_request_acceptance", payment_request_id=request)
    for number in range(2):
        # The simulated money: any wallet could make and pay these invoices.
        body, _ = user.ask("POST", "/sandbox/paykit/invoices", None, json.dumps(
            {"user": user.text, "amount": 2100}).encode())
        invoice = json.loads(body)["invoice"]
        link.say("private_payment_list", {"payment_endpoints": {BOLT11: json.dumps({"value": invoice})}}, False)
        both(swift, link)
        swift("pay", id=request, number=number)
        swift("pay", id=request, number=number)  # Again: paid once.
        both(swift, link)
        period = months(start, number)
        proof = link.last("payment_proof", payment_request_id=request, billing_period=period)
        assert proof["payment_reference"] == terms["payment_reference"]
        assert proof["payment_endpoint_identifier"] == BOLT11
        preimage = bytes.fromhex(proof["proof"]["data"])
        assert hashlib.sha256(preimage).hexdigest() == invoice_hash(invoice), "the proof is of the invoice"
        give_receipt(link, request, terms, period)
        both(swift, link)
        assert len(swift("receipts", id=request)["receipts"]) == number + 1
    proofs = [event for event in link.heard if event["kind"] == "paykit.payment_proof"]
    assert len(proofs) == 2, "a period is proven once"
    swift("cancel", id=request)
    both(swift, link)
    assert link.last("payment_request_cancellation", payment_request_id=request)["reason"] == "moved away"


def give_receipt(link, request, terms, period):  # 12.7
    receipt, key, nonce = str(uuid.uuid4()), os.urandom(32), os.urandom(24)
    location = f"{ROOT}private/{link.receiver}/receipts/{receipt}"
    text = json.dumps({
        "version": 1, "kind": "paykit.receipt", "receipt_id": receipt,
        "payment_reference": terms["payment_reference"], "payment_request_id": request, "billing_period": period,
        "recipient_public_key": "pubky" + link.peer, "payment_endpoint_identifier": BOLT11,
        "amount": terms["amount"], "metadata": {}}).encode()
    sealed = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(
        text, b"paykit.receipt.v1:" + location.encode(), nonce, key)
    link.user.write(location, json.dumps({
        "version": 1, "kind": "paykit.receipt.encrypted", "algorithm": "XChaCha20Poly1305",
        "nonce": base64url(nonce), "ciphertext": base64url(sealed)}).encode())
    link.say("receipt_access", {
        "receipt_id": receipt, "payment_reference": terms["payment_reference"], "payment_request_id": request,
        "billing_period": period, "location": location, "key": base64url(key)})


def asks(swift, link, start):
    """The Swift side is paid: Python accepts, pays and proves, and reads the receipt."""
    request = swift("ask", reference="news, monthly", start=start)["id"]
    both(swift, link)
    asked = link.last("payment_request", payment_request_id=request)["request"]
    assert asked["amount"]["asset"] == "btc" and float(asked["amount"]["value"]) == 0.000021, asked
    assert asked["recurrence"] == {"every": 1, "unit": "month", "starts_at": moment(start),
                                   "anchor": moment(start), "ends_at": None}, asked
    link.say("payment_request_acceptance", {"payment_request_id": request})
    invoice = json.loads(link.last("private_payment_list")["payment_endpoints"][BOLT11])["value"]
    body, _ = link.user.ask("POST", "/sandbox/paykit/pay", None, json.dumps({"endpoint": invoice}).encode())
    preimage = json.loads(body)["preimage"]
    assert hashlib.sha256(bytes.fromhex(preimage)).hexdigest() == invoice_hash(invoice)
    period = months(start, 0)
    link.say("payment_proof", {
        "payment_request_id": request, "payment_reference": asked["payment_reference"], "billing_period": period,
        "payment_endpoint_identifier": BOLT11,
        "proof": {"type": "bitcoin-bolt11-preimage", "data": preimage}})
    state = both(swift, link)
    assert [entry["phase"] for entry in state["requests"] if entry["id"] == request] == ["active"], state
    swift("receipt", id=request, number=0)
    both(swift, link)
    access = link.last("receipt_access", payment_request_id=request)
    file = json.loads(link.user.read(access["location"], link.peer))
    text = sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(
        unbase64url(file["ciphertext"]), b"paykit.receipt.v1:" + access["location"].encode(),
        unbase64url(file["nonce"]), unbase64url(access["key"]))
    receipt = json.loads(text)
    assert receipt["receipt_id"] == access["receipt_id"] and receipt["billing_period"] == period, receipt
    assert receipt["amount"] == asked["amount"], receipt
    link.say("payment_request_cancellation", {"payment_request_id": request, "reason": None})
    link.outbox[-1] = link.outbox[-1].replace(b',"reason":null', b"")
    state = both(swift, link)
    assert [entry["phase"] for entry in state["requests"] if entry["id"] == request] == ["cancelled"], state


def main(path):
    roles = {}
    start = seconds("2026-02-01T00:00:00Z")
    while len(roles) < 2:  # Who begins the handshake follows from the keys: both are played.
        swift = Swift(path)
        hello = swift.hello
        while True:
            seed = os.urandom(32)
            begins = zbase32(sodium.crypto_sign_seed_keypair(seed)[0]) < hello["user"]
            if begins not in roles:
                break
        user = User(hello["port"], hello["homeserver"], seed)
        link = Link(user, "monthly/server", hello["user"], hello["receiver"])
        swift("link", user=user.text)
        state = both(swift, link)
        assert state["status"] == "linked", state
        is_asked(swift, link, start)
        asks(swift, link, start)
        roles[begins] = len(link.heard)
        swift.process.stdin.close()
        assert swift.process.wait(timeout=20) == 0
    print(f"4 subscriptions over 2 private links with a program of others, {sum(roles.values())} messages read there")


if __name__ == "__main__":
    main(*sys.argv[1:])
