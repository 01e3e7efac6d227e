import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

/// One payment of a merchant at a simulated vendor, and the faults that can meet an operation on it.
struct MerchantBench: Sendable {
    /// Lets the next operation fail at the service.
    typealias Failure = @Sendable (MerchantVerb, FaultInjector) async -> Void

    let merchant: any PaymentService
    let payment: any SimulatedPayment
    let price: Money
    let clock: VirtualClock
    let faults: FaultInjector
    let wire: BetweenTransport
    let router: PaymentRouter
    let fail: Failure
    /// Shows the effect of operations late; nil where answers to questions are old instead.
    var showLate: (@Sendable () async -> Void)?

    /// Makes a payment in the state that `verb` needs: authorised where the vendor has such payments, and paid for a
    /// refund.
    init(
        _ vendor: some SimulatedVendor, _ verb: MerchantVerb, _ clock: VirtualClock, fail: @escaping Failure
    ) async throws {
        let authorized = vendor.scenarios.first { $0.ending == .authorized }
        let scenario = try #require(authorized ?? vendor.scenarios.first { $0.ending == .paid })
        payment = try await vendor.makePayment(scenario, over: nil)
        if verb == .refund { await payment.pay() } else if authorized != nil { await payment.authorize() }
        price = try #require(payment.price)
        merchant = try #require(vendor.services.last)
        (self.clock, self.fail) = (clock, fail)
        faults = FaultInjector(Hosts(services: vendor.hosts))
        wire = BetweenTransport(SandboxTransport(faults))
        router = try Self.router(merchant, wire, clock, seed: 1)
    }

    /// The vendor's services by their hosts.
    private struct Hosts: SandboxService {
        let services: [String: any SandboxService]

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            await services[request.url.authority]?.respond(to: request) ?? HTTPResponse(status: 404)
        }
    }

    private static func router(
        _ merchant: any PaymentService, _ wire: any HTTPTransport, _ clock: VirtualClock, seed: UInt64
    ) throws -> PaymentRouter {
        try PaymentRouter(merchant, over: wire, clock: clock, seed: seed)
    }

    /// Carries out `verb` under `fault`, and asks again a minute later.
    ///
    /// - Returns: what was stated and moved: at once, a minute later, and the payment's status then.
    func run(_ verb: MerchantVerb, _ fault: MerchantFault) async throws -> String {
        let other = try Self.router(merchant, SandboxTransport(faults), clock, seed: 2)
        let payment = payment.reference
        // Where parts can be refunded, a half is.
        let refundsOnce = (merchant as? any RefundingService)?.refundsOnce ?? false
        let parts: UInt128 = verb == .refund && !refundsOnce ? 2 : 1
        let amount = try Money(minorUnits: price.minorUnits / parts, currency: price.currency)
        let earlier = await self.payment.messages().notifications
        let isRequest: @Sendable (HTTPRequest) -> Bool = { verb.isRequest($0.method.rawValue, $0.url.path) }
        switch fault {
        case .requestLost: faults.inject(.dropBefore, when: verb.isRequest)
        case .answerLost: faults.inject(.dropAfter, when: verb.isRequest)
        case .statusLate:
            if let showLate { await showLate() } else { wire.once(before: isRequest) { wire.answerAsBefore(true) } }
        case .fails: await fail(verb, faults)
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
        case .replayedMessage: for _ in 0..<2 { await handle(await self.payment.messages().notifications) }
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
        let truth = await payment.truth()
        let moved: [UInt128] =
            switch verb {
            case .capture: truth.captured
            case .cancel: Array(repeating: 1, count: truth.cancellations)
            case .refund: truth.refunded
            }
        return moved.isEmpty ? "0" : moved.map { "\($0)" }.joined(separator: "+")
    }
}
