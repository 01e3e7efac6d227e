import Foundation
import PaymentCore
import Testing

/// The payee's part in what may be stated of a payment: its capture, its cancellations and its refunds.
@Suite("The payee's part in the ledger")
struct LedgerPayeeTests {
    private static let payment = PaymentReference(provider: "acme", id: "p1")
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func open(_ reference: PaymentReference, over amount: Int, id: String = "a") throws -> AttemptHistory {
        AttemptHistory(attempt: try attempt(reference, amount, id), entries: [])
    }

    /// A payment, capture, cancellation or refund that succeeded; its receipt states no amount.
    private func done(_ reference: PaymentReference, over amount: Int = 10) throws -> AttemptHistory {
        let outcome = Ledger.empty.verdict(
            on: try CheckedReport(.succeeded(PaymentReceipt(reference: reference)), of: reference), at: .run)
        return AttemptHistory(
            attempt: try attempt(reference, amount, "\(reference)"),
            entries: [JournalEntry(date: Self.now, event: .outcome(outcome))])
    }

    private func attempt(_ reference: PaymentReference, _ amount: Int, _ id: String) throws -> PaymentAttempt {
        PaymentAttempt(
            id: AttemptID(rawValue: id), reference: reference,
            option: PaymentMethodOption(
                id: "o", title: "O", amount: try Money(minorUnits: UInt128(amount), currency: .eur)),
            idempotencyKey: id, startedAt: Self.now, expiresAt: nil)
    }

    private func refund(_ id: String, of payment: String = "p1") -> PaymentReference {
        PaymentReference(provider: "acme", id: id, subject: .refund(of: payment))
    }

    private let capture = PaymentReference(provider: "acme", id: "p1", subject: .capture)

    /// Returns what is stated where the service says `report`, in a few words.
    private func stated(
        _ report: ServiceReport, _ histories: [AttemptHistory], refundsAreWhole: Bool = false
    ) throws -> String {
        var ledger = Ledger(histories, now: Self.now) { _ in true }
        if refundsAreWhole { ledger.refundsAreWhole = true }
        switch ledger.verdict(on: try CheckedReport(report, of: Self.payment), at: .question) {
        case .succeeded: return "paid"
        case .declined(let reason): return reason.code.rawValue
        case .unknown(let unknown): return unknown.message
        case let other: return "\(other)"
        }
    }

    private let paid = ServiceReport.succeeded(PaymentReceipt(reference: payment))
    private let unpaid = ServiceReport.declined(DeclineReason(.refused, "no"))

    @Test("Of several open cancellations the latest one is named")
    func cancellations() throws {
        let histories = try ["first", "second"].map { try open(Self.payment.cancellation, over: 10, id: $0) }
        #expect(try stated(paid, histories).hasPrefix("its cancellation was begun (attempt second)"))
    }

    @Test("Refunds are compared with what was captured, where less was than the payer had agreed to")
    func captured() throws {
        let records = [try done(Self.payment), try done(capture, over: 4)]
        #expect(try stated(paid, records + [done(refund("r"), over: 3)]) == "paid")
        #expect(try stated(paid, records + [done(refund("r"), over: 4)]) == "refunded")
        #expect(try stated(paid, records + [open(refund("r"), over: 4)]).hasPrefix("a refund of it was begun"))
    }

    @Test("Refunds of several amounts are added up")
    func sum() throws {
        let refunds = [try done(refund("r1"), over: 1), try done(refund("r2"), over: 2)]
        #expect(try stated(paid, [done(capture, over: 4)] + refunds) == "paid")
        #expect(try stated(paid, [done(capture, over: 3)] + refunds) == "refunded")
    }

    @Test("Where the service refunds payments as a whole, a refund is all of it, whatever its amount")
    func whole() throws {
        let records = [try done(Self.payment), try done(refund("r"), over: 1)]
        #expect(try stated(paid, records) == "paid")
        #expect(try stated(paid, records, refundsAreWhole: true) == "refunded")
    }

    @Test("Where the service denies a payment, it is called refunded only if all of it was refunded from here")
    func denied() throws {
        let taken = try done(capture)
        #expect(try stated(unpaid, [taken]).contains("is captured"))
        #expect(try stated(unpaid, [taken, done(refund("r"))]) == "refunded")
        #expect(try stated(unpaid, [taken, done(refund("r"), over: 9)]).contains("is refunded"))
        #expect(try stated(unpaid, [done(refund("r"))]).contains("is refunded"), "how much was paid is not known")
        #expect(try stated(unpaid, [done(refund("r"))], refundsAreWhole: true) == "refunded")
        let part = [try done(capture, over: 4), try done(refund("r"), over: 4)]
        #expect(try stated(unpaid, part) == "refunded")
    }

    @Test("Records of another payment say nothing of this one")
    func others() throws {
        let other = PaymentReference(provider: "acme", id: "p2")
        let records = [try done(other.cancellation), try done(refund("r", of: "p2"))]
        #expect(try stated(paid, records) == "paid")
        #expect(try stated(paid, records, refundsAreWhole: true) == "paid")
        #expect(try stated(unpaid, records) == "refused")
    }

    @Test("A cancellation that was begun does not stand against the service's refusal of the payment")
    func cancellationOfUnpaid() throws {
        let begun = JournalEntry(date: Self.now, event: .stepStarted(name: "cancel", kind: .mutation(replay: .never)))
        let open = AttemptHistory(attempt: try attempt(Self.payment.cancellation, 10, "a"), entries: [begun])
        #expect(try stated(unpaid, [open]) == "refused")
    }

    @Test("Of two records of one payment the first receipt is stated where the service denies it")
    func firstReceipt() throws {
        let receipts = try (1...2).map {
            PaymentReceipt(reference: Self.payment, amount: try Money(minorUnits: $0, currency: .eur))
        }
        let histories = try receipts.map { receipt in
            let outcome = Ledger.empty.verdict(
                on: try CheckedReport(.succeeded(receipt), of: Self.payment), at: .run)
            return AttemptHistory(
                attempt: try attempt(Self.payment, 10, "\(receipt)"),
                entries: [JournalEntry(date: Self.now, event: .outcome(outcome))])
        }
        let ledger = Ledger(histories, now: Self.now) { _ in true }
        let verdict = ledger.verdict(on: try CheckedReport(unpaid, of: Self.payment), at: .question)
        #expect(verdict == .succeeded(receipts[0]))
    }
}
