public import PaymentCore
import PaymentCrypto
import PaymentTesting
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PayrailsSandbox {
    /// A session to pay in.
    public struct Session: Sendable, Hashable {
        /// The execution's id.
        public let id: String
        /// The `version` of the init data that a merchant's server passes on to its app.
        public let version: String
        /// The `data` of the init data: a JSON object in base64. It holds the session's token.
        public let data: Redacted<String>
        /// The scenario of the payment.
        public let scenario: Scenario
        /// The merchant's reference of the payer.
        public let holder: String

        /// The session as a link: `payrails:session?version=…&data=…`, the data in the URL-safe alphabet of base64.
        public var link: String {
            let text = data.reveal().map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.filter { $0 != "=" }
            return "payrails:session?version=\(version)&data=\(String(text))"
        }

        /// The service's answer with the session: `{"version","data"}`.
        public var body: JSONValue { ["version": .string(version), "data": .string(data.reveal())] }
    }

    /// Creates an execution with the behaviour of `scenario`, and a session to pay it in.
    ///
    /// - Parameters:
    ///   - scenario: the behaviour of the payment.
    ///   - amount: the amount of the payment; it is not converted, so it must be money of ISO 4217.
    ///   - holder: the payer; nil creates a new holder with two cards and a PayPal account. An existing holder keeps
    ///     their stored instruments.
    ///   - base: the origin of the session's links, such as the address of a ``LoopbackServer`` with this sandbox. Nil:
    ///     ``Configuration/baseURL``.
    /// - Returns: the session; paying in it needs nothing else.
    public func createSession(
        _ scenario: Scenario = .paid, amount: Money? = nil, holder: String? = nil, base: HTTPURL? = nil
    ) -> Session {
        let price = amount.map { Amount(value: $0.decimalText, currency: $0.currency.description) }
        let execution = makeExecution(
            scenario, amount: price ?? Amount(value: "99.00", currency: "EUR"),
            holder: holder ?? "holder-\(holders.count + 1)", base: base?.origin ?? defaultBase)
        return session(execution.id, execution)
    }

    /// Creates a new session for an existing execution, as a merchant does when the old one's token has expired.
    ///
    /// - Returns: the session; nil if there is no such execution, and no such session for storing cards.
    public func renewSession(_ id: String) -> Session? {
        if let tokenization = tokenizations[id] { return session(tokenization) }
        guard let execution = try? current(id) else { return nil }
        return session(id, execution)
    }

    /// Withdraws the token of a session: from now on its client receives 401.
    public func expireSession(_ id: String) {
        executions[id]?.token = nil
        tokenizations[id]?.token = nil
    }

    /// Returns the ids, the methods and the statuses of the instruments stored for `holder`, in the order of sessions.
    public func storedInstruments(of holder: String) -> [(id: String, method: String, status: String)] {
        holders[holder]?.instruments.map { ($0.id, $0.method, $0.status) } ?? []
    }

    var defaultBase: String { configuration.baseURL?.origin ?? "https://api-pub.payrails.io" }

    func makeExecution(
        _ scenario: Scenario, amount: Amount, holder: String, base: String, reference: String? = nil,
        workflow: String = "payment-acceptance"
    ) -> Execution {
        let time = now
        let id = random.uuid()
        if holders[holder] == nil { holders[holder] = newHolder(scenario, at: time) }
        var execution = Execution(
            id: id, merchantReference: reference ?? "order-\(executions.count + 1)", holder: holder,
            workflow: workflow, scenario: scenario, amount: amount, base: base, createdAt: time,
            pageToken: random.hex(32), entries: [.init(code: "created", time: time, reason: nil)])
        execution.notificationURLs = configuration.notificationURLs
        // Deleted after the session was created: only the session lists it.
        if case .firstGone = scenario.plan.cards,
            let first = holders[holder]?.instruments.firstIndex(where: { $0.method == "card" })
        {
            execution.gone = holders[holder]?.instruments.remove(at: first)
        }
        executions[id] = execution
        note(id, .created)
        notifyCreated(execution)
        return execution
    }

    func session(_ id: String, _ execution: Execution) -> Session {
        let token = clientToken(
            ["executionId": .string(execution.id), "holderReference": .string(execution.holder)],
            for: ["executions:authorize", "executions:confirm", "executions:read", "instruments:create"])
        executions[id]?.token = (token, now + .seconds(configuration.tokenLifetime))
        let payload = SessionPayload(
            execution: execution, holder: holders[execution.holder] ?? Holder(id: "", instruments: []), token: token,
            encryptionKey: CardKey.publicKey)
        return Session(
            id: id, version: SessionPayload.version,
            data: Redacted(Data(payload.body.serialized()).base64EncodedString()), scenario: execution.scenario,
            holder: execution.holder)
    }

    func newHolder(_ scenario: Scenario, at time: Timestamp) -> Holder {
        var cards = [
            Instrument.card(
                random.uuid(), bin: "411111", suffix: "1111", network: "visa", at: time, isDefault: true),
            Instrument.card(random.uuid(), bin: "555555", suffix: "4444", network: "mastercard", at: time),
        ]
        if case .firstDisabled = scenario.plan.cards {
            cards[0].status = "disabled"
            cards[1].status = "created"
        }
        let account = Instrument(
            id: random.uuid(), method: "payPal", createdAt: time, data: ["email": "ada@example.com"])
        return Holder(id: random.uuid(), instruments: cards + [account])
    }

    /// Returns a token in the form of a JWT with the claims of recorded ones. Only the sandbox checks it, by comparing
    /// the whole token: its signature is random.
    func clientToken(_ subject: [String: JSONValue], for permissions: [String]) -> String {
        let header: JSONValue = ["alg": "RS256", "kid": "sandbox", "typ": "JWT"]
        let scope = JSONValue.object(
            subject.merging(["allowsAll": false, "type": "client"] as [String: JSONValue]) { _, last in last })
        let expiry = (now + .seconds(configuration.tokenLifetime)).nanoseconds / 1_000_000_000
        let claims: JSONValue = [
            "aud": ["payrails"], "exp": .number(JSONNumber(expiry)), "iss": "payrails", "kid": "sandbox",
            "sub": "merchant-sdk",
            "permissions": .array(permissions.map { .string("client:" + $0) }),
            "https://payrails.io/claims/custom_scope": .string(scope.text),
        ]
        let parts = [header.serialized(), claims.serialized(), Array(random.hex(64).utf8)]
        return parts.map { Self.base64URL($0) }.joined(separator: ".")
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        String(Data(bytes).base64EncodedString().map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.filter { $0 != "=" })
    }
}

