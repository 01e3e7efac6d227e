import Foundation
import PaymentCore
import TestSupport
import Testing

/// Rules of what records allow to be stated. Each face with each record is in the table of `PaymentRoutingTests`.
@Suite("The ledger")
struct LedgerTests {
    private static let payment = PaymentReference(provider: "acme", id: "p1")
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func history(
        _ id: String, _ events: [JournalEntry.Event], of reference: PaymentReference = payment
    ) throws -> AttemptHistory {
        let attempt = PaymentAttempt(
            id: AttemptID(rawValue: id), reference: reference,
            option: PaymentMethodOption(id: "o", title: "O", amount: try Money(minorUnits: 1, currency: .eur)),
            idempotencyKey: id, startedAt: Self.now, expiresAt: nil)
        return AttemptHistory(attempt: attempt, entries: events.map { JournalEntry(date: Self.now, event: $0) })
    }

    private static let sent = JournalEntry.Event.stepStarted(name: "send", kind: .walletTransfer)

    @Test("What the service reports as paid or pending is stated, whatever is recorded")
    func paid() throws {
        let ledger = Ledger([try history("open", [Self.sent])], now: Self.now) { _ in false }
        for report: ServiceReport in [
            .succeeded(PaymentReceipt(reference: Self.payment)), .pending(retryAfter: nil),
        ] {
            for face in [Ledger.Face.run, .question, .otherName] {
                #expect(try ledger.verdict(on: CheckedReport(report, of: Self.payment), at: face) == report)
            }
        }
    }

    @Test("Another attempt's refusal ends no attempt that the service has taken and not ended")
    func otherAttempt() throws {
        let taken: [JournalEntry.Event] = [
            .stepStarted(name: "confirm", kind: .mutation(replay: .never)),
            .stepFinished(name: "confirm", result: .object([:])),
        ]
        let ledger = Ledger([try history("taken", taken)], now: Self.now) { _ in true }
        let refusal = CheckedReport.refused(.refused, "no", of: Self.payment)
        #expect(ledger.verdict(on: refusal, at: .question).isFinal)
        let stated = ledger.verdict(on: refusal, at: .otherName)
        let unknown = try #require(stated.unknownOutcome, "stated: \(stated)")
        #expect(unknown.message.contains("the attempt taken is open here"))
    }

    @Test("A payment that only the settler sees is not over while an attempt is open, whatever an earlier one says")
    func openSettlement() throws {
        let refusal = Ledger.empty.verdict(on: .refused(.refused, "no", of: Self.payment), at: .run)
        let refused = try history("refused", [.outcome(refusal)])
        for (events, words) in [
            ([Self.sent], "money may have moved"), ([], "nothing was sent yet"),
        ] as [([JournalEntry.Event], String)] {
            let ledger = Ledger([refused, try history("open", events)], now: Self.now) { _ in true }
            let unknown = try #require(ledger.recorded(of: Self.payment).unknownOutcome, "it is open")
            #expect(unknown.message.contains(words) && unknown.message.contains("the attempt open is open"))
        }
        let closed = Ledger([refused], now: Self.now) { _ in true }
        #expect(closed.recorded(of: Self.payment) == refusal)
    }

