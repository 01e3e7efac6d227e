public import PaymentCore
import PaymentTesting

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
