#!/usr/bin/env python3
"""Pays by `payroute serve` with a client that openapi-python-client generates from its description.

    generated_client.py FOLDER-OF-PROGRAMS

Nothing of the client is ours: what it lacks or cannot read, the description lacks or describes wrongly.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

PAYROUTE = str(pathlib.Path(sys.argv[1]).resolve() / "payroute")
GENERATOR = str(pathlib.Path(sys.executable).parent / "openapi-python-client")


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


def generate(folder, server):
    """Generates the client; anything that the generator leaves out is a failure."""
    description = folder / "openapi.json"
    description.write_bytes(urllib.request.urlopen(server + "/openapi.json").read())
    words = ["generate", "--path", str(description), "--output-path", str(folder / "client"), "--meta", "none"]
    out = subprocess.run([GENERATOR, *words], capture_output=True, text=True)
    said = out.stdout + out.stderr
    assert out.returncode == 0 and "WARNING" not in said and "Unable" not in said, said
    sys.path.insert(0, str(folder))


def pay(server, link):
    """Pays a link once, by two requests with one key, and answers what the payment asks for."""
    from client import Client
    from client.api.default import (
        get_ready, get_v1_payments, get_v1_payments_id, post_v1_payments, post_v1_payments_id_actions_action,
        post_v1_readings)
    from client.models import ActionKind, Answer, Error, HealthStatus, PaymentRequest, PaymentState, Text

    client = Client(base_url=server)
    assert get_ready.sync(client=client).status == HealthStatus.READY
    assert post_v1_readings.sync(client=client, body=Text(text=link)).reading.kind == "payment"
    request = PaymentRequest(link=link)
    payment = post_v1_payments.sync(client=client, body=request, idempotency_key="order-7")
    again = post_v1_payments.sync(client=client, body=request, idempotency_key="order-7")
    assert payment.id == again.id
    other = PaymentRequest(link="https://shop.example/other")
    refused = post_v1_payments.sync(client=client, body=other, idempotency_key="order-7")
    assert isinstance(refused, Error) and refused.error.code == "key-reused", refused
    for _ in range(20):
        payment = get_v1_payments_id.sync(payment.id, client=client, wait=30)
        if payment.state != PaymentState.WAITING:
            break
        assert payment.action.kind == ActionKind.CHOOSE, payment
        option = next(option for option in payment.action.options if not option.unmet)
        answer = Answer(option=option.id)
        post_v1_payments_id_actions_action.sync(payment.id, payment.action.id, client=client, body=answer)
    assert payment.state == PaymentState.ENDED and payment.outcome.outcome == "succeeded", payment
    assert [listed.id for listed in get_v1_payments.sync(client=client).payments] == [payment.id]
    return payment


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
            generate(folder, url)
            new = subprocess.run(
                [PAYROUTE, "sandbox", "new", "walletconnect-pay/paid-at-once", "--sandbox", address],
                capture_output=True, text=True, check=True)
            payment = pay(url, new.stdout.split()[0])
            print(f"a generated client paid {payment.amount} {payment.unit}, once for its key")
        finally:
            for process in reversed(processes):
                process.terminate()
                process.wait(60)


main()
