import Foundation
import PaymentCore
import PaymentTesting

@testable import PaymentRouting

/// Attempts with every value that a journal stores. `Tests/Vectors/journals` has a file with them.
enum FormSamples {
    static let start = Date(timeIntervalSinceReferenceDate: 821_692_800.125)
    private static let acme: ProviderID = "acme"

    static func key() throws -> JournalKey {
        try JournalKey(Redacted([UInt8](repeating: 7, count: JournalKey.minimumLength)))
    }

    /// All of them, each sealed.
    static func sealed() throws -> [AttemptHistory] { try all().map(seal) }

    static func all() throws -> [AttemptHistory] {
        [
            try paid(), try refunded(),
            try history("a3", "declined", [.outcome(.declined(DeclineReason(.refused, "no")))]),
            try history("a4", "refund:note 7", [.outcome(.cancelled)]),
            try history("a5", "expired", [.outcome(.expired)]),
            try history(
                "a6", "left", [.stepStarted(name: "ask", kind: .query), .abandoned(reason: "changed their mind")]),
            try transferred(), try history("a8", "caf\u{E9}", []),
            try history("a9", "coffee", [.stepStarted(name: "settle", kind: .settlement(by: "orders-7"))]),
            try history(
                "a10", "decided",
                [
                    .stepStarted(name: "settle", kind: .settlement(by: "orders-7")),
                    .outcome(
                        .succeeded(
                            PaymentReceipt(
                                reference: PaymentReference(provider: acme, id: "decided"),
                                decision: "Mina decided: a statement", unproven: "a record without a preimage"))),
                ]),
            try history(
                "a11", "p1", [.stepStarted(name: "capture", kind: .mutation(replay: .sameKey))], subject: .capture),
            try history(
                "a12", "earlier",
                [
                    .outcome(
                        .succeeded(
                            PaymentReceipt(reference: PaymentReference(provider: acme, id: "earlier"), isEarlier: true)
                        ))
                ]),
        ]
    }

    /// One of everything, ended.
    private static func paid() throws -> AttemptHistory {
        let reference = PaymentReference(provider: acme, id: "p1")
        var option = PaymentMethodOption(
            id: "o1", title: "Naïve \"euros\" \u{1F4B6}",
            amount: try Money(minorUnits: 12_345_678_901_234_567_890_123, currency: .eur), isEstimate: true,
            account: try AccountID("eip155:8453:0xab16a96D359eC26a11e2C2b3d8f8B8942d5Bfcdb"),
            needs: [.signing(method: "m_sign"), .data, .page, .app(name: "Lark"), .code],
            expiresAt: start.addingTimeInterval(0.1), providerData: ["list": [1, "2.5", nil, true, ["a": 1]]])
        option.unmet = [.page]
        let attempt = PaymentAttempt(
            id: AttemptID(rawValue: "a1"), reference: reference, option: option, idempotencyKey: "key-1",
            startedAt: start, expiresAt: start.addingTimeInterval(300))
        return AttemptHistory(
            attempt: attempt,
            entries: entries([
                .stepStarted(name: "ask", kind: .query), .stepFinished(name: "ask", result: ["a": [1, nil, "é"]]),
                .stepStarted(name: "sign", kind: .interaction), .stepFinished(name: "sign", result: nil),
                .stepStarted(name: "move", kind: .mutation(replay: .sameKey)),
                .stepFailed(name: "move", reason: "not now"),
                .stepStarted(
                    name: "permit", kind: .signature(until: Date(timeIntervalSince1970: 1_800_000_000))),
                .stepFinished(name: "permit", result: nil),
                .stepFailed(name: "send", reason: "no network", wasSent: false),
                .stepStarted(name: "move", kind: .mutation(replay: .never)), .stepFinished(name: "move", result: "ok"),
                .outcome(.pending(retryAfter: .seconds(1.5))), .outcome(.pending(retryAfter: nil)),
                .outcome(.unknown(UnknownOutcome(reference: reference, rawStatus: "odd", message: "an odd word"))),
                .outcome(
                    .succeeded(
                        PaymentReceipt(
                            reference: reference, amount: try Money(minorUnits: 1050, currency: .eur),
                            transactionID: "tx1"))),
            ]))
    }