    @Test(
        "Of payments that only the settler sees the latest end counts, a success before all, and what cannot be trusted"
    )
    func latest() throws {
        func ended(_ id: String, _ report: CheckedReport) throws -> AttemptHistory {
            try history(id, [.outcome(Ledger.empty.verdict(on: report, at: .run))])
        }
        let refused = try ended("refused", .refused(.refused, "no", of: Self.payment))
        let cancelled = try ended("cancelled", .cancelled(Self.payment))
        let paid = try ended(
            "paid", CheckedReport(.succeeded(PaymentReceipt(reference: Self.payment)), of: Self.payment))
        func recorded(_ histories: AttemptHistory..., distrusted: Set<String> = []) -> PaymentOutcome {
            Ledger(histories, now: Self.now) { !distrusted.contains($0.attempt.id.rawValue) }
                .recorded(of: Self.payment)
        }
        #expect(recorded(refused, cancelled) == cancelled.outcome)
        #expect(recorded(cancelled, refused) == refused.outcome)
        #expect(recorded(refused, paid, cancelled) == paid.outcome)
        #expect(try recorded(history("open", []), paid) == paid.outcome)
        let amount = try Money(minorUnits: 1, currency: .eur)
        let receipt = PaymentReceipt(reference: Self.payment, amount: amount)
        let again = try ended("again", CheckedReport(.succeeded(receipt), of: Self.payment))
        #expect(recorded(paid, again) == paid.outcome && recorded(again, paid) == again.outcome)
        #expect(words(recorded(refused, paid, distrusted: ["paid"])).contains("the attempt paid was changed"))
        let both: Set = ["refused", "paid"]
        #expect(words(recorded(refused, paid, distrusted: both)).contains("the attempt refused was changed"))
        #expect(try words(recorded(history("one", []), history("two", []))).contains("the attempt two is open"))
        #expect(words(recorded()).contains("nothing was paid from here"))
    }

    @Test("A signature stands against a refusal until its end, and only while its attempt is open")
    func signature() throws {
        let refusal = CheckedReport.refused(.refused, "no", of: Self.payment)
        func verdict(until end: TimeInterval, _ ending: [JournalEntry.Event] = []) throws -> PaymentOutcome {
            let signed: [JournalEntry.Event] = [
                .stepStarted(name: "sign", kind: .signature(until: Self.now.addingTimeInterval(end))),
                .stepFinished(name: "sign", result: "0x51"),
                .stepStarted(name: "confirm", kind: .mutation(replay: .never)),
                .stepFailed(name: "confirm", reason: "no"),
            ]
            return Ledger([try history("signed", signed + ending)], now: Self.now) { _ in true }
                .verdict(on: refusal, at: .run)
        }
        #expect(try !verdict(until: 1).isFinal)
        #expect(try verdict(until: 0).isFinal)
        // An attempt that ended before the device's clock was set back.
        let refused = Ledger.empty.verdict(on: refusal, at: .run)
        #expect(try verdict(until: 1, [.outcome(refused)]) == refused)
    }

    /// The words of an outcome that is not known.
    private func words(_ outcome: PaymentOutcome) -> String {
        if case .unknown(let unknown) = outcome { unknown.message } else { "\(outcome)" }
    }

    @Test("What became of an order is asked of its settler, and of a wallet's transfer of the payee")
    func transfers() throws {
        func verdict(_ events: [JournalEntry.Event]) throws -> String {
            words(
                Ledger([try history("open", events)], now: Self.now) { _ in true }
                    .verdict(on: .refused(.refused, "no", of: Self.payment), at: .run))
        }
        let order = JournalEntry.Event.stepStarted(name: "settle", kind: .settlement(by: "orders"))
        let request = JournalEntry.Event.stepStarted(name: "confirm", kind: .mutation(replay: .never))
        #expect(try verdict([order]).hasSuffix("do not pay again, resume it, so that the settler is asked"))
        #expect(try verdict([request, order]).hasSuffix("so that the settler is asked"))
        #expect(try verdict([Self.sent]).hasSuffix("do not pay again, ask the payee"))
        #expect(try verdict([Self.sent, request]).hasSuffix("do not pay again, ask the payee"))
    }

