"""Subscriptions over a private link: sections 6 and 12 of Protocol.md."""
import hashlib
import json
import os
import time
import uuid

from nacl import bindings as sodium
from noise.connection import Keypair, NoiseConnection
from pubky import base64url, moment, proves, seconds, unbase64url, unzbase32, zbase32

BOLT11 = "btc-lightning-bolt11"
ROOT = "/pub/paykit/v0/"


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
        invoice = user.create_invoice(2100)
        link.say("private_payment_list", {"payment_endpoints": {BOLT11: json.dumps({"value": invoice})}}, False)
        both(swift, link)
        swift("pay", id=request, number=number)
        swift("pay", id=request, number=number)  # Again: paid once.
        both(swift, link)
        period = months(start, number)
        proof = link.last("payment_proof", payment_request_id=request, billing_period=period)
        assert proof["payment_reference"] == terms["payment_reference"]
        assert proof["payment_endpoint_identifier"] == BOLT11
        assert proves(proof["proof"]["data"], invoice), "the proof is of the invoice"
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
    preimage = link.user.pay(invoice)
    assert proves(preimage, invoice)
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


def play(swift, user):
    """Agrees on a subscription in each direction, and returns how many messages were read here."""
    start = seconds("2026-02-01T00:00:00Z")
    link = Link(user, "monthly/server", swift.hello["user"], swift.hello["receiver"])
    swift("link", user=user.text)
    state = both(swift, link)
    assert state["status"] == "linked", state
    is_asked(swift, link, start)
    asks(swift, link, start)
    return len(link.heard)