// MARK: - The calls of merchants' servers

/// The calls of merchants' servers.
extension PayrailsSandbox {
    /// Issues an access token, `POST /auth/token/{clientId}` with the secret in `x-api-key`.
    func accessToken(_ request: HTTPRequest, _ client: String) throws(PayrailsSandboxError) -> HTTPResponse {
        guard request.method == .post else { throw .wrongMethod }
        let secret = Array(configuration.clientSecret.reveal().utf8)
        guard client == configuration.clientID,
            ConstantTime.equal(Array((request.headers["x-api-key"] ?? "").utf8), secret)
        else {
            // As OAuth's token services answer (RFC 6749, 5.2), in no envelope.
            return .json(
                ["error": "invalid_client", "error_description": "the client id or its secret is wrong"], status: 401)
        }
        let token = "access-" + random.hex(40)
        accessTokens[token] = now + .seconds(configuration.accessTokenLifetime)
        return .json([
            "access_token": .string(token), "token_type": "Bearer",
            "expires_in": .number(JSONNumber(configuration.accessTokenLifetime)),
        ])
    }

    /// Opens a session, `POST /merchant/client/init`: an execution and the data that a client needs to pay it, or, for
    /// the type `tokenization`, the data that it needs to store a card.
    ///
    /// The same idempotency key is answered with the same execution, even for another body: recorded. A text in `meta`
    /// that names an operation result sets the end of the payment; `meta.sandboxScenario`, which only this sandbox has,
    /// sets the whole payment.
    func initClient(_ request: HTTPRequest) throws(PayrailsSandboxError) -> HTTPResponse {
        guard request.method == .post else { throw .wrongMethod }
        try requireMerchant(request)
        guard let key = request.headers["x-idempotency-key"], !key.isEmpty else { throw .keyMissing }
        if let earlier = inits[key].flatMap(renewSession) { return .json(earlier.body, status: 201) }
        let body = try object(request)
        guard body["type"]?.string != nil else { throw .missing("type") }
        guard let holder = body["holderReference"]?.string, !holder.isEmpty else { throw .missing("holderReference") }
        guard let reference = body["merchantReference"]?.string, !reference.isEmpty else {
            throw .missing("merchantReference")
        }
        guard let amount = Amount(body["amount"]) else {
            throw .invalid("amount", "must have a value in main units and a currency")
        }
        let base = request.url.isLoopback ? request.url.origin : defaultBase
        if body["type"]?.string == "tokenization" {
            let session = makeTokenization(amount: amount, holder: holder, base: base)
            inits[key] = session.id
            return .json(session.body, status: 201)
        }
        let meta = body["meta"] ?? .null
        var scenario = Scenario.paid
        if let name = meta["sandboxScenario"]?.string {
            guard let named = Scenario(rawValue: name) else {
                throw .invalid("meta.sandboxScenario", "is not one of the sandbox's")
            }
            scenario = named
        }
        let workflow = body["workflowCode"]?.string ?? "payment-acceptance"
        guard !workflow.isEmpty, workflow.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2D }) else {
            throw .invalid("workflowCode", "must be letters, digits and hyphens")
        }
        var execution = makeExecution(
            scenario, amount: amount, holder: holder, base: base, reference: reference, workflow: workflow)
        execution.steered = Self.texts(meta).lazy.compactMap { Reason.named[$0] }.first
        execution.type = body["type"]?.string ?? execution.type
        executions[execution.id] = execution
        inits[key] = execution.id
        return .json(session(execution.id, execution).body, status: 201)
    }

    /// Returns the key for the encryption of card data, `GET /merchant/vault/public-info`.
    func vaultInfo(_ request: HTTPRequest) throws(PayrailsSandboxError) -> HTTPResponse {
        guard request.method == .get else { throw .wrongMethod }
        try requireMerchant(request)
        return .json([
            "encryptionPublicKey": .string(CardKey.publicKey), "encryptionKeyId": "sandbox-key", "expiresIn": 3300,
        ])
    }

    /// Returns all texts in `value`, in no order.
    static func texts(_ value: JSONValue) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(texts)
        case .object(let members): members.values.flatMap(texts)
        case .null, .bool, .number: []
        }
    }
}

