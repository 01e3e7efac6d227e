import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// What a provider uses of the world, told as events.

typealias Telling = @Sendable (PaymentEvent.Kind) -> Void

/// Tells of requests that are sent again.
struct ToldTransport: HTTPTransport {
    let base: any HTTPTransport
    let tell: Telling

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        var request = request
        request.onRetry = { tell(.retrying($0)) }
        return try await base.send(request)
    }
}

/// Tells of waiting.
struct ToldClock: PaymentClock {
    let base: any PaymentClock
    let tell: Telling

    var now: Date { base.now }
    var uptime: Duration { base.uptime }

    func sleep(for duration: Duration) async throws {
        tell(.waiting(duration))
        try await base.sleep(for: duration)
    }
}

extension Payer {
    /// The same payer; what is asked of them is told.
    func telling(_ tell: @escaping Telling) -> Payer {
        var payer = self
        if let signer { payer.signer = ToldSigner(base: signer, tell: tell) }
        if let settler { payer.settler = ToldSettler(base: settler, tell: tell) }
        if let dataCollector {
            payer.dataCollector = { request in
                try await Self.told(.data, tell) { try await dataCollector(request) }
            }
        }
        if let browser {
            payer.browser = { page in try await Self.told(.page, tell) { try await browser(page) } }
        }
        if let appLauncher {
            payer.appLauncher = { app in
                try await Self.told(.app(name: app.name), tell) { try await appLauncher(app) }
            }
        }
        if let codeDisplay {
            payer.codeDisplay = { code in try await Self.told(.code, tell) { try await codeDisplay(code) } }
        }
        return payer
    }

    fileprivate static func told<Answer: Sendable>(
        _ need: PayerNeed, _ tell: Telling, _ ask: () async throws -> Answer
    ) async throws -> Answer {
        tell(.payerAsked(need))
        defer { tell(.payerAnswered(need)) }
        return try await ask()
    }
}

/// Tells of signatures that are asked for.
private struct ToldSigner: PaymentSigner {
    let base: any PaymentSigner
    let tell: Telling

    func supports(method: String) -> Bool { base.supports(method: method) }

    func sign(_ request: SigningRequest) async throws -> String {
        try await Payer.told(.signing(method: request.method), tell) { try await base.sign(request) }
    }
}

/// Tells of settlements that are asked for.
private struct ToldSettler: PaymentSettler {
    let base: any PaymentSettler
    let tell: Telling

    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool { base.canSettle(kind, on: network) }

    func state(of settlement: Settlement) async throws -> SettlementState { try await base.state(of: settlement) }

    func settle(_ settlement: Settlement) async throws -> SettlementState {
        let need = PayerNeed.settlement(settlement.endpoint.kind, network: settlement.endpoint.network)
        return try await Payer.told(need, tell) { try await base.settle(settlement) }
    }
}
