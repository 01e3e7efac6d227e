"""Subscriptions over private channels: sections 5 and 6 of Protocol.md."""
import hashlib
import json
import os
import socket
import threading
import time
import uuid

from nacl import bindings as sodium
from noise.connection import Keypair, NoiseConnection
from pubky import invoice_hash, proves, unzbase32, zbase32

PLACE = "/pub/paykit.app/v0/noise"
PROLOGUE = b"pubky-noise-v1"
DAY = 86_400


def numbers(data):
    return list(data)


class Channel:
    """An open channel: messages behind their length, in Noise IK (5.1)."""

    def __init__(self, stream, secret):
        self.stream, self.key, self.peer = stream, sodium.crypto_scalarmult_base(secret), None
        self.noise = NoiseConnection.from_name(b"Noise_IK_25519_ChaChaPoly_BLAKE2s")
        self.noise.set_prologue(PROLOGUE)
        self.noise.set_keypair_from_private_bytes(Keypair.STATIC, secret)

    @staticmethod
    def dial(user, secret, peer):
        place = json.loads(user.read(PLACE, peer))  # 5.6
        remote = bytes.fromhex(place["pubkey"])
        channel = Channel(socket.create_connection((place["host"], place["port"]), timeout=20), secret)
        channel.noise.set_as_initiator()
        channel.noise.set_keypair_from_public_bytes(Keypair.REMOTE_STATIC, remote)
        channel.noise.start_handshake()
        channel.put(channel.noise.write_message(json.dumps({  # 5.2, generation A
            "ed25519_pub": numbers(user.key), "noise_x25519_pub": numbers(channel.key), "epoch": 0, "role": "Client",
            "server_hint": None, "sig": numbers(user.sign(channel.binding(user.key, channel.key, remote)))}).encode()))
        assert not channel.noise.read_message(channel.get()), "the server says nothing of itself"
        channel.peer = peer
        return channel

    @staticmethod
    def accept(stream, secret):
        channel = Channel(stream, secret)
        channel.noise.set_as_responder()
        channel.noise.start_handshake()
        said = json.loads(channel.noise.read_message(channel.get()))
        remote = channel.noise.noise_protocol.handshake_state.rs.public_bytes
        key = bytes(said["ed25519_pub"])
        assert said["role"] == "Client" and bytes(said["noise_x25519_pub"]) == remote
        digest = channel.binding(key, remote, channel.key)
        assert sodium.crypto_sign_open(bytes(said["sig"]) + digest, key) == digest
        channel.put(channel.noise.write_message())
        channel.peer = zbase32(key)
        return channel

    @staticmethod
    def binding(key, local, remote):
        return hashlib.blake2s(b"pubky-noise-bind:v1" + b"IK" + PROLOGUE + key + local + remote + bytes(4)
                               + b"client").digest()

    def put(self, message):
        self.stream.sendall(len(message).to_bytes(4, "big") + bytes(message))

    def get(self):
        head = self.stream.recv(4, socket.MSG_WAITALL)
        if not head:
            return None
        return self.stream.recv(int.from_bytes(head, "big"), socket.MSG_WAITALL)

    def say(self, message):
        self.put(self.noise.encrypt(json.dumps(message).encode()))

    def hear(self):
        sealed = self.get()
        return None if sealed is None else json.loads(self.noise.decrypt(sealed))


def varint(number):
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def signed_number(number):
    return varint(number << 1 if number >= 0 else (-number << 1) - 1)


def string(text):
    return varint(len(text.encode())) + text.encode()


def digest(subscription, nonce, timestamp, expires_at):  # 6.2
    terms, end = subscription["terms"], subscription["ends_at"]
    assert terms["frequency"] == "Daily" and terms["max_amount_per_period"] is None
    text = string("PAYKIT_SUBSCRIPTION_V2") + string(subscription["subscription_id"])
    text += bytes(subscription["subscriber"]) + bytes(subscription["provider"])
    text += string(terms["amount"]) + string(terms["currency"]) + b"\0" + string(terms["method"]) + b"\0"
    text += string(terms["description"]) + varint(len(subscription["metadata"]))
    for name, value in sorted(subscription["metadata"].items()):
        text += string(name) + string(value)
    text += signed_number(subscription["created_at"]) + signed_number(subscription["starts_at"])
    text += b"\0" if end is None else b"\1" + signed_number(end)
    return hashlib.sha256(text + nonce + signed_number(timestamp) + signed_number(expires_at)).digest()


