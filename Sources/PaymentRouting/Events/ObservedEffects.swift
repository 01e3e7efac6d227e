import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// The effects of a provider, reported as events.

typealias EventSink = @Sendable (PaymentEvent.Kind) -> Void

/// Reports requests that are sent again.
struct ObservedTransport: HTTPTransport {
    let base: any HTTPTransport
    let emit: EventSink

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        var request = request
        request.onRetry = { emit(.retrying($0)) }
        return try await base.send(request)
    }
}

/// Reports waiting.
struct ObservedClock: PaymentClock {
    let base: any PaymentClock
    let emit: EventSink

    var now: Date { base.now }
    var uptime: Duration { base.uptime }

    func sleep(for duration: Duration) async throws {
        emit(.waiting(duration))
        try await base.sleep(for: duration)
    }
}

extension Payer {
    /// Returns the same payer, whose requests are reported.
    func observed(by emit: @escaping EventSink) -> Payer {
        var payer = self
        if let signer { payer.signer = ObservedSigner(base: signer, emit: emit) }
        if let settler { payer.settler = ObservedSettler(base: settler, emit: emit) }
        if let dataCollector {
            payer.dataCollector = { request in
                try await Self.reporting(.data, emit) { try await dataCollector(request) }
            }
        }
        if let browser {
            payer.browser = { page in try await Self.reporting(.page, emit) { try await browser(page) } }
        }
        if let appLauncher {
            payer.appLauncher = { app in
                try await Self.reporting(.app(name: app.name), emit) { try await appLauncher(app) }
            }
        }
        if let codeDisplay {
            payer.codeDisplay = { code in try await Self.reporting(.code, emit) { try await codeDisplay(code) } }
        }
        return payer
    }

    fileprivate static func reporting<Answer: Sendable>(
        _ need: PayerNeed, _ emit: EventSink, _ ask: () async throws -> Answer
    ) async throws -> Answer {
        emit(.payerAsked(need))
        defer { emit(.payerAnswered(need)) }
        return try await ask()
    }
}

/// Reports requests for signatures.
private struct ObservedSigner: PaymentSigner {
    let base: any PaymentSigner
    let emit: EventSink

    func supports(method: String) -> Bool { base.supports(method: method) }

    func sign(_ request: SigningRequest) async throws -> String {
        try await Payer.reporting(.signing(method: request.method), emit) { try await base.sign(request) }
    }
}

/// Reports requests for settlements.
private struct ObservedSettler: PaymentSettler {
    let base: any PaymentSettler
    let emit: EventSink

    var name: String { base.name }
    func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? {
        base.feeLimit(for: amount, to: kind)
    }
    func register(_ name: String) async throws { try await base.register(name) }
    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool { base.canSettle(kind, on: network) }

    func order(named name: String) async throws -> SettlementOrder? { try await base.order(named: name) }

    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        try await base.order(paying: endpoint)
    }

    func abandon(_ name: String) async throws -> SettlementState { try await base.abandon(name) }
    func end(_ name: String, because evidence: String) async throws -> SettlementState {
        try await base.end(name, because: evidence)
    }

    func settle(_ settlement: Settlement) async throws -> SettlementState {
        let need = PayerNeed.settlement(settlement.endpoint.kind, network: settlement.endpoint.network)
        return try await Payer.reporting(need, emit) { try await base.settle(settlement) }
    }
}