    /// A refund, in an asset's units.
    private static func refunded() throws -> AttemptHistory {
        let asset = Currency.asset(try AssetID("eip155:1/erc20:0x6b175474e89094c44da98b954eedeac495271d0f"))
        let amount = try Money(minorUnits: 150, currency: asset, exponent: 18)
        let request = RefundRequest(of: PaymentReference(provider: acme, id: "p1"), amount: amount, id: "note 7")
        let attempt = PaymentAttempt(
            id: AttemptID(rawValue: "a2"), reference: request.reference,
            option: PaymentMethodOption(id: "refund", title: "Refund", amount: amount), idempotencyKey: "key-2",
            startedAt: start, expiresAt: nil)
        return AttemptHistory(
            attempt: attempt,
            entries: entries([
                .stepStarted(name: "give back", kind: .mutation(replay: .atAnyTime)),
                .outcome(.succeeded(PaymentReceipt(reference: request.reference))),
            ]))
    }

    /// Coins that the wallet sends, with an outcome that is not known yet.
    private static func transferred() throws -> AttemptHistory {
        let reference = PaymentReference(provider: acme, id: "coins")
        return try history(
            "a7", "coins",
            [
                .stepStarted(name: "send", kind: .walletTransfer), .stepFinished(name: "send", result: "0xabc"),
                .outcome(.unknown(UnknownOutcome(reference: reference, message: "not seen yet"))),
            ])
    }

    private static func history(
        _ id: String, _ payment: String, _ events: [JournalEntry.Event],
        subject: PaymentReference.Subject = .payment
    ) throws -> AttemptHistory {
        AttemptHistory(
            attempt: PaymentAttempt(
                id: AttemptID(rawValue: id),
                reference: PaymentReference(provider: acme, id: payment, subject: subject),
                option: PaymentMethodOption(
                    id: "o", title: "Coins", amount: try Money(minorUnits: 21, currency: .satoshi), needs: [.data]),
                idempotencyKey: "key-" + id, startedAt: start, expiresAt: nil),
            entries: entries(events))
    }

    private static func entries(_ events: [JournalEntry.Event]) -> [JournalEntry] {
        events.enumerated().map {
            JournalEntry(date: start.addingTimeInterval(Double($0.offset) / 4), event: $0.element)
        }
    }

    private static func seal(_ history: AttemptHistory) throws -> AttemptHistory {
        let key = try key()
        var attempt = history.attempt
        var previous = try key.seal(attempt)
        attempt.seal = previous
        var entries = history.entries
        for index in entries.indices {
            // The answer of the wallet is sealed as it is, and erased at the end.
            var written = entries[index]
            if case .stepFinished("sign", _) = written.event {
                written = JournalEntry(date: written.date, event: .stepFinished(name: "sign", result: "0xs1gnature"))
            }
            previous = try key.seal(written, of: attempt.id, at: index, after: previous)
            entries[index].seal = previous
        }
        return AttemptHistory(attempt: attempt, entries: entries)
    }

    // MARK: Spendings

    /// Limits with room for all of them.
    static func limits() throws -> [SpendingLimit] {
        try [Currency.eur, .satoshi].map {
            SpendingLimit(try Money(minorUnits: Money.maximumMinorUnits, currency: $0), per: .month)
        }
    }

    /// One in every state, the first recorded by a slow clock.
    static func spendings() throws -> [SpendingRecord] {
        let today = SpendingDay(start, in: .gmt)
        let behind = SpendingDay(number: today.number - 1)
        let amounts = [
            try Money(minorUnits: 12_345_678_901_234_567_890_123, currency: .eur),
            try Money(minorUnits: 7, currency: .satoshi),
        ]
        func spending(_ id: String, _ amounts: [Money], _ day: SpendingDay, payee: String? = nil) -> Spending {
            Spending(
                attempt: AttemptID(rawValue: id), payment: PaymentReference(provider: acme, id: "refund:p of \(id)"),
                amounts: amounts, day: day, payee: payee, method: payee.map { _ in "caf\u{E9}" },
                keeper: payee == nil ? .journal : .application)
        }
        return [
            SpendingRecord(spending("s1", amounts, today, payee: "shop"), state: .paid, noticed: behind),
            SpendingRecord(spending("s2", [amounts[0]], behind), state: .released),
            SpendingRecord(spending("s3", [amounts[1]], behind), state: .reserved),
        ]
    }
}