class Party:
    """One side: it listens, agrees to subscriptions with the other, and is paid or pays."""

    def __init__(self, user, peer, dialect):
        self.user, self.peer, self.dialect = user, peer, dialect
        self.secret, self.heard, self.failures = os.urandom(32), [], []
        self.agreed, self.proposed, self.offered, self.ended = {}, {}, {}, {}
        self.invoices, self.proofs, self.lock = {}, {}, threading.Lock()
        self.socket = socket.create_server(("127.0.0.1", 0))
        user.write(PLACE, json.dumps({
            "host": "127.0.0.1", "port": self.socket.getsockname()[1],
            "pubkey": sodium.crypto_scalarmult_base(self.secret).hex()}).encode())
        threading.Thread(target=self.listen, daemon=True).start()

    # Being asked

    def listen(self):
        while True:
            stream, _ = self.socket.accept()
            threading.Thread(target=self.serve, args=(stream,), daemon=True).start()

    def serve(self, stream):
        try:
            with stream:
                stream.settimeout(20)
                channel = Channel.accept(stream, self.secret)
                assert channel.peer == self.peer
                while (message := channel.hear()) is not None:
                    with self.lock:
                        self.heard.append(message)
                        channel.say(self.answer(message))
        except Exception as failure:  # Shown where the other side's command has ended.
            self.failures.append(failure)

    def answer(self, message):
        if message["type"] == "SubscriptionState":
            self.take(message)
            return self.view(message["subscription_id"])
        if message["type"] == "RequestReceipt":
            receipt = message["payload"]["provisional_receipt"]
            agreed = self.agreed[receipt["metadata"]["subscription_id"]]["subscription"]["terms"]  # 6.3
            assert receipt["method_id"] == "lightning" and receipt["currency"] == "SAT"
            assert receipt["amount"] == agreed["amount"], "only what was agreed to is paid"
            name = receipt["receipt_id"]
            invoice = self.invoices.setdefault(name, self.user.create_invoice(int(receipt["amount"])))
            metadata = {"invoice": invoice, "payment_hash": invoice_hash(invoice)}
            return {"type": "ConfirmReceipt", "payload": {"receipt": self.receipt(
                name, payer=self.peer, payee=self.user.text, amount=receipt["amount"], metadata=metadata)}}
        if message["type"] == "ConfirmReceipt":  # 5.7, 5.8
            receipt = message["payload"]["receipt"]
            proof = receipt["metadata"]["proof"]
            assert proof["proof_type"] == "lightning_preimage"
            assert proves(proof["preimage"], self.invoices[receipt["receipt_id"]])
            self.proofs[receipt["receipt_id"]] = proof["preimage"]
            return {"type": "Ack"} if self.dialect == "native" else {"type": "Ack", "payload": None}
        raise AssertionError(f"what was not asked for: {message}")

    def receipt(self, name, payer, payee, amount, metadata):  # 5.5: two ways to write users
        def written(text):
            return numbers(unzbase32(text)) if self.dialect == "native" else text

        return {"receipt_id": name, "payer": written(payer), "payee": written(payee), "method_id": "lightning",
                "amount": amount, "currency": "SAT", "created_at": int(time.time()), "metadata": metadata}

    # Asking

    def ask(self, *messages):
        channel = Channel.dial(self.user, self.secret, self.peer)
        answers = []
        with channel.stream:
            for message in messages:
                channel.say(message)
                answers.append(channel.hear())
                self.heard.append(answers[-1])
        return answers

    def show(self, name):
        """Shows this side's view, and takes in the other side's."""
        answer, = self.ask(self.view(name))
        self.take(answer)
        return answer

    # Agreeing

    def sign(self, subscription):
        nonce, now = os.urandom(32), int(time.time())
        signature = self.user.sign(digest(subscription, nonce, now, now + 7 * DAY))
        return {"signature": numbers(signature), "public_key": numbers(self.user.key), "nonce": numbers(nonce),
                "timestamp": now, "expires_at": now + 7 * DAY}

    def check(self, signed, side):
        signature, subscription = signed[f"{side}_signature"], signed["subscription"]
        key = bytes(subscription[side])
        assert bytes(signature["public_key"]) == key
        expected = digest(subscription, bytes(signature["nonce"]), signature["timestamp"], signature["expires_at"])
        assert sodium.crypto_sign_open(bytes(signature["signature"]) + expected, key) == expected
        assert signature["timestamp"] <= time.time() + 5 <= signature["expires_at"]

    def view(self, name):  # 6.3
        return {"type": "SubscriptionState", "subscription_id": name, "agreement": self.agreed.get(name),
                "proposal": self.proposed.get(name), "declined_nonce": None, "cancellation": self.ended.get(name)}

    def take(self, view):
        assert view["type"] == "SubscriptionState", view
        name, agreement, proposal = view["subscription_id"], view["agreement"], view["proposal"]
        if agreement and name not in self.agreed:
            mine = self.proposed.pop(name)
            for side in ("subscriber", "provider"):
                self.check(agreement, side)
            assert agreement["subscription"] == mine["subscription"], "what was accepted is what was proposed"
            self.agreed[name] = agreement
        if proposal and name not in self.agreed:
            theirs, = [side for side in ("subscriber", "provider") if proposal[f"{side}_signature"]]
            assert bytes(proposal["subscription"][theirs]) == unzbase32(self.peer)
            self.check(proposal, theirs)
            self.offered[name] = proposal
        if view["cancellation"] and name not in self.ended:
            self.ended[name] = view["cancellation"]

    def propose(self, start, amount):
        name = f"sub_{uuid.uuid4()}"
        subscription = {
            "subscription_id": name, "subscriber": numbers(unzbase32(self.peer)), "provider": numbers(self.user.key),
            "terms": {"amount": amount, "currency": "SAT", "frequency": "Daily", "method": "lightning",
                      "max_amount_per_period": None, "description": "coffee, daily"},
            "metadata": {"shop": "the corner"}, "created_at": start, "starts_at": start, "ends_at": None}
        self.proposed[name] = {"subscription": subscription, "subscriber_signature": None,
                               "provider_signature": self.sign(subscription)}
        return name

    def accept(self, name):
        signed = self.offered.pop(name)
        self.agreed[name] = {**signed, "subscriber_signature": self.sign(signed["subscription"])}


