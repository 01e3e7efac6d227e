"""What schemathesis checks beside its own rules: no answer says what its caller may not know. Some of the ids that it
calls with are those of payments that exist."""

import json
import os
import pathlib

import schemathesis

known = json.loads(pathlib.Path(os.environ["SERVE_TEST_KNOWN"]).read_text())


@schemathesis.check
def says_no_secret(ctx, response, case):
    text = response.text + str(response.headers)
    for secret in known["secrets"]:
        assert secret not in text, "the answer holds what this caller may not know"


def chosen(values, by):
    """Returns one of some values for about each second text, always the same for the same text; otherwise None."""
    number = sum(str(by).encode())
    return values[number // 2 % len(values)] if number % 2 == 0 else None


@schemathesis.hook
def map_path_parameters(ctx, path_parameters):
    if not path_parameters or "id" not in path_parameters:
        return path_parameters
    # The events of a payment that waits have no end.
    is_endless = ctx.operation.path.endswith("/events")
    payment = chosen(known["ended"] if is_endless else list(known["waiting"]), path_parameters["id"])
    if payment is None:
        return path_parameters
    if "action" in path_parameters and chosen([True], path_parameters["action"]):
        return {**path_parameters, "id": payment, "action": known["waiting"][payment]}
    return {**path_parameters, "id": payment}


@schemathesis.hook
def map_body(ctx, body):
    if not isinstance(body, dict):
        return body
    for member in ("link", "text"):
        # An empty one breaks the description, and stays so.
        if isinstance(text := body.get(member), str) and text and (link := chosen(known["links"], text)):
            # Without an account a payment ends soon, and nothing waits for a payer who never answers.
            return {name: value for name, value in {**body, member: link}.items() if name != "accounts"}
    return body
