"""A real LNbits server on a free port, with a stand-in for the node behind it, and two wallets."""

import base64
import hashlib
import http.server
import json
import os
import signal
import site
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid

import bolt11
from bolt11 import Bolt11, MilliSatoshi, Tag, TagChar, Tags


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Node:
    """What LNbits takes for an LND node: pays each hash by a plan, and counts what it sends."""

    def __init__(self):
        self.lock = threading.Lock()
        self.preimages, self.plans, self.sends, self.states = {}, {}, {}, {}
        self.port = free_port()
        node = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def reply(self, body):
                data = (json.dumps(body) + "\n").encode()
                try:
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    pass

            def do_GET(self):
                if self.path.startswith("/v1/balance"):
                    return self.reply({"balance": "1000000000"})
                if self.path.startswith("/v1/invoices/subscribe"):
                    # A stream without news.
                    return threading.Event().wait(3600)
                if self.path.startswith("/v1/invoice/"):
                    return self.reply({"state": "OPEN"})
                text = self.path.split("/track/", 1)[1].split("?")[0].replace("%3D", "=")
                self.reply(node.status(base64.urlsafe_b64decode(text).hex()))

            def do_POST(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length))
                if self.path == "/v1/invoices":
                    payment_hash = base64.b64decode(body["r_hash"])
                    text = node.text(int(body["value"]) * 1000, payment_hash.hex(), int(body.get("expiry") or 3600))
                    return self.reply({"r_hash": body["r_hash"], "payment_request": text})
                self.reply(node.send(bolt11.decode(body["payment_request"]).payment_hash))

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                """Says nothing of connections that ended with a killed LNbits."""

        self.server = Server(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def invoice(self, sat, plan, seconds=0.0, expiry=3600, age=0):
        """Makes an invoice of a payee elsewhere. The plan is 'pays' or 'fails', after so many seconds."""
        preimage = os.urandom(32)
        payment_hash = hashlib.sha256(preimage).hexdigest()
        text = self.text(None if sat is None else sat * 1000, payment_hash, expiry, age)
        with self.lock:
            self.preimages[payment_hash], self.plans[payment_hash] = preimage.hex(), (plan, seconds)
        return text, payment_hash

    @staticmethod
    def text(msat, payment_hash, expiry, age=0):
        tags = Tags([
            Tag(TagChar.payment_hash, payment_hash), Tag(TagChar.payment_secret, os.urandom(32).hex()),
            Tag(TagChar.description, "wallet-test"), Tag(TagChar.expire_time, expiry),
            Tag(TagChar.min_final_cltv_expiry, 40),
            Tag(TagChar.features, bolt11.Features.from_feature_list({
                bolt11.Feature.var_onion_optin: bolt11.FeatureState.required,
                bolt11.Feature.payment_secret: bolt11.FeatureState.required})),
        ])
        amount = None if msat is None else MilliSatoshi(msat)
        return bolt11.encode(Bolt11("bc", int(time.time()) - age, tags, amount), os.urandom(32).hex())

    def send(self, payment_hash):
        plan, seconds = self.plans[payment_hash]
        with self.lock:
            self.sends[payment_hash] = self.sends.get(payment_hash, 0) + 1
            self.states.setdefault(payment_hash, time.time() + seconds)
        while time.time() < self.states[payment_hash]:
            time.sleep(0.02)
        return self.status(payment_hash)

    def status(self, payment_hash):
        end = self.states.get(payment_hash)
        if end is None:
            return {"error": {"code": 5, "message": "payment isn't initiated", "details": []}}
        result = {"payment_hash": payment_hash, "fee_msat": "0", "payment_preimage": "0" * 64, "status": "IN_FLIGHT"}
        if time.time() >= end:
            if self.plans[payment_hash][0] == "pays":
                result |= {"status": "SUCCEEDED", "payment_preimage": self.preimages[payment_hash], "fee_msat": "1500"}
            else:
                result |= {"status": "FAILED", "failure_reason": "FAILURE_REASON_NO_ROUTE"}
        return {"result": result}


class LNbits:
    """The server, which can be killed and started again with the same data."""

    def __init__(self, folder, node):
        self.folder, self.port, self.lock = folder, free_port(), threading.RLock()
        os.makedirs(folder + "/extensions", exist_ok=True)
        self.environment = os.environ | {
            "LNBITS_DATA_FOLDER": folder + "/data", "LNBITS_EXTENSIONS_PATH": folder + "/extensions",
            "LNBITS_BACKEND_WALLET_CLASS": "LndRestWallet", "LND_REST_ENDPOINT": f"http://127.0.0.1:{node.port}/",
            "LND_REST_MACAROON": "0201", "LNBITS_ADMIN_UI": "false", "LNBITS_RATE_LIMIT_NO": "100000",
            "LNBITS_FUNDING_SOURCE_PAY_INVOICE_WAIT_SECONDS": "1",
        }
        self.process = None
        self.starts = 0

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        with self.lock:
            packages = next(p for p in site.getsitepackages() if os.path.isdir(p + "/lnbits"))
            self.process = subprocess.Popen(
                [sys.executable, "-c", "from lnbits.server import main; main()", "--host", "127.0.0.1",
                 "--port", str(self.port)],
                cwd=packages, env=self.environment, stdout=open(self.folder + "/server.log", "ab"),
                stderr=subprocess.STDOUT, start_new_session=True)
            self.starts += 1
            end = time.time() + 240
            while True:
                try:
                    self.call("GET", "/api/v1/health")
                    return
                except (OSError, urllib.error.URLError):
                    if self.process.poll() is not None or time.time() > end:
                        raise SystemExit("wallet-test: LNbits did not start; see " + self.folder + "/server.log")
                    time.sleep(0.1)

    def kill(self):
        with self.lock:
            # The server itself is a child of the process that was started.
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            end = time.time() + 20
            while self.listens():
                if time.time() > end:
                    raise SystemExit("wallet-test: LNbits was killed and still listens; nothing was tested")
                time.sleep(0.01)

    def listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def restart(self):
        with self.lock:
            self.kill()
            self.start()

    def stop(self):
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def call(self, method, path, key=None, body=None):
        request = urllib.request.Request(self.url + path, method=method)
        request.add_header("Content-Type", "application/json")
        if key:
            request.add_header("X-Api-Key", key)
        try:
            with urllib.request.urlopen(request, json.dumps(body).encode() if body else None, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"null")

    def account(self, name, satoshi=0):
        account = self.call("POST", "/api/v1/account", body={"name": name})[1]
        if satoshi:
            # A payment that came in before: the server reads its balance from these rows.
            name, now = uuid.uuid4().hex * 2, int(time.time())
            with sqlite3.connect(self.folder + "/data/database.sqlite3", timeout=30) as database:
                database.execute(
                    "INSERT INTO apipayments (checking_id,payment_hash,wallet_id,amount,fee,status,memo,bolt11,extra,"
                    "time,created_at,updated_at) VALUES (?,?,?,?,0,'success','top-up','','{}',?,?,?)",
                    ("internal_" + name, name, account["id"], satoshi * 1000, now, now, now))
            database.close()
        return account

    def invoice(self, account, satoshi, expiry=3600):
        body = {"out": False, "amount": satoshi, "unit": "sat", "memo": "m", "expiry": expiry}
        answer = self.call("POST", "/api/v1/payments", account["inkey"], body)[1]
        return answer["bolt11"], answer["payment_hash"]

    def payments(self, account):
        """The wallet's own list, with what failed: hash, status and amount of everything that went out."""
        rows, offset = [], 0
        while True:
            path = f"/api/v1/payments/paginated?limit=200&offset={offset}"
            page = self.call("GET", path, account["adminkey"])[1]["data"]
            rows += [row for row in page if row["amount"] < 0]
            if len(page) < 200:
                return rows
            offset += 200

    def recheck(self, account, payment_hash):
        self.call("GET", "/api/v1/payments/" + payment_hash, account["adminkey"])