def record(swift, party, name):
    assert not party.failures, party.failures
    found = [entry for entry in swift("records")["records"] if entry["id"] == name]
    return found[0] if found else None


def is_paid(swift, party, start):
    """Python proposes and is paid: the Swift side signs, pays two periods once each, proves, and ends it."""
    false = party.propose(start, "2100")
    party.proposed[false]["subscription"]["terms"]["amount"] = "21"
    refused, = party.ask(party.view(false))
    assert refused["type"] == "Error" and record(swift, party, false) is None, "another amount than was signed"
    name = party.propose(start, "2100")
    party.show(name)
    assert record(swift, party, name) == {
        "id": name, "status": "proposed", "amount": "2100", "description": "coffee, daily"}
    assert swift("pay")["paid"] == [], "only one side has signed"
    swift("accept", id=name)
    assert swift("exchange")["refused"] == []
    assert name in party.agreed and record(swift, party, name)["status"] == "active"
    for _ in range(2):  # Again: each period is paid once.
        assert swift("pay")["paid"] == [0, 1]
    assert not party.failures, party.failures
    assert len(party.proofs) == 2 and len(set(party.proofs.values())) == 2, party.proofs
    receipts = {entry["id"]: entry for entry in swift("receipts")["receipts"]}
    for receipt, preimage in party.proofs.items():
        assert receipts[receipt] == {"id": receipt, "stage": "paid", "amount": "2100", "preimage": preimage}
    swift("cancel", id=name)
    swift("exchange")
    assert party.ended[name]["by"] == "subscriber" and party.ended[name]["reason"] == "moved away"
    assert record(swift, party, name)["status"] == "cancelled"
    return name


def pays(swift, party, start):
    """The Swift side proposes and is paid: Python signs, pays and proves, and has it acknowledged."""
    name = swift("propose", start=start, amount="1700")["id"]
    swift("exchange")
    assert not party.failures, party.failures
    party.accept(name)
    assert party.show(name)["agreement"] == party.agreed[name]
    assert record(swift, party, name)["status"] == "active"

    def receipt(amount, **metadata):
        return party.receipt(f"rcpt_{uuid.uuid4()}", payer=party.user.text, payee=party.peer, amount=amount,
                             metadata={"subscription_id": name, **metadata})

    refused, = party.ask({"type": "RequestReceipt", "payload": {"provisional_receipt": receipt("1")}})
    assert refused["type"] == "Error" and refused["payload"]["code"] == "NOT_AGREED", refused
    asked = receipt("1700")
    answer, again = party.ask(*2 * [{"type": "RequestReceipt", "payload": {"provisional_receipt": asked}}])
    assert answer == again and answer["type"] == "ConfirmReceipt", (answer, again)
    given = answer["payload"]["receipt"]
    assert all(given[member] == asked[member] for member in asked if member != "metadata"), given
    invoice = given["metadata"]["invoice"]

    def proven(preimage):
        proof = {"proof_type": "lightning_preimage", "preimage": preimage, "payment_hash": invoice_hash(invoice)}
        told, = party.ask({"type": "ConfirmReceipt", "payload": {"receipt": {
            **asked, "metadata": {**given["metadata"], "proof": proof}}}})
        return told

    assert proven("00" * 32)["payload"]["code"] == "INVALID_PROOF"
    preimage = party.user.pay(invoice)
    assert proven(preimage)["type"] == "Ack"
    kept = [entry for entry in swift("receipts")["receipts"] if entry["id"] == asked["receipt_id"]]
    assert kept == [{"id": asked["receipt_id"], "stage": "paid", "amount": "1700", "preimage": preimage}], kept
    party.ended[name] = {"by": "subscriber", "effective_at": int(time.time()), "reason": None}
    party.show(name)
    assert record(swift, party, name)["status"] == "cancelled"


def play(swift, user, dialect):
    """Agrees on a subscription in each direction, and returns how many messages were read here."""
    party = Party(user, swift.hello["user"], dialect)
    swift("channel", user=user.text)
    start = int(time.time()) - DAY - 3600  # Two of its days have begun.
    is_paid(swift, party, start)
    pays(swift, party, start)
    return len(party.heard)
