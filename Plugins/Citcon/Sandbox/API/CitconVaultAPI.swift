import PaymentCore

/// A payer's account that is stored for later payments.
struct CitconStored: Sendable {
    /// 24 lower-case hexadecimal digits.
    let id: String
    /// The merchant's own id of the payer.
    let consumer: String
    let method: String
    let maskedPAN: String
    let expiry: String
    /// Unix seconds.
    let createdAt: Int64
}

/// Stored accounts and the available methods: `vault` and `consults`.
///
/// Only the paths are public. Bodies and answers are this sandbox's own, by analogy with charges (Protocol 2.11).
extension CitconSandbox {
    func vault(_ request: HTTPRequest, _ id: String?) throws(CitconSandboxError) -> HTTPResponse {
        try tokens.check(request.headers, now: now)
        switch (request.method, id) {
        case (.post, nil): return try keep(request)
        case (.get, nil):
            let query = QueryItems(Substring(request.url.query ?? ""))
            guard let consumer = query.values("consumer_reference").first.flatMap({ PercentCoding.decode($0) }),
                !consumer.isEmpty
            else { throw .badRequest }
            let stored = vault.values.filter { $0.consumer == consumer }
            let sorted = stored.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
            return envelope.success(["data": .array(sorted.map { view($0) })])
        case (.get, let id?):
            guard let stored = vault[id] else { throw .notFound }
            return envelope.success(view(stored))
        case (.delete, let id?):
            guard let stored = vault.removeValue(forKey: id) else { throw .notFound }
            return envelope.success(view(stored, status: "deleted"))
        default: throw .notFound
        }
    }

    private func view(_ stored: CitconStored, status: String = "active") -> WireJSON {
        [
            "id": .text(stored.id), "object": "vault", "consumer": ["reference": .text(stored.consumer)],
            "payment": [
                "method": .text(stored.method), "type": "",
                "data": ["pan": .text(stored.maskedPAN), "expiry": .text(stored.expiry)],
            ], "time_created": .number(configuration.layer.stamp(stored.createdAt)), "status": .text(status),
        ]
    }

    /// Stores the account behind a nonce, without a charge.
    private func keep(_ request: HTTPRequest) throws(CitconSandboxError) -> HTTPResponse {
        let body = try CitconRequests.body(request)
        guard let consumer = try CitconRequests.text(body["consumer"]?["reference"]), !consumer.isEmpty,
            let method = try CitconRequests.text(body["payment"]?["method"]), CitconMethod.all[method]?.vaults == true,
            let nonce = try CitconRequests.text(body["payment"]?["nonce"])
        else { throw .badRequest }
        guard nonces.remove(nonce) != nil || (nonce.hasPrefix("fake-") && !nonce.hasPrefix("fake-consumed")) else {
            throw .badRequest
        }
        let stored = CitconStored(
            id: random.hex(24), consumer: consumer, method: method, maskedPAN: "", expiry: "", createdAt: now)
        vault[stored.id] = stored
        return envelope.success(view(stored))
    }

    /// Stores the account that a charge was paid with, if the charge requested it.
    func store(_ token: String) {
        guard let charge = charges[token], charge.wantsToken, charge.stored == nil, let consumer = charge.consumer,
            let method = charge.method, CitconMethod.all[method]?.vaults == true
        else { return }
        let stored = CitconStored(
            id: random.hex(24), consumer: consumer, method: method, maskedPAN: charge.maskedPAN,
            expiry: charge.cardExpiry, createdAt: now)
        vault[stored.id] = stored
        charges[token]?.stored = stored.id
        notify(about: stored, of: charge)
    }

    /// Charges a stored account if it belongs to the charge's payer and has the same method.
    func charge(stored id: String, _ method: String, _ token: String) throws(CitconSandboxError) -> [WireJSON] {
        let consumer = try charge(token).consumer
        guard let stored = vault[id], stored.method == method, stored.consumer == consumer else { throw .badRequest }
        charges[token]?.stored = id
        charges[token]?.maskedPAN = stored.maskedPAN
        charges[token]?.cardExpiry = stored.expiry
        try act(.pay, on: token)
        return []
    }

    // MARK: Consults

    func consult(_ request: HTTPRequest) throws(CitconSandboxError) -> HTTPResponse {
        try tokens.check(request.headers, now: now)
        let query = QueryItems(Substring(request.url.query ?? ""))
        guard let id = query.values("method").first.flatMap({ PercentCoding.decode($0) }) else { throw .badRequest }
        guard let method = CitconMethod.all[id] else { throw .unsupportedGateway }
        guard method.consults else { throw .badRequest }
        let choices = ["one", "two"].map { name -> WireJSON in
            ["id": .text("\(id)-\(name)"), "object": "consult", "name": .text("Sandbox \(name)"), "method": .text(id)]
        }
        return envelope.success(["data": .array(choices)])
    }
}
