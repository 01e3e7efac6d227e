public import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The provider of ``KeyedService``: the smallest that keeps every rule, to simulate with and to start from.
public struct KeyedProvider: PaymentProvider {
    /// The host of its links.
    public static let linkHost = "pay.keyed.example"

    /// The provider's id, name, links and hosts.
    public let descriptor: ProviderDescriptor
    private let replay: MutationReplay
    private let key: @Sendable (PaymentAttempt, ProviderContext) -> String
    /// True if it asks for the payment's state in the step of the charge, after it.
    package var asksInStep = false

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - replay: The repetition rule that it declares for a charge.
    ///   - replayWindow: The time in which it declares that a charge may be repeated.
    ///   - key: The idempotency key; the attempt's, unless a test wants a mistake.
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

    /// Recognises a link by its path: the id is the one segment of it.
    public func recognize(_ link: PaymentLink) -> LinkMatch? {
        let id = link.path.dropFirst()
        guard !id.isEmpty, id.utf8.count <= 40, id.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit }) else {
            return nil
        }
        return LinkMatch(reference: String(id))
    }

    /// Returns one option: to pay.
    ///
    /// - Throws: ``PaymentError`` when the service cannot be asked.
    public func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> PaymentQuote {
        let state = try await ask(request.reference, context)
        let amount = try state.money()
        let report = state.report(request.reference)
        let isOpen = state.status == "open"
        return PaymentQuote(
            reference: request.reference, payee: Payee(name: "Keyed"), amount: amount,
            options: isOpen ? [PaymentMethodOption(id: "charge", title: "Charge", amount: amount)] : [],
            report: isOpen ? nil : report)
    }

    /// Charges, then asks until it is settled.
    ///
    /// - Throws: ``PaymentError``; with phase `maybeSent` money may have been taken.
    public func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        let url = try url(attempt.reference, ["charge"])
        let (key, isRepeatable) = (key(attempt, context), replay == .sameKey)
        var state: State = try await context.step("charge", .mutation(replay: replay)) {
            let charged: State = try await context.json(
                .post, url, body: ["amount": .string(String(attempt.option.amount.minorUnits))],
                headers: isRepeatable ? [:] : ["Idempotency-Key": key], idempotencyKey: isRepeatable ? key : nil,
                accepting: [200])
            return asksInStep ? try await ask(attempt.reference, context) : charged
        }
        guard state.id == attempt.reference.id else { throw otherPayment(phase: .maybeSent) }
        for _ in 0..<20 where !state.report(attempt.reference).isFinal {
            try await context.clock.sleep(for: .seconds(1))
            state = try await ask(attempt.reference, context)
        }
        // The charged amount must be the agreed one.
        if state.status == "paid", try state.money() != attempt.option.amount {
            throw PaymentError(
                .integrity, "another amount was charged than was agreed", provider: descriptor.id, phase: .maybeSent)
        }
        return state.report(attempt.reference)
    }

    /// Asks the service.
    ///
    /// - Throws: ``PaymentError`` when the service cannot be asked.
    public func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        try await ask(payment, context).report(payment)
    }

    // MARK: Service

    private struct State: Codable {
        let id: String
        let status: String
        let amount: String
        let currency: String

        func money() throws -> Money { try Money(minorUnitText: amount, currency: try Currency(unit: currency)) }

        func report(_ payment: PaymentReference) -> ServiceReport {
            switch status {
            case "paid": .succeeded(PaymentReceipt(reference: payment, amount: try? money()))
            case "expired": .expired
            case "open", "processing": .pending(retryAfter: .seconds(1))
            default: .unknown(UnknownOutcome(reference: payment, message: "the service reports a state unknown here"))
            }
        }
    }

    private func ask(_ payment: PaymentReference, _ context: ProviderContext) async throws -> State {
        let state: State = try await context.json(.get, try url(payment), accepting: [200])
        guard state.id == payment.id else { throw otherPayment(phase: .answered) }
        return state
    }

    private func otherPayment(phase: PaymentError.Phase) -> PaymentError {
        PaymentError(
            .invalidResponse, "the service answered about another payment", provider: descriptor.id, phase: phase)
    }

    private func url(_ payment: PaymentReference, _ rest: [String] = []) throws -> HTTPURL {
        try HTTPURL("https://\(KeyedService.host)").appending(["payments", payment.id] + rest)
    }
}
