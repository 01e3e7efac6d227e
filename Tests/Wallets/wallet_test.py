"""Pays from a real LNbits with `payroute pay` and `payroute serve`, while processes are killed. The wallet's own list is
the oracle.

    wallet_test.py PAYROUTE [KILLS] [SEED]

SERVE_KILLS is the number of kills of `payroute serve`, without it two for each of the others.
"""

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

from lnbits import LNbits, Node

# A step that is stopped leaves no server behind.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
payroute, kills, seed = sys.argv[1], int((sys.argv + ["100"])[2]), int((sys.argv + ["", "", "0"])[3] or 0)
chance = random.Random(seed)
folder = tempfile.mkdtemp(prefix="wallet-test-")
node, failures, claims, counts = Node(), [], {}, {}
# The invoices that a program which knows nothing of ours has requested, too.
requested_elsewhere = set()
server, served = LNbits(folder, node), None


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what, flush=True)


class Payer:
    """One program with a journal: `payroute pay` in its own process each time."""

    def __init__(self, name, key):
        self.name, self.journal, self.key = name, f"{folder}/{name}.db", f"{folder}/{name}.key"
        with open(os.open(self.key, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(key + "\n")

    def begin(self, invoice, *options):
        address = server.url.replace("http://", "lnbits://")
        return subprocess.Popen(
            [payroute, "pay", invoice, "--wallet", address, "--wallet-key-file", self.key, "--journal", self.journal,
             "--json", "--yes", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self, process):
        """Returns the outcome that the program states, and its reason; None where it stated nothing."""
        output, errors = process.communicate(timeout=180)
        expect(self.secret not in output + errors, "the key was printed")
        lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
        last = next((line for line in reversed(lines) if "outcome" in line), None)
        return (last["outcome"], last.get("reason", "")) if last else (None, errors.strip()[-300:])

    @property
    def secret(self):
        return open(self.key).read().strip()

    def pay(self, invoice, *options):
        return self.end(self.begin(invoice, *options))

    def settle(self, invoice, tries=2):
        for _ in range(tries):
            outcome = self.pay(invoice)
            if outcome[0] not in ("unknown", "pending", None):
                break
        return outcome


class Served:
    """`payroute serve` with the wallet, which is killed and started again with its journal."""

    def __init__(self, payer, names):
        self.payer, self.url, self.process = payer, None, None
        self.tokens = {name: os.urandom(24).hex() for name in names}
        with open(os.open(f"{folder}/tokens", os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            for name, token in self.tokens.items():
                file.write(f"{name} {hashlib.sha256(token.encode()).hexdigest()} read,pay\n")

    def start(self):
        ready, log = f"{folder}/serve.ready", open(f"{folder}/serve.log", "ab")
        if os.path.exists(ready):
            os.remove(ready)
        self.process = subprocess.Popen(
            [payroute, "serve", "--port", "0", "--journal", f"{folder}/serve.db", "--tokens", f"{folder}/tokens",
             "--wallet", server.url.replace("http://", "lnbits://"), "--wallet-key-file", self.payer.key,
             "--ready-file", ready], stdout=log, stderr=log)
        for _ in range(1200):
            if os.path.exists(ready) and (text := open(ready).read().strip()):
                self.url = json.loads(text)["url"].rstrip("/")
                return
            if self.process.poll() is not None:
                raise SystemExit(f"payroute serve ended: {open(log.name).read()[-500:]}")
            time.sleep(0.05)
        raise SystemExit("payroute serve is not ready")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        count("kills of serve")

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=60)


class Tenant:
    """A program that pays by `payroute serve`, with one key for each invoice, and asks again whenever nothing answers."""

    def __init__(self, name, served):
        self.name, self.served, self.ids = name, served, {}

    def call(self, method, path, body=None, key=None):
        request = urllib.request.Request(self.served.url + path, method=method)
        request.add_header("Authorization", "Bearer " + self.served.tokens[self.name])
        request.add_header("Content-Type", "application/json")
        if key:
            request.add_header("Idempotency-Key", key)
        try:
            with urllib.request.urlopen(request, json.dumps(body).encode() if body else None, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return {"status": error.code, "error": error.read().decode()}

    def pay(self, invoice, seconds=60):
        """Returns the outcome that the server states for the key, and its reason; None where it states none in time."""
        end, said = time.time() + seconds, None
        body = {"link": invoice, "limits": [{"amount": "1000", "unit": "sat"}]}
        while time.time() < end:
            try:
                said = self.call("POST", "/v1/payments", body, "key-" + invoice[-40:])
                if "id" not in said:
                    expect(False, f"{self.name} may not begin a payment: {said}")
                    break
                expect(self.ids.setdefault(invoice, said["id"]) == said["id"], f"{self.name}: a key has two payments")
                said = self.call("GET", f"/v1/payments/{said['id']}?wait=5")
                if said.get("state") == "ended":
                    return said["outcome"]["outcome"], said["outcome"]["reason"]
                if said.get("state") == "interrupted":
                    self.call("POST", f"/v1/payments/{said['id']}/resume")
                    time.sleep(0.2)
            except OSError:
                time.sleep(0.05)
        return None, str(said)[-300:]

    def settle(self, invoice, tries=1):
        return self.pay(invoice, 5 * tries)


def claim(payer, invoice, payment_hash, outcome):
    """Keeps what a program states last, and that it may not take back what it stated as final."""
    known = claims.setdefault(payment_hash, {})
    before = known.get(payer.name, (invoice, payer, "unknown"))[2]
    expect(before != "succeeded" or outcome[0] == "succeeded", f"{payment_hash}: succeeded became {outcome}")
    known[payer.name] = (invoice, payer, outcome[0], outcome[1])


def count(what):
    counts[what] = counts.get(what, 0) + 1


def fresh(payee, slow=True):
    """An invoice on the same server, or elsewhere by one of the plans."""
    kind = chance.random()
    if kind < 0.4:
        return server.invoice(payee, chance.randint(1, 50))
    plan = "pays" if kind < 0.85 else "fails"
    return node.invoice(chance.randint(1, 50), plan, chance.choice([0, 0, 0.1, 0.5, 2.0 if slow else 0.2]))


def in_order(payee, payer):
    for _ in range(5):
        invoice, payment_hash = server.invoice(payee, 21)
        outcome = payer.pay(invoice)
        expect(outcome[0] == "succeeded", f"an invoice was not paid: {outcome}")
        claim(payer, invoice, payment_hash, outcome)
        claim(payer, invoice, payment_hash, payer.pay(invoice))
        count("paid again by the same program")
    slow, slow_hash = node.invoice(30, "pays", 40)
    outcome = payer.pay(slow)
    expect(outcome[0] in ("unknown", "pending"), f"what is in flight is {outcome}")
    time.sleep(30)
    claim(payer, slow, slow_hash, payer.settle(slow, 4))
    expect(claims[slow_hash][payer.name][2] == "succeeded", f"what was in flight is {claims[slow_hash][payer.name]}")
    count("in flight for long")


def contact(payee, wallet):
    """Has the example pay a payee of Paykit, who publishes an invoice: once, though it is asked twice."""
    invoice, payment_hash = server.invoice(payee, 2100)
    program = os.path.join(os.path.dirname(payroute), "paykit-contacts")
    environment = os.environ | {
        "LNBITS_URL": server.url, "LNBITS_KEY": wallet["adminkey"], "LNBITS_INVOICE": invoice}
    run = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=180)
    expect(run.returncode == 0, f"paykit-contacts failed: {run.stderr.strip()[-300:]}")
    expect(wallet["adminkey"] not in run.stdout + run.stderr, "the key was printed by paykit-contacts")
    shown = run.stdout.split("at LNbits:\n", 1)[-1].split("\n\n", 1)[0]
    expect(
        "paid 0.00002100" in shown.splitlines()[0] and "declined" in shown.splitlines()[-1],
        f"a payee of Paykit was not paid once: {shown}")
    statuses = [row["status"] for row in server.payments(wallet) if row["payment_hash"] == payment_hash]
    expect(statuses == ["success"], f"the wallet has {statuses} for a payee of Paykit")
    count("payee of Paykit")


def measure(payee, wallet):
    """Returns our part of the time of a payment, in percent: the rest is the wait for the server. For that the program
    `Benchmarks`, named by BENCHMARKS, is built for release."""
    program = os.environ.get("BENCHMARKS")
    if not program:
        return "?"
    environment = os.environ | {
        "LNBITS_URL": server.url, "LNBITS_KEY": wallet["adminkey"], "LNBITS_PAYEE_KEY": payee["inkey"]}
    run = subprocess.run([program, "wallet"], env=environment, capture_output=True, text=True, timeout=600)
    expect(run.returncode == 0, f"the payments that are measured failed: {run.stderr.strip()[-300:]}")
    expect(wallet["adminkey"] not in run.stdout + run.stderr, "the key was printed by Benchmarks")
    print(run.stdout.strip(), flush=True)
    return run.stdout.split()[-1] if run.returncode == 0 else "?"


def refusals(payee, payer, poor):
    def refused(invoice, payment_hash, by, what):
        outcome = by.pay(invoice)
        expect(outcome[0] not in ("succeeded", "unknown", "pending"), f"{what}: {outcome}")
        claim(by, invoice, payment_hash, outcome)
        count(what)

    refused(*node.invoice(21, "pays", expiry=60, age=3600), payer, "expired, elsewhere")
    invoice = server.invoice(payee, 21, expiry=1)
    time.sleep(2)
    refused(*invoice, payer, "expired, on the same server")
    invoice, payment_hash = node.invoice(None, "pays")
    outcome = payer.pay(invoice, "--amount", "21")
    expect(outcome[0] not in ("succeeded", "unknown", "pending"), f"amountless: {outcome}")
    claim(payer, invoice, payment_hash, outcome)
    count("amountless")
    refused(*server.invoice(payee, 21), Payer("stranger", "0" * 32), "wrong key")
    refused(*server.invoice(payee, 21), Payer("reader", payee["inkey"]), "key for invoices only")
    refused(*server.invoice(payee, 21), poor, "too little balance")
    refused(*node.invoice(21, "pays"), poor, "too little balance, elsewhere")
    # LNbits may correct what it calls failed.
    invoice, payment_hash = node.invoice(21, "fails")
    outcome = payer.pay(invoice)
    expect(outcome[0] == "unknown" and "says that the payment failed" in outcome[1], f"no route: {outcome}")
    claim(payer, invoice, payment_hash, outcome)
    count("no route")


def doubles(payee, payers, other):
    for _ in range(max(4, kills // 5)):
        invoice, payment_hash = fresh(payee)
        running = [(payer, payer.begin(invoice)) for payer in payers for _ in range(2)]
        if chance.random() < 0.5:
            # A program that knows nothing of ours, with the same wallet.
            requested_elsewhere.add(payment_hash)
            threading.Thread(target=server.call, args=(
                "POST", "/api/v1/payments", other, {"out": True, "bolt11": invoice})).start()
            count("requested by another program as well")
        for payer, process in running:
            payer.end(process)
        for payer in payers:
            claim(payer, invoice, payment_hash, payer.settle(invoice))
        count("paid at the same time by two programs, twice each")


def killed(payee, payer, duration, is_server):
    for _ in range(kills):
        invoice, payment_hash = fresh(payee, slow=not is_server)
        process = payer.begin(invoice)
        time.sleep(chance.random() * duration)
        if is_server:
            server.restart()
            outcome = payer.end(process)
            count("kills of the server")
        else:
            process.send_signal(signal.SIGKILL)
            outcome = payer.end(process)
            count("kills of our process")
        if outcome[0] in ("unknown", "pending", None):
            outcome = payer.pay(invoice)
        claim(payer, invoice, payment_hash, outcome)


def served_and_killed(payee, served, tenants, duration):
    """Kills the server twice in each round, while its tenants pay the same invoice or each one of its own."""
    for _ in range(int(os.environ.get("SERVE_KILLS") or 2 * kills) // 2):
        known, running = fresh(payee, slow=False), []
        for tenant in tenants:
            invoice, payment_hash = known if chance.random() < 0.4 else fresh(payee, slow=False)

            results = []

            def run(tenant=tenant, invoice=invoice, payment_hash=payment_hash, results=results):
                results.append((tenant, invoice, payment_hash, tenant.pay(invoice, 30)))

            running.append((threading.Thread(target=run), results))
        for thread, _ in running:
            thread.start()
        for _ in range(2):
            time.sleep(chance.random() * duration)
            served.kill()
            served.start()
        for thread, results in running:
            thread.join()
            for result in results:
                claim(*result)


def judge(wallet, payers):
    open_ones = [
        (payer, invoice, payment_hash) for payment_hash, known in claims.items()
        for invoice, payer, outcome, *_ in known.values() if outcome in ("unknown", "pending", None)]
    for payer, invoice, payment_hash in open_ones:
        server.recheck(wallet, payment_hash)
        claim(payer, invoice, payment_hash, payer.settle(invoice, 3))
    rows = {}
    for row in server.payments(wallet):
        rows.setdefault(row["payment_hash"], []).append(row["status"])
    for payment_hash, known in claims.items():
        statuses = rows.get(payment_hash, [])
        expect(statuses.count("success") <= 1, f"{payment_hash} was paid {statuses.count('success')} times")
        expect(node.sends.get(payment_hash, 0) <= 1, f"{payment_hash} was sent {node.sends.get(payment_hash)} times")
        for _, payer, outcome, reason in known.values():
            if payer not in payers:
                expect(outcome != "succeeded", f"{payment_hash} was paid by {payer.name}")
                continue
            what = f"{payment_hash} of {payer.name}: stated {outcome} ({reason}), the wallet has {statuses}"
            if outcome == "succeeded":
                expect("success" in statuses, what)
            elif "was paid before, by another payment" in reason:
                others = any(o[1] is not payer and o[2] == "succeeded" for o in known.values())
                expect("success" in statuses and (others or payment_hash in requested_elsewhere), what)
                count("stated as paid by another payment")
            elif "for another program or device" in reason:
                expect(statuses and (len(known) > 1 or payment_hash in requested_elsewhere), what)
                count("stated as left to another device")
            elif outcome in ("unknown", "pending", None):
                # A server that was killed between storing a payment and sending it never learns what became of it, what
                # it calls failed it may correct, and a request that was lost may wait in its queue: a person ends these.
                expect("success" not in statuses, what)
                count("left open for a person: " + (statuses[0] if statuses else "no record"))
            else:
                expect("success" not in statuses and "pending" not in statuses, what)
    count_of = {status: sum(s.count(status) for s in rows.values()) for status in ("success", "pending", "failed")}
    print("the wallet's own list:", count_of, flush=True)


try:
    server.start()
    a, b = server.account("A", 10_000_000), server.account("B")
    c = server.account("C", 5)
    payer, second, poor = Payer("first", a["adminkey"]), Payer("second", a["adminkey"]), Payer("poor", c["adminkey"])
    begun = time.time()
    in_order(b, payer)
    contact(b, a)
    invoice, payment_hash = server.invoice(b, 3)
    start = time.time()
    claim(payer, invoice, payment_hash, payer.pay(invoice))
    duration = (time.time() - start) * 1.2
    share = measure(b, a)
    refusals(b, payer, poor)
    doubles(b, [payer, second], a["adminkey"])
    killed(b, payer, duration, is_server=False)
    killed(b, payer, duration, is_server=True)
    served = Served(payer, ["shop", "till"])
    served.start()
    tenants = [Tenant(name, served) for name in served.tokens]
    served_and_killed(b, served, tenants, duration)
    judge(a, [payer, second, *tenants])
    judged = server.payments(c)
    expect(not any(row["status"] == "success" for row in judged), "the poor wallet paid")
    for what, number in sorted(counts.items()):
        print(f"{number:6} {what}")
    paid = sum(o[2] == "succeeded" for known in claims.values() for o in known.values())
    print(
        f"wallet-test: {len(claims)} invoices, {paid} stated as paid, {kills} kills of each side, "
        f"{len(failures)} false, {share} % of a payment's time is ours, seed {seed}, {int(time.time() - begun)} s")
finally:
    served and served.stop()
    server.stop()
    if failures:
        print("kept:", folder)
    else:
        shutil.rmtree(folder, ignore_errors=True)
sys.exit(1 if failures else 0)
