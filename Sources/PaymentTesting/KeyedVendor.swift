public import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The reference vendor: ``KeyedProvider`` at a ``KeyedService``.
public struct KeyedVendor: SimulatedVendor {
    /// The service.
    public let service: KeyedService
    /// The one provider.
    public let services: [any PaymentService]
    /// One scenario for each of the service's.
    public let scenarios: [SimulatedScenario] = [
        SimulatedScenario("paid-after-polling", "It settles after two questions about it.", ending: .paid),
        SimulatedScenario("paid-at-once", "It is settled at once.", ending: .paid),
        SimulatedScenario("declined", "The charge is refused.", ending: .declined),
        SimulatedScenario("never-settles", "It stays in progress permanently.", ending: .open),
    ]

    /// Opens the service without payments.
    public init(clock: any PaymentClock, random: any RandomSource) {
        self.init(KeyedProvider(), at: KeyedService(clock: clock))
    }

    package init(_ provider: any PaymentProvider, at service: KeyedService) {
        services = [provider]
        self.service = service
    }

    /// The service's host.
    public var hosts: [String: any SandboxService] { [KeyedService.host: service] }

    /// Makes a payment in euros.
    public func makePayment(_ scenario: SimulatedScenario, over amount: Money?) async -> any SimulatedPayment {
        let kind: KeyedService.Scenario =
            switch scenario.name {
            case "paid-at-once": .paidAtOnce
            case "declined": .declined
            case "never-settles": .neverSettles
            default: .paidAfterPolling
            }
        let made = await service.createPayment(kind, cents: amount?.minorUnits ?? 1000)
        let reference = PaymentReference(provider: services[0].descriptor.id, id: made.id)
        return KeyedPayment(service: service, reference: reference, links: [made.link])
    }

    private struct KeyedPayment: SimulatedPayment {
        let service: KeyedService
        let reference: PaymentReference
        let links: [String]

        func truth() async -> PaymentTruth {
            let (price, keys) = await (service.price(of: reference.id), service.keys(of: reference.id))
            var truth = PaymentTruth(
                taken: keys.map { _ in price }, isPaid: await service.isPaid(reference.id))
            truth.takers = Set(keys)
            truth.amounts = price.flatMap { try? Money(minorUnits: $0, currency: .eur) }.map { [$0] } ?? []
            return truth
        }

        func isMoved(by request: HTTPRequest) -> Bool {
            request.url.authority == KeyedService.host && request.url.path == "/payments/\(reference.id)/charge"
        }
    }
}

// MARK: - Provider

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
        return LinkMatch(.payment(String(id)))
    }

    /// Returns one option: to pay.
    ///
    /// - Throws: ``PaymentError`` when the service cannot be asked.
    public func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        let state = try await ask(request.reference, context)
        let amount = try state.money()
        let report = state.report(request.reference)
        let isOpen = state.status == "open"
        return ProviderQuote(
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

// MARK: - Service

/// A simulated service that takes money for every caller, and recognises repetitions only by their idempotency key.
///
/// Only the client's care prevents a double charge here; that makes it the strictest service to simulate with. The API
/// is small: `GET /payments/{id}`, and `POST /payments/{id}/charge` with `Idempotency-Key`.
public actor KeyedService: SandboxService {
    /// The API's host.
    public static let host = "api.keyed.example"

    /// The behaviour of a payment when it is charged.
    @nonexhaustive
    public enum Scenario: Sendable, Hashable, CaseIterable {
        /// It is settled at once.
        case paidAtOnce
        /// It settles after two questions about it.
        case paidAfterPolling
        /// The charge is refused with status 402; nothing is taken.
        case declined
        /// It stays in progress permanently.
        case neverSettles
    }

    private struct Payment {
        var cents: UInt128
        let scenario: Scenario
        let end: Date
        var keys: [String] = []
        var polls = 2
    }

    private let clock: any PaymentClock
    private let recognizesKeys: Bool
    private var payments: [String: Payment] = [:]

    /// Creates a service without payments.
    ///
    /// - Parameters:
    ///   - clock: The clock that decides when payments end.
    ///   - recognizesKeys: False makes a service that takes money for every request, repeated or not.
    public init(clock: any PaymentClock, recognizesKeys: Bool = true) {
        self.clock = clock
        self.recognizesKeys = recognizesKeys
    }

    /// Creates a payment that can be paid for `lifetime` seconds.
    ///
    /// - Returns: The link to it.
    public func createPayment(
        _ id: String, _ scenario: Scenario = .paidAtOnce, cents: UInt128 = 1000, lifetime: Double = 900
    ) -> String {
        payments[id] = Payment(cents: cents, scenario: scenario, end: clock.now.addingTimeInterval(lifetime))
        return "https://\(KeyedProvider.linkHost)/\(id)"
    }

    /// Creates a payment with the next free id.
    func createPayment(_ scenario: Scenario, cents: UInt128) -> (id: String, link: String) {
        let id = "p\(payments.count + 1)"
        return (id, createPayment(id, scenario, cents: cents))
    }

    /// Changes the price of a payment for which no money was taken.
    package func reprice(_ id: String, cents: UInt128) {
        if payments[id]?.keys.isEmpty == true { payments[id]?.cents = cents }
    }

    /// Returns the price of a payment.
    package func price(of id: String) -> UInt128? { payments[id]?.cents }

    /// Returns the number of times that money was taken for a payment.
    public func captures(of id: String) -> Int { payments[id]?.keys.count ?? 0 }

    /// Returns the keys with which money was taken for a payment, in order.
    public func keys(of id: String) -> [String] { payments[id]?.keys ?? [] }

    /// Returns true if the payment is paid, which is final.
    public func isPaid(_ id: String) -> Bool { payments[id].map { status($0) == "paid" } ?? false }

    /// Answers one request.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        let path = request.url.path.split(separator: "/").map(String.init)
        guard path.count >= 2, path[0] == "payments", var payment = payments[path[1]] else {
            return answer(404, ["error": "not_found"])
        }
        switch (request.method, path.dropFirst(2).first) {
        case (.get, nil):
            if !payment.keys.isEmpty { payment.polls -= 1 }
        case (.post, "charge"):
            guard let key = request.headers["Idempotency-Key"] else { return answer(400, ["error": "key_missing"]) }
            let amount = (try? JSONValue(parsing: request.body))?["amount"]?.string
            guard amount == String(payment.cents) else { return answer(422, ["error": "other_amount"]) }
            guard payment.scenario != .declined else { return answer(402, ["error": "declined"]) }
            let isRepetition = recognizesKeys && payment.keys.contains(key)
            if !isRepetition {
                guard !payment.keys.isEmpty || clock.now < payment.end else { return answer(410, ["error": "expired"]) }
                payment.keys.append(key)
            }
        default:
            return answer(404, ["error": "not_found"])
        }
        payments[path[1]] = payment
        return answer(
            200,
            [
                "id": .string(path[1]), "status": .string(status(payment)),
                "amount": .string(String(payment.cents)), "currency": "iso4217/EUR",
            ])
    }

    private func status(_ payment: Payment) -> String {
        guard !payment.keys.isEmpty else { return clock.now < payment.end ? "open" : "expired" }
        switch payment.scenario {
        case .neverSettles: return "processing"
        case .paidAfterPolling where payment.polls > 0: return "processing"
        default: return "paid"
        }
    }

    private func answer(_ status: Int, _ body: JSONValue) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: body.serialized())
    }
}
