import PaykitProvider
import PaymentCore
import PaymentCrypto
import PaymentTesting

extension PubkySandbox {
    /// A proof of payment.
    @nonexhaustive
    public enum Proof: Sendable, Hashable {
        /// The preimage of an invoice's payment hash: 64 hexadecimal digits.
        case preimage(String)
        /// The id of a transaction on the chain: 64 hexadecimal digits.
        case transaction(String)
    }

    /// The reason that an endpoint was not paid. Nothing was.
    @nonexhaustive
    public enum SettlementError: String, Error, Sendable, Hashable, CaseIterable {
        /// It belongs to no user of this sandbox.
        case unknownEndpoint = "unknown-endpoint"
        /// The invoice is for another amount, or none was given.
        case wrongAmount = "wrong-amount"
        /// The invoice has expired.
        case expired
        /// The invoice was paid before.
        case alreadyPaid = "already-paid"
        /// The payer has abandoned the payment.
        case abandoned
    }

    /// Pays one of the users' endpoints with simulated money, as a payer's node and wallet do.
    ///
    /// An invoice is paid once. An address accepts every payment.
    ///
    /// - Parameters:
    ///   - endpoint: an invoice or an address on the chain, as it was published.
    ///   - amount: the amount in satoshi; nil for that of the invoice.
    /// - Throws: ``SettlementError``.
    public func pay(_ endpoint: String, amount: UInt64? = nil) throws(SettlementError) -> Proof {
        if let payee = payees[endpoint] {
            guard let amount, amount > 0 else { throw .wrongAmount }
            let id = Hex.encode(keys.bytes("transaction \(ledger.entries.count) \(endpoint)"))
            transactions[id] = payee
            note(payee, option: "onchain", amount: amount, name: id)
            return .transaction(id)
        }
        guard let invoice = invoices.values.first(where: { $0.text == endpoint.lowercased() }) else {
            throw .unknownEndpoint
        }
        guard !invoice.isPaid else { throw .alreadyPaid }
        guard now / 1_000_000 < invoice.end else { throw .expired }
        guard let paid = invoice.amount ?? amount, paid > 0, amount ?? paid == paid else { throw .wrongAmount }
        invoices[invoice.hash]?.isPaid = true
        note(invoice.payee, option: "lightning", amount: paid, name: invoice.hash)
        return .preimage(Hex.encode(invoice.preimage))
    }

    /// Returns the proof that an invoice was paid; nil as long as it was not.
    ///
    /// - Parameter paymentHash: the invoice's payment hash: 64 hexadecimal digits.
    public func proof(ofPaying paymentHash: String) -> Proof? {
        invoices[paymentHash.lowercased()].flatMap { $0.isPaid ? .preimage(Hex.encode($0.preimage)) : nil }
    }

    private func note(_ payee: PubkyKey, option: String, amount: UInt64, name: String) {
        received[payee, default: []].append(
            PubkyReceived(payee: payee, method: option, amount: amount, name: name, time: now / 1_000_000))
        record(.confirmRequested, of: payee)
        record(.captured(option: option, amount: "\(amount) sat", account: "sandbox payer"), of: payee)
        record(.settled, of: payee)
    }

    /// Settles payments over HTTP, for payers in another process: `POST /sandbox/paykit/pay` with `endpoint` and
    /// `amount`, and `GET /sandbox/paykit/<payment hash>`. A payee's app asks for an invoice by `POST
    /// /sandbox/paykit/invoices` with `user` and `amount`, and for the homeserver's key by `GET
    /// /sandbox/paykit/homeserver`. `/sandbox/paykit/generation` replaces the homeserver by one of another generation.
    func settle(_ word: String, _ request: HTTPRequest) throws(PubkySandboxError) -> HTTPResponse {
        if word == "homeserver" {
            // The seed is for a program that ends TLS before the sandbox: it protects nothing.
            return Self.answer([
                "key": .string(homeserver.text), "seed": .string(Hex.encode(keys.bytes("homeserver"))),
            ])
        }
        if word == "generation" { return try generation(request) }
        if word == "invoices" {
            guard request.method == .post, let body = try? JSONValue(parsing: request.body),
                let user = body["user"]?.string.flatMap({ try? PubkyKey($0) }),
                let amount = body["amount"]?.int64.flatMap({ UInt64(exactly: $0) })
            else { throw PubkySandboxError(400, "an invoice has a user, and an amount in satoshi") }
            return Self.answer(["invoice": .string(createInvoice(amount, for: user))])
        }
        if request.method == .get {
            guard let proof = proof(ofPaying: word) else { throw .notFound }
            return Self.answer(proof)
        }
        guard request.method == .post, word == "pay" else { throw .wrongMethod }
        guard let body = try? JSONValue(parsing: request.body), let endpoint = body["endpoint"]?.string else {
            throw PubkySandboxError(400, "a payment has an endpoint, and an amount in satoshi")
        }
        let amount = body["amount"]?.int64.flatMap { UInt64(exactly: $0) }
        do { return Self.answer(try pay(endpoint, amount: amount)) } catch {
            throw PubkySandboxError(error == .alreadyPaid ? 409 : 422, error.rawValue)
        }
    }

    private static func answer(_ proof: Proof) -> HTTPResponse {
        let body: JSONValue =
            switch proof {
            case .preimage(let text): ["preimage": .string(text)]
            case .transaction(let text): ["transaction": .string(text)]
            }
        return answer(body)
    }

    static func answer(_ body: JSONValue) -> HTTPResponse {
        HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: body.serialized())
    }
}
