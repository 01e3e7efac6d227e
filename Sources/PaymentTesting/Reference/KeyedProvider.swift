public import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The provider of ``KeyedService``: the smallest that does everything right, to simulate with and to start from.
public struct KeyedProvider: PaymentProvider {
    /// The host of its links.
    public static let linkHost = "pay.keyed.example"

    /// Who it is and what it claims.
    public let descriptor: ProviderDescriptor
    private let replay: MutationReplay
    private let key: @Sendable (PaymentAttempt, ProviderContext) -> String

    /// Makes a provider.
    ///
    /// - Parameters:
    ///   - replay: what it declares about repeating a charge.
    ///   - replayWindow: how long it declares that a charge may be repeated.
    ///   - key: the idempotency key; the attempt's, unless a test wants a mistake.
    public init(
        replay: MutationReplay = .sameKey, replayWindow: Duration = .seconds(600),
        key: @escaping @Sendable (PaymentAttempt, ProviderContext) -> String = { attempt, _ in attempt.idempotencyKey }
    ) {
        self.replay = replay
        self.key = key
        descriptor = ProviderDescriptor(
            id: "keyed", name: "Keyed", patterns: [.host(Self.linkHost)], outboundHosts: [KeyedService.host],
            replayWindow: replay == .sameKey ? replayWindow : .zero)
    }

    /// The id is the link's one path segment.
    public func recognize(_ link: PaymentLink) -> LinkMatch? {
        let id = link.path.dropFirst()
        guard !id.isEmpty, id.utf8.count <= 40, id.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit }) else {
            return nil
        }
        return LinkMatch(reference: String(id))
    }

    /// One option: to pay.
    public func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> PaymentQuote {
        let state = try await ask(request.reference, context)
        let amount = try state.money()
        let outcome = state.outcome(request.reference)
        let isOpen = state.status == "open"
        return PaymentQuote(
            reference: request.reference, payee: Payee(name: "Keyed"), amount: amount,
            options: isOpen ? [PaymentOption(id: "charge", title: "Charge", amount: amount)] : [],
            outcome: isOpen ? nil : outcome)
    }

    /// Charges, then asks until it is settled.
    public func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> PaymentOutcome {
        var headers: HTTPHeaders = ["Content-Type": "application/json"]
        headers["Idempotency-Key"] = key(attempt, context)
        let request = HTTPRequest(
            .post, try url(attempt.reference, ["charge"]), headers: headers,
            body: JSONValue.object(["amount": .string(String(attempt.option.amount.minorUnits))]).serialized(),
            replay: replay == .sameKey ? .safe : .never)
        var state = try await context.step("charge", .mutation(replay: replay)) {
            try await exchange(attempt.reference, request, isMutation: true, context)
        }
        for _ in 0..<20 where !state.outcome(attempt.reference).isFinal {
            try await context.clock.sleep(for: .seconds(1))
            state = try await ask(attempt.reference, context)
        }
        // What was charged must be what was agreed.
        if state.status == "paid", try state.money() != attempt.option.amount {
            throw PaymentError(
                .integrity, "another amount was charged than was agreed", provider: descriptor.id, phase: .maybeSent)
        }
        return state.outcome(attempt.reference)
    }

    /// Asks the service.
    public func status(of payment: PaymentReference, in context: ProviderContext) async throws -> PaymentOutcome {
        try await ask(payment, context).outcome(payment)
    }

    // MARK: Service

    private struct State: Codable {
        let id: String
        let status: String
        let amount: String
        let currency: String

        func money() throws -> Money { try Money(minorUnitText: amount, currency: try Currency(unit: currency)) }

        func outcome(_ payment: PaymentReference) -> PaymentOutcome {
            switch status {
            case "paid": .succeeded(PaymentReceipt(reference: payment, amount: try? money()))
            case "expired": .expired
            case "open", "processing": .pending(retryAfter: .seconds(1))
            default: .unknown(UnknownOutcome(reference: payment, message: "the service reports a state unknown here"))
            }
        }
    }

    private func ask(_ payment: PaymentReference, _ context: ProviderContext) async throws -> State {
        try await exchange(payment, HTTPRequest(.get, try url(payment)), isMutation: false, context)
    }

    private func exchange(
        _ payment: PaymentReference, _ request: HTTPRequest, isMutation: Bool, _ context: ProviderContext
    ) async throws -> State {
        let response: HTTPResponse
        do { response = try await context.http.send(request) } catch {
            throw PaymentError(error, provider: descriptor.id, isMutation: isMutation)
        }
        // Not every 4xx says that nothing was done, least of all to a repetition: the core knows which do.
        guard response.status == 200 else {
            throw PaymentError(response, provider: descriptor.id, isMutation: isMutation)
        }
        let state = try? JSONValue(parsing: response.body).decode(State.self)
        guard let state, state.id == payment.id else {
            throw PaymentError(
                .invalidResponse, "the service's answer cannot be understood", provider: descriptor.id,
                phase: isMutation ? .maybeSent : .answered)
        }
        return state
    }

    private func url(_ payment: PaymentReference, _ rest: [String] = []) throws -> HTTPURL {
        try HTTPURL("https://\(KeyedService.host)").appending(["payments", payment.id] + rest)
    }
}
