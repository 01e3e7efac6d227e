import PaymentCore
import PaymentStandards

/// Payments of payers in another process, who recognise them by a key: `PUT /sandbox/paykit/settlements/<key>` notes
/// the key, `POST` pays, `GET` returns what was paid under the key, and `DELETE` ends the key. `GET
/// /sandbox/paykit/settlements?endpoint=…` returns the payment of an invoice.
extension PubkySandbox {
    /// A payment under a key.
    struct KeyedPayment: Sendable {
        /// The result of a payment.
        enum Result: Sendable {
            case paid(Proof)
            /// Nothing was paid, and nothing will be under this key.
            case refused(SettlementError)
            case abandoned
            /// Nothing was requested yet.
            case registered
        }

        /// The endpoint as it was requested; nil where none was.
        var endpoint: String?
        /// The amount in satoshi, where it was stated.
        var amount: UInt64?
        let result: Result
    }

    /// Pays once for each key: a repeated call returns the result of the first, whatever endpoint it names.
    ///
    /// - Parameters:
    ///   - endpoint: an invoice or an address on the chain, as it was published.
    ///   - amount: the amount in satoshi; nil for that of the invoice.
    ///   - key: the key by which the payer recognises the payment.
    /// - Returns: the proof.
    /// - Throws: ``SettlementError``: nothing is ever paid under this key then.
    public func pay(_ endpoint: String, amount: UInt64?, key: String) throws(SettlementError) -> Proof {
        if settlements[key].map({ if case .registered = $0.result { true } else { false } }) ?? true {
            let result: KeyedPayment.Result
            do { result = .paid(try pay(endpoint, amount: amount)) } catch { result = .refused(error) }
            settlements[key] = KeyedPayment(endpoint: endpoint, amount: amount, result: result)
        }
        switch settlements[key]?.result {
        case .paid(let proof): return proof
        case .refused(let error): throw error
        case .abandoned, .registered, nil: throw .abandoned
        }
    }

    func settlement(_ key: String, _ request: HTTPRequest) throws(PubkySandboxError) -> HTTPResponse {
        switch request.method {
        case .get: break
        case .put: settlements[key] = settlements[key] ?? KeyedPayment(result: .registered)
        case .delete:
            if case .paid? = settlements[key]?.result { break }
            if case .refused? = settlements[key]?.result { break }
            settlements[key] = KeyedPayment(result: .abandoned)
        case .post:
            guard let body = try? JSONValue(parsing: request.body), let endpoint = body["endpoint"]?.string else {
                throw PubkySandboxError(400, "a payment has an endpoint, and an amount in satoshi")
            }
            let amount = body["amount"]?.int64.flatMap { UInt64(exactly: $0) }
            _ = try? pay(endpoint, amount: amount, key: key)
        default: throw .wrongMethod
        }
        return answer(key, settlements[key])
    }

    /// Returns the payment of an invoice, under any key or none.
    func settlement(ofEndpoint request: HTTPRequest) throws(PubkySandboxError) -> HTTPResponse {
        guard request.method == .get, let text = PubkyQuery(request)["endpoint"]?.lowercased() else {
            throw .wrongMethod
        }
        guard let hash = paymentHash(of: text), let proof = proof(ofPaying: hash) else { return answer(nil, nil) }
        // One payment hash can have any number of invoices.
        guard invoices[hash]?.text == text else {
            throw PubkySandboxError(409, "another invoice of this payment hash was paid")
        }
        return answer(payer(of: text), KeyedPayment(endpoint: text, result: .paid(proof)))
    }

    /// Returns the key under which an invoice was paid; nil where it was paid without one.
    private func payer(of invoice: String) -> String? {
        settlements.first {
            guard case .paid = $0.value.result else { return false }
            return $0.value.endpoint?.lowercased() == invoice.lowercased()
        }?.key
    }

    private func paymentHash(of text: String) -> String? {
        guard let link = try? PaymentLink("lightning:" + text),
            case .instruction(let instruction) = StandardsReader().read(link)
        else { return nil }
        return instruction.fields["paymentHash"]?.string
    }

    private func answer(_ key: String?, _ payment: KeyedPayment?) -> HTTPResponse {
        var body: JSONValue = ["state": "none"]
        body["name"] = key.map { .string($0) }
        if let payment {
            body["endpoint"] = payment.endpoint.map { .string($0) }
            body["hash"] = payment.endpoint.flatMap(paymentHash).map { .string($0) }
            body["amount"] = payment.amount.map { .number(JSONNumber($0)) }
            body["state"] = "nothing-sent"
            switch payment.result {
            case .paid(let proof):
                body["state"] = "settled"
                switch proof {
                case .preimage(let text): body["preimage"] = .string(text)
                case .transaction(let text): body["transaction"] = .string(text)
                }
            case .refused(let error):
                body["reason"] = .string(error.rawValue)
                if error == .alreadyPaid, let other = payment.endpoint.flatMap(payer) {
                    body["state"] = "settled-elsewhere"
                    body["payer"] = .string(other)
                }
            case .registered: body["state"] = "registered"
            case .abandoned: body["reason"] = .string(SettlementError.abandoned.rawValue)
            }
        }
        return HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: body.serialized())
    }
}
