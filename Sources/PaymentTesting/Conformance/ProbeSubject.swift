import PaymentCore

/// One service of a vendor, as it is probed: in each world another vendor is opened.
struct ProbeSubject: Sendable {
    typealias Open = @Sendable (any PaymentClock, any RandomSource) throws -> any SimulatedVendor

    /// The vendor of one world, with a payment at it.
    struct Backend: Sendable {
        let service: any PaymentService
        let payer: Payer
        let payment: any SimulatedPayment

        /// The text that leads to the payment; nil where payers do not pay it by one, or pay at another service.
        var link: String? { service is any PaymentProvider ? payment.links.first : nil }

        var refundsOnce: Bool { (service as? any RefundingService)?.refundsOnce ?? false }

        /// Returns the refund of a part, with an amount that no other has; of the whole where parts are impossible.
        func part(_ id: String = "conformance-7") throws -> RefundRequest {
            let price = try price
            if refundsOnce { return RefundRequest(of: payment.reference, amount: price, id: id) }
            let third = try price.with(minorUnits: max(1, price.minorUnits / 3))
            return RefundRequest(of: payment.reference, amount: third, id: id)
        }

        var price: Money {
            get throws {
                guard let price = payment.price else { throw SkipError(reason: "the payment has no known price") }
                return price
            }
        }
    }

    /// The behaviour of the probed payment.
    enum Behaviour: Sendable, Hashable {
        /// It can be paid, and settles.
        case payable
        /// Once paid, it stays in progress permanently.
        case neverSettles
    }

    let open: Open
    /// The service's place among the vendor's.
    let index: Int
    /// The name of the usual scenario; nil for the vendor's own.
    let scenario: String?
    /// The service, in no world: for its statements about itself and about links.
    let service: any PaymentService
    /// The capabilities of all services of the vendor together, meant and real.
    let capabilities: (meant: Set<ProviderDescriptor.Capability>, real: [ProviderDescriptor.Capability])
    let secrets: [String]

    /// Returns a subject for each service of a vendor.
    static func all(paying scenario: String?, _ open: @escaping Open) throws -> [ProbeSubject] {
        let world = SimulatedWorld(seed: 1)
        defer { world.end() }
        let vendor = try open(world.clock, world.random)
        let real = vendor.services.flatMap { ProviderDescriptor.capabilities(of: $0) }
        return vendor.services.enumerated().map { index, service in
            ProbeSubject(
                open: open, index: index, scenario: scenario, service: service,
                capabilities: (vendor.capabilities, real), secrets: vendor.secrets)
        }
    }

    /// The service as a provider; nil for a merchant's service.
    var provider: (any PaymentProvider)? { service as? any PaymentProvider }

    /// Opens the vendor in a world, and makes a payment there; nil when there is none of this behaviour.
    func makeBackend(_ behaviour: Behaviour, in world: SimulatedWorld) async throws -> Backend? {
        let vendor = try open(world.clock, world.random)
        guard let scenario = usual(behaviour, among: vendor.scenarios) else { return nil }
        let payment = try await vendor.makePayment(scenario, over: nil)
        for (host, service) in vendor.hosts { world.connect(service, to: host) }
        var payer = vendor.payer
        if payer.chooser == nil, payer.policy == nil { payer.policy = .firstWhateverItCosts }
        return Backend(service: vendor.services[index], payer: payer, payment: payment)
    }

    private func usual(_ behaviour: Behaviour, among scenarios: [SimulatedScenario]) -> SimulatedScenario? {
        func first(_ ending: SimulatedScenario.Ending) -> SimulatedScenario? { scenarios.first { $0.ending == ending } }
        guard behaviour == .payable else { return provider == nil ? nil : first(.open) }
        // A merchant's service that captures needs what it can capture.
        if provider == nil, service is any CapturingService, let authorized = first(.authorized) { return authorized }
        // Which one is paid is the payer's matter.
        guard provider != nil, let scenario else { return first(.paid) }
        return scenarios.first { $0.name == scenario }
    }

    /// Returns the cases that can be tried with `backend`.
    func probeCases(in backend: Backend) -> [Trial.ProbeCase] {
        Trial.ProbeCase.allCases.filter { probeCase in
            switch probeCase {
            case .payment: backend.link != nil
            case .capture: service is any CapturingService && backend.payment.price != nil
            case .refund: service is any RefundingService && backend.payment.price != nil
            case .cancellation: service is any CancellingService && backend.payment.price != nil
            }
        }
    }
}

/// The reason why a probe cannot be made.
struct SkipError: Error { let reason: String }

extension Money {
    /// Returns another amount in the same currency.
    func with(minorUnits: UInt128) throws -> Money {
        try Money(minorUnits: minorUnits, currency: currency, exponent: exponent)
    }
}
