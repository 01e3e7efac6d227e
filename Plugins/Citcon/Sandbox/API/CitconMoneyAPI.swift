import PaymentCore
import PaymentTesting

/// A merchant's operations on charges: capture, cancellation, refund.
extension CitconSandbox {
    /// Returns the charge that a request names, and the request's own reference, which must be new.
    private func subject(
        _ request: HTTPRequest, _ permission: String
    ) throws(CitconSandboxError) -> (body: JSONValue, charge: CitconCharge, reference: String) {
        try tokens.check(request.headers, for: permission, now: now)
        let body = try CitconRequests.body(request)
        let reference = try CitconRequests.reference(body["reference"])
        guard let id = body["id"]?.string, let token = tokensByID[id] else { throw .notFound }
        let charge = try charge(token)
        if let named = try CitconRequests.text(body["transaction_reference"]), named != charge.reference {
            throw .badRequest
        }
        guard references[reference] == nil else { throw .duplicate }
        return (body, charge, reference)
    }

    func capture(_ request: HTTPRequest) throws(CitconSandboxError) -> HTTPResponse {
        let (body, charge, reference) = try subject(request, "capture")
        let amount = try body["amount"].map { value throws(CitconSandboxError) in try CitconRequests.amount(value) }
        guard charge.status == .authorized, amount ?? 0 <= charge.amount else { throw .badRequest }
        let capture = CitconCharge.Movement(
            id: ids.transaction(), reference: reference, amount: amount ?? charge.amount, time: now)
        references[reference] = charge.token
        tokensByID[capture.id] = charge.token
        charges[charge.token]?.captures.append(capture)
        charges[charge.token]?.amountCaptured = capture.amount
        move(charge.token, to: .succeeded)
        return reported(view(capture: capture, of: charge))
    }

    func cancel(_ request: HTTPRequest) throws(CitconSandboxError) -> HTTPResponse {
        // The service names no permission for it; apps, whose tokens have few permissions, never do it.
        let (_, charge, reference) = try subject(request, "refund")
        guard charge.status.allows(.canceled) else { throw .badRequest }
        references[reference] = charge.token
        move(charge.token, to: .canceled)
        return reported([
            "id": .text(charge.id), "object": "cancel", "reference": .text(reference),
            "amount": .number(charge.amount), "currency": .text(charge.currency),
            "time_created": .number(configuration.layer.stamp(now)), "country": .text(charge.country),
            "payment": ["method": .text(orNull: charge.method), "type": "", "data": ["pan": ""]],
            "status": "canceled",
        ])
    }

    func refund(_ request: HTTPRequest) throws(CitconSandboxError) -> HTTPResponse {
        let (body, charge, reference) = try subject(request, "refund")
        let amount = try CitconRequests.amount(body["amount"])
        guard charge.status == .succeeded, amount <= charge.amountCaptured - charge.amountRefunded else {
            throw .refundFailed
        }
        let refund = CitconCharge.Movement(id: ids.transaction(), reference: reference, amount: amount, time: now)
        references[reference] = charge.token
        tokensByID[refund.id] = charge.token
        charges[charge.token]?.refunds.append(refund)
        record(charge.id, .refunded(amount: charge.worth(amount)))
        notify(about: refund, of: charge)
        return reported(view(refund, of: charge))
    }
}
