import Foundation
import PaymentCore
import Testing

@Suite("Attempts and what they are about")
struct AttemptTests {
    private static func attempt(_ key: String) throws -> PaymentAttempt {
        PaymentAttempt(
            id: AttemptID(rawValue: "a"), reference: PaymentReference(provider: "acme", id: "p1"),
            option: PaymentMethodOption(id: "o", title: "O", amount: try Money(minorUnits: 1, currency: .eur)),
            idempotencyKey: key, startedAt: Date(timeIntervalSince1970: 0), expiresAt: nil)
    }

    @Test("A step's key follows from the attempt's and the step's name, and is no other step's")
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
        // The boundary between the names is not ambiguous.
        #expect(try Self.attempt("ab").key(for: "c") != Self.attempt("a").key(for: "bc"))
        // The key survives releases: a service that has received it once must receive the same one again.
        #expect(try Self.attempt("key").key(for: "confirm") == "56866090-52dd-4e6a-b933-b5be162b0323")
    }

    @Test("A refund is no payment, whatever they are called")
    func subjects() throws {
        let refund = PaymentReference(provider: "acme", id: "7", subject: .refund(of: "p1"))
        let namesakes = [
            PaymentReference(provider: "acme", id: "7"), PaymentReference(provider: "acme", id: "refund:7"),
            PaymentReference(provider: "acme", id: "refund:7", subject: .refund(of: "p1")),
            PaymentReference(provider: "acme", id: "7", subject: .refund(of: "P1")),
            PaymentReference(provider: "acme", id: "7", subject: .refund(of: "")),
            PaymentReference(provider: "acme", id: "7", subject: .refund(of: "\u{301}p1")),
            PaymentReference(provider: "acme", id: "7", subject: .refund(of: nil)),
        ]
        for other in namesakes { #expect(refund != other) }
        #expect(Set(namesakes + [refund]).count == 8)
        #expect(Set((namesakes + [refund]).map(\.description)).count == 8)
        #expect(refund.refundedPayment == PaymentReference(provider: "acme", id: "p1"))
        #expect(namesakes[0].refundedPayment == nil && namesakes.last?.refundedPayment == nil)
        #expect("\(refund)" == "refund acme/7 of p1" && "\(namesakes[1])" == "acme/refund:7")
        for reference in namesakes + [refund] { #expect(PaymentReference(parts: reference.parts) == reference) }
        #expect(Set((namesakes + [refund]).map(\.parts)).count == 8)
        for parts in [
            ["acme", "gift", "7"], ["acme", "7"], ["acme", "refund", "7", ""], ["acme", "refund:p1", "7"],
        ] {
            #expect(PaymentReference(parts: parts) == nil)
        }
    }

    @Test("A refund that is made reads as refunded, a payment as paid", arguments: [nil, "t-1"] as [String?])
    func words(transaction: String?) {
        func words(_ subject: PaymentReference.Subject) -> String {
            let reference = PaymentReference(provider: "acme", id: "7", subject: subject)
            return "\(ServiceReport.succeeded(PaymentReceipt(reference: reference, transactionID: transaction)))"
        }
        let detail = transaction.map { " (transaction \($0))" } ?? ""
        #expect(words(.payment) == "paid" + detail && words(.refund(of: "p1")) == "refunded" + detail)
    }

    @Test("A reference is encoded with its subject, and none is read without one")
    func coding() throws {
        let payment = PaymentReference(provider: "acme", id: "p1")
        #expect(try JSONValue.encode(payment).text == #"{"id":"p1","provider":"acme","subject":"payment"}"#)
        let refund = PaymentReference(provider: "acme", id: "7", subject: .refund(of: "p1"))
        #expect(try JSONValue.encode(refund).text == #"{"id":"7","provider":"acme","subject":"refund of p1"}"#)
        for reference in [payment, refund] {
            #expect(try JSONValue.encode(reference).decode(PaymentReference.self) == reference)
        }
        let bare = try JSONValue(parsing: #"{"id":"refund:7","provider":"acme"}"#)
        #expect(throws: (any Error).self) { try bare.decode(PaymentReference.self) }
    }

    @Test("Every kind of step is read from its raw value, and from its encoded form", arguments: StepKind.all)
    func kinds(kind: StepKind) throws {
        #expect(StepKind(rawValue: kind.rawValue) == kind)
        #expect(try JSONValue.encode([kind]).decode([StepKind].self) == [kind])
        #expect(StepKind.all.count { $0.rawValue == kind.rawValue } == 1)
        // Only steps that move nothing may run again at any time.
        #expect(kind.movesMoney == (kind.repetition != .always || kind == .mutation(replay: .atAnyTime)))
    }
}
