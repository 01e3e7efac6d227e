import PaymentCore
import PaymentRouting
import PaymentSettlement
import PaymentTesting
import TestSupport
import Testing

/// The claims of a payer's settler about an attempt, and what they prove.
@Suite("Reports of a settler")
struct SettlerReportTests {
    /// A settler that knows what it is asked about as this order, or fails.
    private struct KnowingSettler: StubSettler {
        let order: SettlementOrder?
        var failure: PaymentError?

        func order(named name: String) async throws -> SettlementOrder? {
            if let failure { throw failure }
            return order
        }
        func settle(_ settlement: Settlement) async throws -> SettlementState { .registered }
        func abandon(_ name: String) async throws -> SettlementState { .registered }
    }

    private static let endpoint = SettlementEndpoint(.lightningAddress, text: "ann@pay.example")
    private static let preimage = String(repeating: "07", count: 32)

    private static func order(
        _ state: SettlementState, _ amount: Money? = .cents(2100, .satoshi), at endpoint: SettlementEndpoint? = endpoint
    ) -> SettlementOrder {
        SettlementOrder(name: "a", endpoint: endpoint, amount: amount, state: state)
    }

    private func report(_ settler: (any PaymentSettler)?) async throws -> ServiceReport {
        let option = PaymentMethodOption(id: "only", title: "only", amount: .cents(2100, .satoshi))
        let attempt = PaymentAttempt(option: option, from: VirtualClock().now)
        let context = ProviderContext.unstored(
            hosts: [], http: RecordingTransport(), payer: Payer(settler: settler), clock: VirtualClock())
        return try await InvoiceProvider().settlement(of: attempt, in: context)
    }

    @Test("What is proven is paid, and no other payment's proof or amount is taken for this one's")
    func settled() async throws {
        guard
            case .succeeded(let receipt) = try await report(
                KnowingSettler(order: Self.order(.settled(.preimage(Self.preimage)))))
        else {
            Issue.record("it is paid")
            return
        }
        #expect(receipt.transactionID == Self.preimage && receipt.amount == .cents(2100, .satoshi))
        for order in [
            Self.order(.settled(.preimage("07"))), Self.order(.settled(.transaction("tx-1"))),
            Self.order(.settled(.preimage(Self.preimage)), .cents(2101, .satoshi)),
            Self.order(.settled(.preimage(Self.preimage)), at: nil),
        ] {
            let error = await #expect(throws: PaymentError.self) { try await report(KnowingSettler(order: order)) }
            #expect(error?.code == .integrity && error?.phase == .maybeSent, "\(order)")
        }
    }

    @Test("A payment without a proof names no transaction, and says so")
    func unproven() async throws {
        let order = Self.order(.settled(.unproven(paymentHash: Self.preimage)))
        guard case .succeeded(let receipt) = try await report(KnowingSettler(order: order)) else {
            Issue.record("it is paid")
            return
        }
        #expect(receipt.transactionID == nil && receipt.unproven?.contains(Self.preimage) == true)
    }

    @Test("An end without a payment is a refusal, and a payment in flight is pending")
    func unpaid() async throws {
        for (state, expected) in [
            (
                .nothingSent(reason: "no route"),
                .declined(DeclineReason(.refused, "the payer's settler sent nothing: no route"))
            ),
            (
                .nothingSent(reason: nil),
                .declined(DeclineReason(.refused, "the payer's settler sent nothing: it does not say why"))
            ),
            (
                .settledElsewhere(name: "other"),
                .declined(DeclineReason(.paidElsewhere, "the invoice was paid by another payment"))
            ),
            (.inFlight(retryAfter: .seconds(7)), .pending(retryAfter: .seconds(7))),
        ] as [(SettlementState, ServiceReport)] {
            #expect(try await report(KnowingSettler(order: Self.order(state))) == expected)
        }
    }

    @Test("Without an answer money may have moved; a settler that was not asked to pay has sent nothing")
    func unanswered() async throws {
        let silent = KnowingSettler(order: nil, failure: PaymentError(.network, "offline", phase: .beforeSend))
        for (settler, phase) in [
            (silent, .maybeSent), (KnowingSettler(order: nil), .maybeSent),
            (KnowingSettler(order: Self.order(.registered)), .beforeSend), (nil, .beforeSend),
        ] as [((any PaymentSettler)?, PaymentError.Phase)] {
            let error = await #expect(throws: PaymentError.self) { try await report(settler) }
            #expect(error?.code == .payer && error?.phase == phase && error?.retry == .later, "\(phase)")
        }
    }
}
