"""A user of the Pubky network, and the simulated money: sections 1 to 3 of Protocol.md."""
import base64
import hashlib
import json
import time
import urllib.error
import urllib.request

import bolt11
from nacl import bindings as sodium

ALPHABET = "ybndrfg8ejkmcpqxot1uwisza345h769"


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

    def create_invoice(self, satoshi):
        body, _ = self.ask("POST", "/sandbox/paykit/invoices", None, json.dumps(
            {"user": self.text, "amount": satoshi}).encode())
        return json.loads(body)["invoice"]

    def pay(self, invoice):
        body, _ = self.ask("POST", "/sandbox/paykit/pay", None, json.dumps({"endpoint": invoice}).encode())
        return json.loads(body)["preimage"]


def invoice_hash(text):
    return bolt11.decode(text).payment_hash


def proves(preimage, invoice):
    return hashlib.sha256(bytes.fromhex(preimage)).hexdigest() == invoice_hash(invoice)
