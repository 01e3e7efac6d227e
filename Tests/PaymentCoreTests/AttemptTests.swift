import PaymentCore
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Attempts and what they are about")
struct AttemptTests {
    private static func attempt(_ key: String) throws -> PaymentAttempt {
        PaymentAttempt(
            id: AttemptID(rawValue: "a"), reference: PaymentReference(provider: "acme", id: "p1"),
            option: PaymentOption(id: "o", title: "O", amount: try Money(minorUnits: 1, currency: .eur)),
            idempotencyKey: key, startedAt: Date(timeIntervalSince1970: 0), expiresAt: nil)
    }

    @Test("A step's key follows from the attempt's and the step's name, and is nobody else's")
    func keys() throws {
        var seen: Set<String> = []
        for number in 0..<500 {
            let attempt = try Self.attempt("7f0c9c8e-3c5d-4a1b-9d55-\(100_000_000_000 + number)")
            for step in ["confirm", "confirm ", "", "capture"] {
                let key = attempt.key(for: step)
                #expect(key == attempt.key(for: step))
                #expect(seen.insert(key).inserted)
                #expect(UUID(uuidString: key) != nil && key.utf8.count == 36)
            }
        }
        // Where the names meet says nothing.
        #expect(try Self.attempt("ab").key(for: "c") != Self.attempt("a").key(for: "bc"))
        // It outlives a release: a service that has seen it once must see the same one again.
        #expect(try Self.attempt("key").key(for: "confirm") == "56866090-52dd-4e6a-b933-b5be162b0323")
    }

    @Test("A refund is no payment, whatever they are called")
    func subjects() throws {
        let refund = PaymentReference(provider: "acme", id: "7", subject: .refund)
        let namesakes = [
            PaymentReference(provider: "acme", id: "7"), PaymentReference(provider: "acme", id: "refund:7"),
            PaymentReference(provider: "acme", id: "refund:7", subject: .refund),
        ]
        for other in namesakes { #expect(refund != other) }
        #expect(Set(namesakes + [refund]).count == 4)
        #expect("\(refund)" == "acme/refund:7")
    }

    @Test("A refund that is made reads as refunded, a payment as paid", arguments: [nil, "t-1"] as [String?])
    func words(transaction: String?) {
        func words(_ subject: PaymentReference.Subject) -> String {
            let reference = PaymentReference(provider: "acme", id: "7", subject: subject)
            return "\(PaymentOutcome.succeeded(PaymentReceipt(reference: reference, transactionID: transaction)))"
        }
        let detail = transaction.map { " (transaction \($0))" } ?? ""
        #expect(words(.payment) == "paid" + detail && words(.refund) == "refunded" + detail)
    }

    @Test("References are written as before, refunds with their subject; old ones are read as payments")
    func coding() throws {
        let payment = PaymentReference(provider: "acme", id: "p1")
        #expect(try JSONValue.encode(payment).text == #"{"id":"p1","provider":"acme"}"#)
        let refund = PaymentReference(provider: "acme", id: "7", subject: .refund)
        #expect(try JSONValue.encode(refund).text == #"{"id":"7","provider":"acme","subject":"refund"}"#)
        for reference in [payment, refund] {
            #expect(try JSONValue.encode(reference).decode(PaymentReference.self) == reference)
        }
        let old = try JSONValue(parsing: #"{"id":"refund:7","provider":"acme"}"#)
        #expect(try old.decode(PaymentReference.self) == PaymentReference(provider: "acme", id: "refund:7"))
    }

    @Test("What was stored of a refund before it had a subject of its own is told as the refund's")
    func oldOutcomes() throws {
        let request = RefundRequest(
            of: PaymentReference(provider: "acme", id: "p1"), amount: try Money(minorUnits: 5, currency: .eur), id: "7")
        let old = PaymentReference(provider: "acme", id: "refund:7")
        func history(_ outcome: PaymentOutcome, _ refund: RefundRequest?) throws -> AttemptHistory {
            let sample = try Self.attempt("k")
            let attempt = PaymentAttempt(
                id: sample.id, reference: refund?.reference ?? old, option: sample.option, idempotencyKey: "k",
                startedAt: sample.startedAt, expiresAt: nil, refund: refund)
            return AttemptHistory(
                attempt: attempt, entries: [JournalEntry(date: sample.startedAt, event: .outcome(outcome))])
        }
        let paid = PaymentOutcome.succeeded(PaymentReceipt(reference: old, transactionID: "t"))
        #expect(
            try history(paid, request).outcome
                == .succeeded(PaymentReceipt(reference: request.reference, transactionID: "t")))
        let unknown = PaymentOutcome.unknown(UnknownOutcome(reference: old, rawStatus: "x", message: "m"))
        #expect(
            try history(unknown, request).outcome
                == .unknown(UnknownOutcome(reference: request.reference, rawStatus: "x", message: "m")))
        #expect(try history(paid, nil).outcome == paid, "a payment that is called so stays one")
    }
}
