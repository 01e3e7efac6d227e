import Foundation
package import PaymentCore
package import PaymentTesting

/// A shop with every capability: returns, cancellations, captures, refunds, notifications, several spellings of a link,
/// and coins that the payer's wallet sends.
package struct ShopVendor: SimulatedVendor {
    /// The name of the scenario that stays in progress.
    package static let neverSettles = "neverSettles"

    /// Another payment at the shop, which is paid.
    private static let paid = "elsewhere"
    private static let merchants: Set<ProviderDescriptor.Capability> = [
        .captures, .refunds, .cancels, .verifiesNotifications,
    ]

    package let scenarios =
        ShopService.Scenario.allCases.map { SimulatedScenario($0) } + [
            SimulatedScenario(Self.neverSettles, "it stays in progress", ending: .open)
        ]
    package let capabilities: Set<ProviderDescriptor.Capability>
    package let services: [any PaymentService]
    package let secrets = [ShopSignature.secret]
    private let service: ShopService
    private let clock: any PaymentClock

    package init(clock: any PaymentClock, random: any RandomSource) {
        self.init(ShopHabits(), clock: clock)
    }

    /// Creates a shop.
    ///
    /// - Parameters:
    ///   - habits: the provider's habits; others than the default plant a mistake.
    ///   - isMerchant: true for the merchant's capabilities only, in a service of its own.
    package init(_ habits: ShopHabits, isMerchant: Bool = false, clock: any PaymentClock) {
        let provider = ShopProvider(habits, clock: clock)
        services = [isMerchant ? ShopMerchant(base: provider) : provider]
        capabilities = isMerchant ? Self.merchants : Self.merchants.union([.completesRedirects])
        service = ShopService(clock: clock)
        self.clock = clock
    }

    package var hosts: [String: any SandboxService] { [ShopService.host: service] }

    package func makePayment(_ scenario: SimulatedScenario, over amount: Money?) async throws -> any SimulatedPayment {
        let price = try amount ?? Money(minorUnits: 1000, currency: .eur)
        await service.makePaid(Self.paid)
        let known = ShopService.Scenario.allCases.first { "\($0)" == scenario.name }
        let id = await service.createPayment(
            known ?? .paidAfterPolling, cents: price.minorUnits, polls: known == nil ? .max : 2)
        return Order(service: service, clock: clock, id: id, price: price)
    }

    package func id(of reference: String) -> String { reference.lowercased() }

    private struct Order: SimulatedPayment {
        let service: ShopService
        let clock: any PaymentClock
        let id: String
        let price: Money?

        var reference: PaymentReference { PaymentReference(provider: ShopProvider.id, id: id) }
        var links: [String] {
            [id, id.uppercased(), "O" + id.dropFirst()].map { "https://\(ShopProvider.linkHost)/\($0)" }
        }

        func pay() async { await service.pay(id) }

        func truth() async -> PaymentTruth {
            let status = await service.status(of: id)
            var truth = PaymentTruth(
                taken: Array(repeating: price?.minorUnits, count: await service.captures(of: id)),
                isPaid: status == "paid")
            truth.captured = await service.collections(of: id)
            truth.refunded = await service.refunds(of: id).values.sorted()
            truth.cancellations = await service.cancellations(of: id)
            truth.isFinal = !["open", "processing"].contains(status)
            truth.takers = await service.keptKeys(of: id)
            truth.amounts = price.map { [$0] } ?? []
            truth.transactions = ["tx-\(id)"]
            return truth
        }

        func isMoved(by request: HTTPRequest) -> Bool {
            request.url.authority == ShopService.host
                && request.url.path.lowercased() == "/payments/\(id)/charge"
        }

        func messages() async -> VendorMessages {
            let now = clock.now
            let body: JSONValue = ["id": .string(id), "status": "paid"]
            let unsigned = IncomingNotification(headers: [:], body: body.serialized())
            var messages = VendorMessages()
            messages.returns = [ShopProvider.returnURL, "\(ShopProvider.returnURL)?id=\(id)"]
            messages.foreignReturns = ["\(ShopProvider.returnURL)?id=\(ShopVendor.paid)"]
            messages.notifications = await service.notifications.filter { notification in
                // A process that is stopped on the way may read one an hour later.
                (try? JSONValue(parsing: notification.body))?["id"]?.string == id
                    && ShopSignature.age(of: notification, at: now) < ShopSignature.lifetime - 3600
            }
            messages.foreignNotifications =
                [ShopSignature.notification(body, at: now, secret: ShopSignature.testSecret), unsigned]
                // The signature of another text.
                + messages.notifications.prefix(1).map {
                    IncomingNotification(headers: $0.headers, body: body.serialized() + [0x20])
                }
            messages.staleNotifications = [
                ShopSignature.notification(body, at: now.addingTimeInterval(-2 * ShopSignature.lifetime))
            ]
            return messages
        }
    }
}

extension SimulatedScenario {
    fileprivate init(_ scenario: ShopService.Scenario) {
        let (summary, ending): (String, Ending) =
            switch scenario {
            case .paidAtOnce: ("it is paid at once", .paid)
            case .paidAfterPolling: ("it is paid after two questions", .paid)
            case .firstCardRefused: ("the first card is refused", .paid)
            case .declined: ("every card is refused", .declined)
            case .failsLater: ("it fails in the end", .declined)
            }
        self.init("\(scenario)", summary, ending: ending)
    }
}

/// The shop as its merchant's server registers it: payers do not pay at it.
private struct ShopMerchant: CapturingService, RefundingService, CancellingService, NotificationReadingService {
    let base: ShopProvider

    var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: base.descriptor.id, name: "Shop for merchants", outboundHosts: base.descriptor.outboundHosts,
            replayWindow: base.descriptor.replayWindow)
    }
    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        try await base.status(of: payment, in: context)
    }
    func capture(_ request: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport {
        try await base.capture(request, in: context)
    }
    func status(of capture: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport {
        try await base.status(of: capture, in: context)
    }
    func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        try await base.refund(request, in: context)
    }
    func status(of refund: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        try await base.status(of: refund, in: context)
    }
    func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        try await base.cancel(payment, in: context)
    }
    func verify(_ notification: IncomingNotification) throws -> PaymentNotification { try base.verify(notification) }
}
