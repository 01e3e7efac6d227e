import PaykitProvider
import PaymentCore
import PaymentCrypto
import PaymentSecp256k1
import PaymentStandards
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

    /// Why an endpoint was not paid. Nothing was paid then.
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

        /// The endpoint as it was requested; nil if none was.
        var endpoint: String?
        /// The amount in satoshi; nil if none was stated.
        var amount: UInt64?
        let result: Result
    }

    /// Pays once for each key: a repeated call returns the result of the first, whatever endpoint it names.
    ///
    /// - Parameters:
    ///   - endpoint: an invoice or an address on the chain, as it was published.
    ///   - amount: the amount in satoshi; nil for that of the invoice.
    ///   - key: the payer's key of the payment.
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

    /// Returns the key of an invoice's payment; nil if it was paid without one.
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

/// A Lightning invoice of one of the sandbox's users, and the proof of its payment.
struct PubkyInvoice: Sendable {
    let payee: PubkyKey
    /// In satoshi; nil if the payer chooses.
    let amount: UInt64?
    /// The time of its expiry, in seconds of Unix time.
    let end: UInt64
    let preimage: [UInt8]
    /// The published text (BOLT 11).
    let text: String
    var isPaid = false

    /// The payment hash, which identifies it.
    var hash: String { Hex.encode(Digest.sha256.hash(preimage)) }

    /// Writes an invoice.
    ///
    /// - Parameters:
    ///   - time: the time of its creation, in seconds of Unix time.
    ///   - secrets: 32 bytes each, for the preimage, the payment secret and the node that signs.
    init(
        _ amount: UInt64?, for payee: PubkyKey, at time: UInt64, lifetime: UInt64, chain: PubkySandbox.Chain,
        secrets: (preimage: [UInt8], payment: [UInt8], node: [UInt8])
    ) throws {
        self.payee = payee
        self.amount = amount
        end = time + lifetime
        preimage = secrets.preimage
        text = try Bolt11Draft(
            chain == .mainnet ? .mainnet : .regtest,
            amountMsat: amount.map { min($0, PubkySandbox.mostSatoshi) * 1000 },
            paymentHash: Digest.sha256.hash(secrets.preimage), paymentSecret: secrets.payment,
            purpose: .words("Paykit sandbox"), timestamp: time, lifetime: lifetime
        ).text(signedBy: Secp256k1PrivateKey(secrets.node))
    }
}

/// Simulated money received by one of the sandbox's users.
struct PubkyReceived: Sendable {
    let payee: PubkyKey
    /// `lightning` or `onchain`.
    let method: String
    /// In satoshi.
    let amount: UInt64
    /// The payment hash of the invoice, or the id of the transaction.
    let name: String
    /// Seconds of Unix time.
    let time: UInt64
}