// MARK: - Sessions for storing cards

/// Sessions for storing cards without a payment.
extension PayrailsSandbox {
    /// A session for storing cards.
    struct Tokenization: Sendable {
        let id: String
        let holder: String
        let amount: Amount
        /// The scheme, host and port of every link.
        let base: String
        /// The client's token and its expiry; nil after its withdrawal.
        var token: (text: String, expiresAt: Timestamp)?

        /// Returns the client's data: neither an execution nor a vault configuration, as recorded.
        func body(token: String) -> JSONValue {
            [
                "token": .string(token), "holderReference": .string(holder), "amount": amount.body,
                "type": "tokenization",
                "tokenization": [
                    "id": .string(id), "publicKey": .string(CardKey.publicKey),
                    "vaultProviderConfigId": .string(SessionPayload.providerConfig),
                    "links": ["tokenize": SessionPayload.link("POST", base + "/public/payment/instruments/tokenize")],
                ],
            ]
        }
    }

    /// Creates a session that can store cards and has no payment.
    ///
    /// - Parameters:
    ///   - holder: the holder of the cards; nil creates a new holder with two cards and a PayPal account.
    ///   - base: the origin of the session's links; nil is ``Configuration/baseURL``.
    /// - Returns: the session; its scenario has no meaning.
    public func createTokenizationSession(holder: String? = nil, base: HTTPURL? = nil) -> Session {
        makeTokenization(
            amount: Amount(value: "0.00", currency: "EUR"), holder: holder ?? "holder-\(holders.count + 1)",
            base: base?.origin ?? defaultBase)
    }

