import PaymentCore
import PaymentTesting
import SimulatedShop
import TestSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Subjects {
    /// The histories' shop, which has every capability, with its mistakes.
    ///
    /// - Parameter isMerchant: true for the merchant's capabilities only.
    static func shop(_ habits: ShopHabits = ShopHabits(), isMerchant: Bool = false) -> ConformanceSubject {
        let time = BorrowedClock()
        let provider = ShopProvider(habits, clock: time)
        let able: Set<ProviderDescriptor.Capability> = [.captures, .refunds, .cancels, .verifiesNotifications]
        return ConformanceSubject(
            isMerchant ? ShopMerchant(base: provider) : provider,
            capabilities: isMerchant ? able : able.union([.completesRedirects]), canaries: [ShopSignature.secret]
        ) { behaviour, clock, _ in
            time.borrow(clock)
            let service = ShopService(clock: clock)
            let id = "order1"
            await service.createPayment(
                id, behaviour == .payable ? .paidAtOnce : .paidAfterPolling, cents: 1000,
                polls: behaviour == .payable ? 2 : .max)
            await service.createPayment("order2", .paidAtOnce, cents: 1000)
            await service.pay("order2")
            var sale = ConformanceSubject.Sale(
                PaymentReference(provider: ShopProvider.id, id: id),
                price: try Money(minorUnits: 1000, currency: .eur),
                refunds: { await Array(service.refunds(of: id).values) },
                cancellations: { await service.cancellations(of: id) }, pay: { await service.pay(id) })
            sale.captures = ConformanceSubject.Sale.Captures(
                authorize: { await service.pay(id) }, made: { await service.collections(of: id) })
            return ConformanceSubject.Backend(
                link: isMerchant ? nil : "https://\(ShopProvider.linkHost)/\(id)",
                services: [ShopService.host: service], sale: sale,
                returns: ConformanceSubject.Returns(
                    own: [ShopProvider.returnURL, "\(ShopProvider.returnURL)?id=\(id)"],
                    others: ["\(ShopProvider.returnURL)?id=order2"]),
                notifications: mail(of: service, about: id, clock)
            ) {
                await Array(repeating: 1000, count: service.captures(of: id))
            }
        }
    }

    private static func mail(
        of service: ShopService, about id: String, _ clock: any PaymentClock
    ) -> ConformanceSubject.NotificationFixture {
        let body: JSONValue = ["id": .string(id), "status": "paid"]
        return ConformanceSubject.NotificationFixture(
            sent: {
                // Each payment has its own notifications.
                await service.notifications.filter {
                    (try? JSONValue(parsing: $0.body))?["id"]?.string == id
                }
            },
            foreign: { [ShopSignature.notification(body, at: clock.now, secret: ShopSignature.testSecret)] },
            stale: {
                let longAgo = clock.now.addingTimeInterval(-2 * ShopSignature.lifetime)
                return [ShopSignature.notification(body, at: longAgo)]
            })
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
