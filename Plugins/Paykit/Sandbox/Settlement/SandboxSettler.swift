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

    /// Asks the sandbox for the status of a payment.
    ///
    /// - Throws: ``PaymentError`` when it does not report one.
    public func state(of settlement: Settlement) async throws -> SettlementState {
        let name = settlement.endpoint.paymentHash ?? settlement.key
        return try await ask(
            HTTPRequest(
                .get,
                try url.appending(
                    ["sandbox", "paykit", "settlements", name], query: [("endpoint", settlement.endpoint.text)])))
    }

    /// Pays at the sandbox.
    ///
    /// - Throws: ``PaymentError`` when it does not report the result.
    public func settle(_ settlement: Settlement) async throws -> SettlementState {
        guard let satoshi = Self.satoshi(settlement.amount) else {
            return .nothingSent(reason: "the sandbox pays whole satoshi only")
        }
        let body: JSONValue = [
            "endpoint": .string(settlement.endpoint.text), "amount": .number(JSONNumber(satoshi)),
        ]
        return try await ask(
            HTTPRequest(
                .post, try url.appending(["sandbox", "paykit", "settlements", settlement.key]),
                headers: ["Content-Type": "application/json"], body: body.serialized(), replay: .never))
    }

    private static func satoshi(_ money: Money) -> UInt64? {
        guard money.currency == .satoshi else { return nil }
        switch money.exponent {
        case 8: return UInt64(exactly: money.minorUnits)
        case 11 where money.minorUnits % 1000 == 0: return UInt64(exactly: money.minorUnits / 1000)
        default: return nil
        }
    }

    private func ask(_ request: HTTPRequest) async throws -> SettlementState {
        let response = try await transport.send(request)
        guard response.status == 200, let body = try? JSONValue(parsing: response.body),
            let word = body["state"]?.string
        else { throw PaymentError(.payer, "the sandbox did not say what it was paid", phase: .maybeSent) }
        switch word {
        case "settled":
            if let preimage = body["preimage"]?.string { return .settled(.preimage(preimage)) }
            if let transaction = body["transaction"]?.string { return .settled(.transaction(transaction)) }
        case "nothing-sent": return .nothingSent(reason: body["reason"]?.string)
        default: break
        }
        throw PaymentError(.payer, "the sandbox did not say what it was paid", phase: .maybeSent)
    }
}
