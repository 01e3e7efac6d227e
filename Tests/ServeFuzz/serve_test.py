"""Calls `payroute serve` in every way that its own description allows, and in many that it does not, with schemathesis.

    serve_test.py PAYROUTE [EXAMPLES] [SEED]

Two tenants use the server. The fuzzer has the token of one, with all scopes; the other has paid before. No answer may
be a 5xx, of another form than described, or late; none may hold a token, a path of this machine, or anything of the
other tenant. Afterwards the server answers as before, with as many open files, and the other tenant's payment is as it
was.
"""

import hashlib
import json
import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

# A step that is stopped leaves no server behind.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
payroute, examples, seed = sys.argv[1], (sys.argv + ["100"])[2], (sys.argv + ["", "", "1"])[3] or "1"
folder = pathlib.Path(tempfile.mkdtemp(prefix="serve-test-"))
here = pathlib.Path(__file__).parent
failures, processes = [], []


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what, flush=True)


def started(name, *words):
    """Starts a server, and returns it with its address once it can be called."""
    ready = folder / f"{name}.ready"
    log = open(folder / f"{name}.log", "w")
    process = subprocess.Popen([payroute, *words, "--ready-file", str(ready)], stdout=log, stderr=log)
    processes.append(process)
    for _ in range(600):
        if ready.exists() and ready.read_text().strip():
            return process, json.loads(ready.read_text())["url"].rstrip("/")
        if process.poll() is not None:
            sys.exit(f"{name} ended: {(folder / f'{name}.log').read_text()}")
        time.sleep(0.1)
    sys.exit(f"{name} is not ready")


def call(method, path, token, body=None, headers={}):
    """Returns the status and the text of an answer, and the seconds that it took."""
    begun = time.monotonic()
    request = urllib.request.Request(
        server + path, method=method, data=json.dumps(body).encode() if body is not None else None,
        headers={"Authorization": "Bearer " + token, "Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=70) as answer:
            return answer.status, answer.read().decode(), time.monotonic() - begun
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), time.monotonic() - begun


def open_files(process):
    return len(os.listdir(f"/proc/{process.pid}/fd")) if os.path.isdir("/proc/self/fd") else 0


def main():
    global server
    tokens = {name: "tok-" + secrets.token_hex(24) for name in ("fuzzed", "other")}
    lines = [f"{name} {hashlib.sha256(token.encode()).hexdigest()} read,pay,refund,notify\n"
             for name, token in tokens.items()]
    with open(os.open(folder / "tokens", os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
        file.writelines(lines)
    _, sandbox = started("sandbox", "sandbox", "--port", "0", "--seed", seed)
    process, server = started(
        "serve", "serve", "--port", "0", "--journal", str(folder / "payments.db"), "--sandbox", sandbox, "--tokens",
        str(folder / "tokens"))

    def link(scenario):
        words = [payroute, "sandbox", "new", scenario, "--sandbox", sandbox]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()[0]

    key = "key-" + secrets.token_hex(12)
    status, text, _ = call(
        "POST", "/v1/payments", tokens["other"], {"link": link("walletconnect-pay/paid-at-once")},
        {"Idempotency-Key": key})
    expect(status == 201, f"the other tenant's payment was not begun: {status} {text}")
    other = json.loads(text)["id"]
    before = json.loads(call("GET", f"/v1/payments/{other}?wait=5", tokens["other"])[1])
    # Something to find: payments that wait for their payer, and such as have ended.
    waiting, ended = {}, []
    for number in range(24):
        body = {"link": link("walletconnect-pay/paid-at-once")}
        if number >= 4:
            body["accounts"] = ["eip155:1:0x70997970C51812dc3A010C7d01b50e0d17dc79C8"]
        text = call("POST", "/v1/payments", tokens["fuzzed"], body, {"Idempotency-Key": f"key-{number}"})[1]
        made = json.loads(call("GET", f"/v1/payments/{json.loads(text)['id']}?wait=5", tokens["fuzzed"])[1])
        expect(made["state"] == ("waiting" if number >= 4 else "ended"), f"a payment is {made}")
        if made["action"]:
            waiting[made["id"]] = made["action"]["id"]
        else:
            ended.append(made["id"])
    files = open_files(process)

    known = folder / "known.json"
    known.write_text(json.dumps({
        "secrets": [*tokens.values(), *(line.split()[1] for line in lines), other, key, str(folder), "Fatal error"],
        "waiting": waiting, "ended": ended,
        "links": [link("walletconnect-pay/paid-at-once"), "bitcoin:tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx?amount=1"]}))
    answer = subprocess.run(
        [str(pathlib.Path(sys.executable).parent / "schemathesis"), "run", server + "/openapi.json",
         "-H", "Authorization: Bearer " + tokens["fuzzed"], "--checks", "all",
         # What is refused for its meaning only, such as a text that leads nowhere, no description can say.
         "--exclude-checks", "positive_data_acceptance", "--max-examples", examples,
         "--seed", seed, "--request-timeout", "65", "--continue-on-failure", "--no-color"],
        cwd=folder, env={**os.environ, "SCHEMATHESIS_HOOKS": "serve_hooks", "PYTHONPATH": str(here),
                         "SERVE_TEST_KNOWN": str(known), "PYTHONDONTWRITEBYTECODE": "1"})
    expect(answer.returncode == 0, f"schemathesis ended with {answer.returncode}")

    # Callers that leave in the middle of their events.
    for payment in waiting:
        stream = urllib.request.urlopen(urllib.request.Request(
            server + f"/v1/payments/{payment}/events", headers={"Authorization": "Bearer " + tokens["fuzzed"]}), timeout=20)
        expect(stream.readline().startswith(b"event: "), "no event comes first")
        stream.close()

    expect(process.poll() is None, f"the server ended: {(folder / 'serve.log').read_text()[-2000:]}")
    status, _, seconds = call("GET", "/health", tokens["fuzzed"])
    expect(status == 200 and seconds < 5, f"afterwards its health was {status}, after {seconds:.1f} s")
    metrics = call("GET", "/metrics", tokens["fuzzed"])[1]
    answers = {line.split('"')[1]: int(line.rsplit(" ", 1)[1]) for line in metrics.splitlines()
               if line.startswith("payroute_http_answers_total{")}
    expect(answers and not any(status.startswith("5") for status in answers), f"it answered {answers}")
    after = json.loads(call("GET", f"/v1/payments/{other}", tokens["other"])[1])
    if before["state"] != "running":
        expect(after == before, f"the other tenant's payment became {after}")
    for _ in range(100):
        if open_files(process) <= files + 8:
            break
        time.sleep(0.1)
    expect(open_files(process) <= files + 8, f"{open_files(process)} files are open, and {files} were before")
    process.send_signal(signal.SIGTERM)
    expect(process.wait(60) == 0, "it did not end in good order")
    log = (folder / "serve.log").read_text()
    expect(all(token not in log for token in tokens.values()), "a token was printed")
    print(f"serve-test: {sum(answers.values())} calls, {len(failures)} failures")
    return len(failures)


try:
    code = 1 if main() else 0
finally:
    for process in processes:
        process.kill()
        process.wait()
if code == 0:
    shutil.rmtree(folder)
sys.exit(code)
