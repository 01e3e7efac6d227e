import PaymentCore
import PaymentTesting

/// The status of a charge, a capture or a refund.
extension CitconSandbox {
    func inquire(_ request: HTTPRequest, _ name: String) throws(CitconSandboxError) -> HTTPResponse {
        try tokens.check(request.headers, for: "inquiry", now: now)
        let type = QueryItems(Substring(request.url.query ?? "")).values("type").first
        guard type == nil || type == "reference" else { throw .badRequest }
        guard let token = type == nil ? tokensByID[name] : references[name] else { throw .notFound }
        let charge = try charge(token)
        if let paidAt = charge.capturedAt, now - paidAt < charge.plan?.silence ?? 0 { throw .withheld }
        // It is unknown if the service finds captures and refunds this way. It does not report a charge's parts.
        if let refund = charge.refunds.first(where: { $0.id == name || $0.reference == name }) {
            return reported(view(refund, of: charge))
        }
        if let capture = charge.captures.first(where: { $0.id == name || $0.reference == name }) {
            return reported(view(capture: capture, of: charge))
        }
        return reported(inquiry(charge))
    }

    private func inquiry(_ charge: CitconCharge) -> WireJSON {
        let layer = configuration.layer
        let exchange: WireJSON =
            charge.method == "paypal"
            ? ["amount": .number(charge.amount), "currency": .text(charge.currency), "rate": 1]
            : ["amount": nil, "currency": nil, "rate": nil]
        return [
            "id": .text(charge.id), "object": "charge", "amount": .number(charge.amount),
            "currency": .text(charge.currency), "status": .text(charge.status.rawValue),
            "time_canceled": charge.canceledAt.map { .number(layer.stamp($0)) } ?? "", "expiry": nil,
            "time_created": .number(layer.stamp(charge.createdAt)), "country": .text(charge.country),
            "reference": .text(charge.reference),
            "amount_captured": .number(orNull: charge.amountCaptured > 0 ? charge.amountCaptured : nil),
            "amount_refunded": .number(orNull: charge.refunds.isEmpty ? nil : charge.amountRefunded),
            "time_captured": .number(orNull: charge.capturedAt.map(layer.stamp)),
            "auto_capture": .value(.bool(charge.autoCapture)),
            "payment": [
                "method": .text(orNull: charge.method), "token": .text(orNull: charge.stored), "type": "",
                "data": ["pan": .text(charge.maskedPAN), "expiry": .text(charge.cardExpiry)],
            ], "exchange": exchange,
            "captures": ["data": .array(charge.captures.map { view(capture: $0, of: charge) })],
            "refunds": ["data": .array(charge.refunds.map { view($0, of: charge) })],
            "chargebacks": ["data": .array(charge.dispute.map { [view($0, of: charge)] } ?? [])],
        ]
    }

    /// `data` of a refund. Recordings show only full refunds, whose two amounts are equal.
    func view(_ refund: CitconCharge.Movement, of charge: CitconCharge) -> WireJSON {
        [
            "id": .text(refund.id), "object": "refund", "reference": .text(refund.reference),
            "amount": .number(refund.amount), "amount_refunded": .number(refund.amount),
            "currency": .text(charge.currency), "country": .text(charge.country),
            "time_created": .number(configuration.layer.stamp(refund.time)),
            "payment": ["method": .text(orNull: charge.method)], "status": "succeeded",
            "time_completed": .number(configuration.layer.stamp(refund.time)),
            "exchange": ["amount": .number(refund.amount), "currency": .text(charge.currency), "rate": 1],
        ]
    }

    /// An element of `chargebacks`, guessed by analogy: no recording of one is known.
    func view(_ dispute: CitconCharge.Dispute, of charge: CitconCharge) -> WireJSON {
        [
            "id": .text(dispute.id), "object": "chargeback", "reference": .text(charge.reference),
            "amount": .number(charge.amountCaptured), "currency": .text(charge.currency),
            "status": .text(dispute.stage.rawValue), "time_created": .number(configuration.layer.stamp(dispute.time)),
        ]
    }

    /// `data` of a capture, guessed by analogy: no recording of one is known.
    func view(capture: CitconCharge.Movement, of charge: CitconCharge) -> WireJSON {
        [
            "id": .text(capture.id), "object": "capture", "reference": .text(capture.reference),
            "amount": .number(capture.amount), "currency": .text(charge.currency), "country": .text(charge.country),
            "time_created": .number(configuration.layer.stamp(capture.time)),
            "payment": ["method": .text(orNull: charge.method)], "status": "succeeded",
        ]
    }
}

// MARK: - Captures, cancellations, refunds

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
        // The service names no permission for it. Apps, whose tokens have few permissions, never do it.
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
