import PaymentCore

/// Payments of payers in another process, who recognise them by a key: `POST /sandbox/paykit/settlements/<key>` and
/// `GET`, where the key is the payment hash of an invoice, and `endpoint` that invoice.
extension PubkySandbox {
    /// The result of a payment under a key.
    enum Settled: Sendable {
        case paid(Proof)
        /// Nothing was paid, and nothing will be under this key.
        case refused(SettlementError)
    }

    /// Pays once for each key: a repeated call returns the result of the first.
    ///
    /// - Parameters:
    ///   - endpoint: an invoice or an address on the chain, as it was published.
    ///   - amount: the amount in satoshi; nil for that of the invoice.
    ///   - key: the key by which the payer recognises the payment.
    /// - Returns: the proof.
    /// - Throws: ``SettlementError``: nothing is ever paid under this key then.
    public func pay(_ endpoint: String, amount: UInt64?, key: String) throws(SettlementError) -> Proof {
        switch settlements[key] {
        case .paid(let proof): return proof
        case .refused(let error): throw error
        case nil: break
        }
        do {
            let proof = try pay(endpoint, amount: amount)
            settlements[key] = .paid(proof)
            return proof
        } catch {
            // An invoice that was paid under another key is paid.
            if error == .alreadyPaid, let invoice = invoices.values.first(where: { $0.text == endpoint.lowercased() }),
                let proof = proof(ofPaying: invoice.hash)
            {
                return proof
            }
            settlements[key] = .refused(error)
            throw error
        }
    }

    func settlement(_ name: String, _ request: HTTPRequest) throws(PubkySandboxError) -> HTTPResponse {
        switch request.method {
        case .get:
            if let invoice = invoices[name], let proof = proof(ofPaying: name) {
                // One payment hash can have any number of invoices.
                guard PubkyQuery(request)["endpoint"].map({ $0.lowercased() == invoice.text }) ?? true else {
                    throw PubkySandboxError(409, "another invoice of this payment hash was paid")
                }
                return Self.answer(.paid(proof))
            }
            return Self.answer(settlements[name])
        case .post:
            guard let body = try? JSONValue(parsing: request.body), let endpoint = body["endpoint"]?.string else {
                throw PubkySandboxError(400, "a payment has an endpoint, and an amount in satoshi")
            }
            let amount = body["amount"]?.int64.flatMap { UInt64(exactly: $0) }
            do { return Self.answer(.paid(try pay(endpoint, amount: amount, key: name))) } catch {
                return Self.answer(.refused(error))
            }
        default: throw .wrongMethod
        }
    }

    private static func answer(_ settled: Settled?) -> HTTPResponse {
        let body: JSONValue =
            switch settled {
            case .paid(.preimage(let text)): ["state": "settled", "preimage": .string(text)]
            case .paid(.transaction(let text)): ["state": "settled", "transaction": .string(text)]
            case .refused(let error): ["state": "nothing-sent", "reason": .string(error.rawValue)]
            case nil: ["state": "nothing-sent"]
            }
        return HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: body.serialized())
    }
}
