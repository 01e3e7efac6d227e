import PaymentCore
import PaymentRouting
import PaymentTesting

/// Merchants' work, and what services and payers bring back.
extension ServeAPI {
    func refund(_ call: Call) async throws -> SandboxAnswer {
        let body = try ServeBody(call.request.body, ["payment", "amount", "id"])
        let payment = try await payment(body)
        guard let amount = try body.money("amount") else {
            throw ServeError.malformed("the member 'amount' is missing")
        }
        let request = RefundRequest(of: payment, amount: amount, id: try body.required("id"))
        return Self.json(200, Self.json(request.reference, try await session.router.refund(request)))
    }

    func capture(_ call: Call) async throws -> SandboxAnswer {
        let body = try ServeBody(call.request.body, ["payment", "amount"])
        let payment = try await payment(body)
        guard let amount = try body.money("amount") else {
            throw ServeError.malformed("the member 'amount' is missing")
        }
        let request = CaptureRequest(of: payment, amount: amount)
        return Self.json(200, Self.json(request.reference, try await session.router.capture(request)))
    }

    func cancelAsMerchant(_ call: Call) async throws -> SandboxAnswer {
        let payment = try await payment(try ServeBody(call.request.body, ["payment"]))
        return Self.json(200, Self.json(payment, try await session.router.cancel(payment)))
    }

    /// Takes a payer's return. It may be about any tenant's payment: the answer says nothing of which, or what became
    /// of it.
    func takeReturn(_ call: Call) async throws -> SandboxAnswer {
        let url = try ServeBody(call.request.body, ["url"]).required("url")
        let outcome: PaymentOutcome?
        do throws(PaymentError) { outcome = try await session.router.handle(url) } catch {
            guard error.code != .foreignReturn else { return Self.json(200, ["taken": false]) }
            throw error
        }
        return Self.json(200, ["taken": .bool(outcome != nil)])
    }

    /// Takes a service's notification, byte for byte as it came: its signature is over them.
    func notify(_ call: Call) async throws -> SandboxAnswer {
        var headers = call.request.headers
        // The caller's token is not the service's.
        headers["Authorization"] = nil
        let handled = try await session.router.handle(
            IncomingNotification(headers: headers, body: call.request.body),
            from: ProviderID(rawValue: call.names[0]))
        return Self.json(200, Self.json(handled.reference, handled.outcome))
    }

    private func payment(_ body: ServeBody) async throws -> PaymentReference {
        guard let payment = PaymentName.reference(try body.required("payment"), session.router) else {
            throw ServeError.malformed("the member 'payment' names none: give provider/id, or its link")
        }
        return await session.asMerchant(payment)
    }

    private static func json(_ reference: PaymentReference, _ outcome: PaymentOutcome) -> JSONValue {
        [
            "provider": .string(reference.provider.rawValue), "reference": .string(reference.id),
            "subject": .string(reference.subject.kind), "outcome": ServeOutcome.json(.stated(outcome)),
        ]
    }
}
