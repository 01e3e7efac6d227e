public import PaymentCore

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