    @Test("All transactions of an attempt are stated, in the order of their steps' names")
    func transactions() throws {
        let names = ["d", "b", "a", "c"]
        let sent = try history(
            "open",
            names.map { .stepStarted(name: $0, kind: .walletTransfer) }
                + names.map { .stepFinished(name: $0, result: .string("0x\($0)")) })
        #expect(sent.walletTransfers == ["0xa", "0xb", "0xc", "0xd"])
        let verdict = Ledger([sent], now: Self.now) { _ in true }
            .verdict(on: .refused(.refused, "no", of: Self.payment), at: .run)
        #expect(words(verdict).contains("(transaction 0xa, 0xb, 0xc, 0xd)"))
        let error = #expect(throws: PaymentError.self) {
            try Ledger([sent], now: Self.now) { _ in true }.outcome(of: sent, decided: .notPaid, "Ann: a statement")
        }
        #expect(error?.code == .decisionRefused)
        #expect(error?.message.hasPrefix("the wallet has sent the money (0xd)") == true, "\(error?.message ?? "")")
    }

    @Test("A report that is not known is stated in its words, unless money may have moved without the service")
    func unknown() throws {
        let report = CheckedReport.unknown("the service is closed", of: Self.payment)
        let request = JournalEntry.Event.stepStarted(name: "confirm", kind: .mutation(replay: .never))
        for isSound in [true, false] {
            let ledger = Ledger([try history("open", [request])], now: Self.now) { _ in isSound }
            for face in [Ledger.Face.run, .question, .otherName] {
                #expect(words(ledger.verdict(on: report, at: face)) == "the service is closed")
            }
        }
        let sent = Ledger([try history("open", [Self.sent])], now: Self.now) { _ in true }
        let stated = words(sent.verdict(on: report, at: .run))
        #expect(stated.hasPrefix("the wallet may have sent the money") && stated.contains("the service is closed"))
    }

    @Test("A payment in another currency is another payer's; a refund's receipt in one is never taken for that")
    func otherCurrency() throws {
        let attempt = PaymentReference(provider: "acme", id: "r1", subject: .refund(of: "p1"))
        for reference in [Self.payment, attempt] {
            let receipt = PaymentReceipt(reference: reference, amount: try Money(minorUnits: 1, currency: .usd))
            let open = try history("open", [], of: reference)
            let report = try CheckedReport(.succeeded(receipt), of: reference)
            guard reference.isPayment else {
                let error = #expect(throws: PaymentError.self) { try report.checked(against: open) }
                #expect(error?.code == .integrity && error?.phase == .maybeSent)
                continue
            }
            #expect(try report.checked(against: open).deniesPayment)
        }
    }

    @Test("A stored outcome is read as what it was")
    func stored() throws {
        for report: ServiceReport in [
            .succeeded(PaymentReceipt(reference: Self.payment)), .declined(DeclineReason(.refused, "no")), .cancelled,
            .expired, .pending(retryAfter: .seconds(3)),
            .unknown(UnknownOutcome(reference: Self.payment, message: "the service is closed")),
        ] {
            let outcome = Ledger.empty.verdict(on: try CheckedReport(report, of: Self.payment), at: .run)
            let stored = try JSONEncoder().encode(outcome)
            #expect(try JSONDecoder().decode(PaymentOutcome.self, from: stored) == outcome)
            #expect(outcome == report)
        }
    }

    @Test("A stopped call is stated with the open attempt, the latest of several, and by its error alone without one")
    func stopped() throws {
        let error = PaymentError(.network, "no answer", provider: "acme", phase: .maybeSent)
        func unknown(_ histories: [AttemptHistory]) throws -> UnknownOutcome {
            let statement = Ledger(histories, now: Self.now) { _ in true }.statement(on: error, of: Self.payment)
            guard case .unanswered(error, let unknown) = statement else { throw error }
            return unknown
        }
        let bare = try unknown([])
        #expect(bare.message == "no answer" && bare.reference == Self.payment)
        let other = PaymentReference(provider: "acme", id: "p2")
        let named = try unknown([try history("one", []), try history("two", [Self.sent], of: other)])
        #expect(named.reference == other)
        #expect(named.message.hasPrefix("no answer; the attempt two is open"), "\(named.message)")
    }
}
