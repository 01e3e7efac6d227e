import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting

enum Samples {
    static let now = Date(timeIntervalSince1970: 1_800_000_000.125)

    static func reference(_ id: String = "p1") -> PaymentReference { PaymentReference(provider: "acme", id: id) }

    static func lease(_ payment: String = "p1", _ holder: String = "holder") -> PaymentLease {
        PaymentLease(payment: reference(payment), holder: holder, duration: .seconds(60))
    }

    static func attempt(_ id: String = "a1", _ payment: String = "p1", expiresAt: Date? = nil) throws -> PaymentAttempt
    {
        let option = PaymentMethodOption(
            id: "o1", title: "Naïve \"euros\" \u{0}\u{1F4B6}",
            amount: try Money(minorUnits: 12_345_678_901_234_567_890_123, currency: .eur),
            account: try AccountID("eip155:8453:0xab16a96D359eC26a11e2C2b3d8f8B8942d5Bfcdb"),
            needs: [.signing(method: "m_sign"), .page], expiresAt: expiresAt,
            providerData: ["nested": ["list": [1, "2.5", nil, true]]])
        return PaymentAttempt(
            id: AttemptID(rawValue: id), reference: reference(payment), option: option, idempotencyKey: "key-\(id)",
            startedAt: now, expiresAt: expiresAt)
    }

    static func entry(_ event: JournalEntry.Event, after seconds: Double = 0) -> JournalEntry {
        JournalEntry(date: now.addingTimeInterval(seconds), event: event)
    }

    /// One of every kind; the last one ends the attempt.
    static let events: [JournalEntry.Event] = [
        .stepStarted(name: "ask", kind: .query), .stepFinished(name: "ask", result: ["a": [1, nil, "x\u{0}y"]]),
        .stepStarted(name: "sign", kind: .interaction), .stepFinished(name: "sign", result: "0xs1gnature"),
        .stepStarted(name: "move", kind: .mutation(replay: .sameKey)), .stepFailed(name: "move", reason: "refused"),
        .stepStarted(name: "move", kind: .mutation(replay: .never)), .stepFinished(name: "move", result: nil),
        .outcome(.pending(retryAfter: .seconds(1.5))), .outcome(.pending(retryAfter: nil)),
        .outcome(.unknown(UnknownOutcome(reference: reference(), rawStatus: "odd", message: "?"))),
        .outcome(.succeeded(PaymentReceipt(reference: reference(), transactionID: "tx1"))),
    ]
}