    func makeTokenization(amount: Amount, holder: String, base: String) -> Session {
        if holders[holder] == nil { holders[holder] = newHolder(.paid, at: now) }
        let tokenization = Tokenization(id: random.uuid(), holder: holder, amount: amount, base: base)
        tokenizations[tokenization.id] = tokenization
        return session(tokenization)
    }

    func session(_ tokenization: Tokenization) -> Session {
        let token = clientToken(
            ["tokenizationId": .string(tokenization.id), "holderReference": .string(tokenization.holder)],
            for: ["instruments:tokenize"])
        tokenizations[tokenization.id]?.token = (token, now + .seconds(configuration.tokenLifetime))
        return Session(
            id: tokenization.id, version: SessionPayload.version,
            data: Redacted(Data(tokenization.body(token: token).serialized()).base64EncodedString()), scenario: .paid,
            holder: tokenization.holder)
    }

    /// Stores a card, `POST /public/payment/instruments/tokenize`. Its refusals have the older form.
    func tokenize(_ request: HTTPRequest) -> HTTPResponse {
        do { return try tokenized(request) } catch { return error.olderResponse(random) }
    }

    private func tokenized(_ request: HTTPRequest) throws(PayrailsSandboxError) -> HTTPResponse {
        let session = try tokenization(of: request)
        return try once(request) { () throws(PayrailsSandboxError) in
            let body = try object(request)
            guard body["id"]?.string?.lowercased() == session.id.lowercased() else {
                throw .invalid("id", "is not the session's")
            }
            guard body["holderReference"]?.string == session.holder else {
                throw .invalid("holderReference", "is not the session's holder")
            }
            if let provider = body["vaultProviderConfigId"], !provider.isNull {
                guard provider.string == SessionPayload.providerConfig else {
                    throw .invalid("vaultProviderConfigId", "is not the session's")
                }
            }
            guard let message = body["encryptedInstrumentDetails"]?.string, !message.isEmpty else {
                throw .missing("encryptedInstrumentDetails")
            }
            let card = try Card(try CardKey.open(message), holder: session.holder)
            guard card.isPlausible, !card.isExpired(at: now) else {
                throw .invalid("encryptedInstrumentDetails", "holds a card that cannot be used")
            }
            let usage = try Self.futureUsage(body, isRequired: false)
            // Without a value the card is stored, as the service documents for the corresponding call of servers.
            let stores = body["storeInstrument"]?.bool ?? true
            return kept(
                Instrument(card, id: random.uuid(), createdAt: now), for: session.holder, stores: stores, usage: usage)
        }
    }

    /// Returns the later use of a card.
    static func futureUsage(_ body: JSONValue, isRequired: Bool) throws(PayrailsSandboxError) -> String? {
        let usage = body["futureUsage"]?.string
        guard usage != nil || isRequired else { return nil }
        guard ["CardOnFile", "Subscription", "UnscheduledCardOnFile"].contains(usage) else {
            throw .invalid("futureUsage", "must be CardOnFile, Subscription or UnscheduledCardOnFile")
        }
        return usage
    }

    /// Stores `instrument` for `holder` if `stores` is true, and returns the answer.
    func kept(_ instrument: Instrument, for holder: String, stores: Bool, usage: String?) -> HTTPResponse {
        var instrument = instrument
        let holderID = holders[holder]?.id ?? random.uuid()
        if stores {
            holders[holder, default: Holder(id: holderID, instruments: [])].instruments.append(instrument)
        } else {
            // For one payment only, and never listed.
            instrument.status = "transient"
        }
        return .json(instrument.body(holderID: holderID, futureUsage: usage), status: 201)
    }
}
