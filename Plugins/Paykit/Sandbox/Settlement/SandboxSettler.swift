public import PaymentCore

/// A settler that pays users of a ``PubkySandbox`` over HTTP, with simulated money. No real funds move: it accepts only
/// regtest invoices and addresses, whose coins are worth nothing.
public struct SandboxSettler: PaymentSettler {
    private let url: HTTPURL
    private let transport: any HTTPTransport

    /// Creates a settler.
    ///
    /// - Parameters:
    ///   - url: the sandbox's address.
    ///   - transport: the way there.
    public init(at url: HTTPURL, over transport: any HTTPTransport) {
        self.url = url
        self.transport = transport
    }

    /// Returns whether it is an invoice or an address of regtest.
    public func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool {
        [.bolt11, .bitcoinAddress].contains(kind) && network == "regtest"
    }

    /// The sandbox's address: all settlers of one sandbox share its memory.
    public var name: String { "sandbox \(url.text)" }

    /// Returns nil: simulated money moves without a fee.
    public func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? { nil }

    /// Notes a name at the sandbox.
    ///
    /// - Throws: ``PaymentError`` when it does not report the result.
    public func register(_ name: String) async throws { _ = try await state(HTTPRequest(.put, try place(name))) }

    /// Asks the sandbox for the payment under a name.
    ///
    /// - Throws: ``PaymentError`` when it does not report one.
    public func order(named name: String) async throws -> SettlementOrder? {
        try await ask(HTTPRequest(.get, try place(name)))
    }

    /// Asks the sandbox for the payment of an invoice.
    ///
    /// - Throws: ``PaymentError`` when it does not report one.
    public func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        guard endpoint.paymentHash != nil else { return nil }
        return try await ask(
            HTTPRequest(
                .get, try url.appending(["sandbox", "paykit", "settlements"], query: [("endpoint", endpoint.text)])))
    }

    /// Ends a name at the sandbox: nothing is paid under it any more.
    ///
    /// - Throws: ``PaymentError`` when it does not report the result.
    public func abandon(_ name: String) async throws -> SettlementState {
        try await state(HTTPRequest(.delete, try place(name)))
    }

    /// Pays at the sandbox.
    ///
    /// - Throws: ``PaymentError`` when it does not report the result.
    public func settle(_ settlement: Settlement) async throws -> SettlementState {
        var body: JSONValue = ["endpoint": .string(settlement.endpoint.text)]
        // Without an amount the sandbox refuses, permanently: it pays whole satoshi only.
        body["amount"] = .number(JSONNumber(Self.satoshi(settlement.amount) ?? 0))
        return try await state(
            HTTPRequest(
                .post, try place(settlement.key), headers: ["Content-Type": "application/json"],
                body: body.serialized(), replay: .never))
    }

    private static func satoshi(_ money: Money) -> UInt64? {
        guard money.currency == .satoshi else { return nil }
        switch money.exponent {
        case 8: return UInt64(exactly: money.minorUnits)
        case 11 where money.minorUnits % 1000 == 0: return UInt64(exactly: money.minorUnits / 1000)
        default: return nil
        }
    }

    private func place(_ name: String) throws -> HTTPURL {
        try url.appending(["sandbox", "paykit", "settlements", name])
    }

    private func state(_ request: HTTPRequest) async throws -> SettlementState {
        guard let order = try await ask(request) else { throw Self.silence }
        return order.state
    }

    /// Returns the sandbox's record; nil if it has none.
    private func ask(_ request: HTTPRequest) async throws -> SettlementOrder? {
        let response = try await transport.send(request)
        guard response.status == 200, let body = try? JSONValue(parsing: response.body),
            let word = body["state"]?.string
        else { throw Self.silence }
        let state: SettlementState
        switch (word, body["preimage"]?.string, body["transaction"]?.string, body["payer"]?.string) {
        case ("none", _, _, _): return nil
        case ("registered", _, _, _): state = .registered
        case ("settled", let preimage?, _, _): state = .settled(.preimage(preimage))
        case ("settled", nil, let transaction?, _): state = .settled(.transaction(transaction))
        case ("settled-elsewhere", _, _, let name?): state = .settledElsewhere(name: name)
        case ("nothing-sent", _, _, _): state = .nothingSent(reason: body["reason"]?.string)
        default: throw Self.silence
        }
        return SettlementOrder(
            name: body["name"]?.string,
            endpoint: body["endpoint"]?.string.map {
                SettlementEndpoint(
                    body["hash"] == nil ? .bitcoinAddress : .bolt11, text: $0, network: "regtest",
                    paymentHash: body["hash"]?.string)
            },
            amount: try body["amount"]?.int64.map {
                try Money(minorUnits: UInt128(max(0, $0)), currency: .satoshi)
            }, state: state)
    }

    private static var silence: PaymentError {
        PaymentError(.payer, "the sandbox did not say what it was paid", phase: .maybeSent)
    }
}
