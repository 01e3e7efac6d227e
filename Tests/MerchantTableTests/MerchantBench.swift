import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport

/// One payment of a merchant at a simulated service, and the faults that can meet an operation on it.
struct MerchantBench: Sendable {
    let merchant: any PaymentService
    let payment: PaymentReference
    let price: Money
    let clock: VirtualClock
    let faults: FaultInjector
    let wire: BetweenTransport
    let router: PaymentRouter
    /// Lets the next operation fail at the service.
    var fail: @Sendable (MerchantVerb) async -> Void = { _ in }
    /// Shows the effect of operations late; nil where answers to questions are old instead.
    var showLate: (@Sendable () async -> Void)?
    /// True if the service refunds parts of a payment; then a half is refunded.
    var refundsParts = true
    let notifications: @Sendable () async -> [IncomingNotification]
    /// The amounts that an operation has moved, in minor units; of cancellations their number.
    let moved: @Sendable (MerchantVerb) async -> [UInt128]

    init(
        _ merchant: any PaymentService, _ payment: PaymentReference, _ price: Money, _ sandbox: any SandboxService,
        _ clock: VirtualClock, notifications: @escaping @Sendable () async -> [IncomingNotification],
        moved: @escaping @Sendable (MerchantVerb) async -> [UInt128]
    ) throws {
        (self.merchant, self.payment, self.price, self.clock) = (merchant, payment, price, clock)
        faults = FaultInjector(sandbox)
        wire = BetweenTransport(SandboxTransport(faults))
        router = try Self.router(merchant, wire, clock, seed: 1)
        self.notifications = notifications
        self.moved = moved
    }

    private static func router(
        _ merchant: any PaymentService, _ wire: any HTTPTransport, _ clock: VirtualClock, seed: UInt64
    ) throws -> PaymentRouter {
        PaymentRouter(
            registry: try ProviderRegistry([merchant]), transport: wire, journal: InMemoryJournal(), clock: clock,
            random: SeededRandomSource(seed: seed))
    }

    /// Carries out `verb` under `fault`, and asks again a minute later.
    ///
    /// - Returns: what was stated and moved: at once, a minute later, and the payment's status then.
    func run(_ verb: MerchantVerb, _ fault: MerchantFault) async throws -> String {
        let other = try Self.router(merchant, SandboxTransport(faults), clock, seed: 2)
        let payment = payment
        let parts: UInt128 = verb == .refund && refundsParts ? 2 : 1
        let amount = try Money(minorUnits: price.minorUnits / parts, currency: price.currency)
        let earlier = await notifications()
        let isRequest: @Sendable (HTTPRequest) -> Bool = { verb.isRequest($0.method.rawValue, $0.url.path) }
        switch fault {
        case .requestLost: faults.inject(.dropBefore, when: verb.isRequest)
        case .answerLost: faults.inject(.dropAfter, when: verb.isRequest)
        case .statusLate:
            if let showLate { await showLate() } else { wire.once(before: isRequest) { wire.answerAsBefore(true) } }
        case .fails: await fail(verb)
        case .otherServer: wire.once(before: isRequest) { _ = await verb.state(payment, amount, by: other) }
        case .otherAmount:
            let half = try Money(minorUnits: amount.minorUnits / 2, currency: price.currency)
            wire.once(before: isRequest) {
                if verb == .cancel {
                    _ = await MerchantVerb.capture.state(payment, price, by: other)
                } else {
                    _ = await verb.state(payment, half, by: other)
                }
            }
        case .none, .secondServer, .lateMessage, .replayedMessage: break
        }
        let first = "\(await verb.state(payment, amount, by: router).rawValue) \(await text(verb))"
        wire.answerAsBefore(false)
        clock.advance(by: .seconds(60))
        switch fault {
        case .lateMessage: await handle(earlier)
        case .replayedMessage: for _ in 0..<2 { await handle(await notifications()) }
        default: break
        }
        let second = fault == .secondServer ? other : router
        let again = "\(await verb.state(payment, amount, by: second).rawValue) \(await text(verb))"
        let status: Statement
        do throws(PaymentError) { status = Statement(try await router.status(of: payment), nil) } catch {
            status = Statement(error)
        }
        return "\(first) | \(again) | \(status.rawValue)"
    }

    private func handle(_ notifications: [IncomingNotification]) async {
        for notification in notifications { _ = try? await router.handle(notification, from: merchant.descriptor.id) }
    }

    private func text(_ verb: MerchantVerb) async -> String {
        let moved = await moved(verb)
        return moved.isEmpty ? "0" : moved.map { "\($0)" }.joined(separator: "+")
    }
}

extension SandboxLedger {
    /// The amounts of the events of a payment in minor units, where `amount` returns the text of one.
    func units(of payment: String, _ amount: (Event) -> String?) -> [UInt128] {
        events(of: payment).compactMap(amount).compactMap { text in
            text.split(separator: " ").first.flatMap { UInt128($0.filter { $0 != "." }) }
        }
    }

    /// The refunded amounts of a payment in minor units.
    func refunds(of payment: String) -> [UInt128] {
        units(of: payment) { if case .refunded(let amount) = $0 { amount } else { nil } }
    }

    /// One for each cancellation of a payment.
    func cancellations(of payment: String) -> [UInt128] {
        events(of: payment).filter { $0 == .cancelled }.map { _ in 1 }
    }
}
