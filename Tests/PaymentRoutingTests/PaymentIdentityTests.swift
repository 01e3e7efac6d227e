import Foundation
import PaymentCore
import PaymentTesting
import TestSupport
import Testing

@testable import PaymentRouting

/// A provider that is asked nothing.
private protocol Unasked: PaymentProvider {}

extension Unasked {
    var descriptor: ProviderDescriptor { ProviderDescriptor(id: "acme", name: "Acme", patterns: [], outboundHosts: []) }
    func recognize(_ link: PaymentLink) -> LinkMatch? { nil }
    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote { throw nothing }
    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport { throw nothing }
    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        throw nothing
    }
    var nothing: PaymentError { PaymentError(.unsupported, "it is asked nothing", provider: "acme") }
}

@Suite("Which records are of one payment")
struct PaymentIdentityTests {
    private struct Plain: Unasked {}

    private struct Aliased: Unasked, AliasedPaymentProvider {
        func isUnresolved(_ payment: PaymentReference) -> Bool { payment.id.hasPrefix("short-") }
    }

    private struct Paying: Unasked, PayeeProvider {
        func payee(of option: PaymentMethodOption) -> String? { option.providerData?.string }
    }

    private struct Reusing: Unasked, ReusableReferenceProvider {
        func distinguish(_ link: PaymentLink, from attempt: PaymentAttempt) throws(PaymentError) {
            if link.queryItems.values("id").first.map(String.init) != attempt.idempotencyKey {
                throw PaymentError(.integrity, "another payment", provider: "acme")
            }
        }
    }

    private struct Capturing: Unasked, CapturingService {
        func capture(_ request: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport {
            throw nothing
        }
        func status(of capture: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport {
            throw nothing
        }
    }

    private func identity(_ service: any PaymentProvider) -> PaymentIdentity { PaymentIdentity(at: "acme", service) }

    private func payment(
        _ id: String, at provider: ProviderID = "acme", _ subject: PaymentReference.Subject = .payment
    ) -> PaymentReference {
        PaymentReference(provider: provider, id: id, subject: subject)
    }

    private func attempt(
        _ reference: PaymentReference, key: String = "key", to payee: String? = nil, until end: Date? = nil
    ) throws -> PaymentAttempt {
        let option = PaymentMethodOption(
            id: "o", title: "O", amount: .cents(1), providerData: payee.map { .string($0) })
        return PaymentAttempt(at: reference, option: option, key: key, from: .distantPast, until: end)
    }

    @Test("A payment's records are its own, and where its payee handles it what the payee did; a refund's only its own")
    func records() async throws {
        let journal = InMemoryJournal()
        let subjects: [(String, PaymentReference.Subject)] = [
            ("p1", .payment), ("p1", .capture), ("p1", .cancellation), ("r1", .refund(of: "p1")),
            ("r1", .refund(of: "p2")), ("p2", .payment), ("p2", .capture),
        ]
        for (number, (id, subject)) in subjects.enumerated() {
            let reference = payment(id, subject)
            try await journal.leave(PaymentAttempt("\(number)", at: reference, from: .distantPast))
        }
        func records(_ id: String, _ subject: PaymentReference.Subject = .payment, at service: any PaymentProvider)
            async throws -> [String]
        {
            try await identity(service).records(of: payment(id, subject), in: journal).map(\.attempt.id.rawValue)
        }
        #expect(try await records("p1", at: Plain()) == ["0"])
        #expect(try await records("p1", at: Capturing()) == ["0", "1", "2", "3"])
        #expect(try await records("p2", at: Capturing()) == ["5", "6", "4"])
        #expect(try await records("r1", .refund(of: "p1"), at: Capturing()) == ["3"])
        #expect(try await records("p1", .capture, at: Capturing()) == ["1"])
    }

    @Test("A payment to a payee is one at this provider whose option leads to this payee")
    func payees() throws {
        let paying = identity(Paying())
        #expect(paying.isPayment(try attempt(payment("p1"), to: "alice"), to: "alice"))
        #expect(!paying.isPayment(try attempt(payment("p1"), to: "bob"), to: "alice"))
        #expect(!paying.isPayment(try attempt(payment("p1")), to: "alice"))
        #expect(!paying.isPayment(try attempt(payment("p1", at: "other"), to: "alice"), to: "alice"))
        #expect(!paying.isPayment(try attempt(payment("r1", .refund(of: "p1")), to: "alice"), to: "alice"))
        #expect(!identity(Plain()).isPayment(try attempt(payment("p1"), to: "alice"), to: "alice"))
        #expect(paying.payee(of: try attempt(payment("p1"), to: "alice").option) == "alice")
        #expect(identity(Plain()).payee(of: try attempt(payment("p1"), to: "alice").option) == nil)
    }

    @Test("A payment may be one of another name if the service alone can resolve one of them, and their times agree")
    func aliases() throws {
        let (short, long) = (payment("short-1"), payment("long-1"))
        let (noon, one) = (Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 3600))
        func mayBe(
            _ payment: PaymentReference, until ends: [Date] = [], _ other: PaymentReference, ending end: Date? = nil,
            at service: any PaymentProvider = Aliased()
        ) throws -> Bool {
            identity(service).mayBe(payment, until: ends, try attempt(other, until: end))
        }
        #expect(try mayBe(short, long))
        #expect(try mayBe(long, short))
        #expect(try mayBe(short, payment("short-2")))
        #expect(try !mayBe(long, payment("long-2")), "both are the service's own names")
        #expect(try !mayBe(short, short), "it is the same one")
        #expect(try !mayBe(short, long, at: Plain()))
        #expect(try !mayBe(short, payment("long-1", at: "other")))
        #expect(try !mayBe(short, payment("long-1", .refund(of: "short-1"))), "a refund is no payment")
        #expect(try !mayBe(payment("short-1", .refund(of: "long-1")), long))
        // What shows that they differ is the end of their time, if both are known.
        #expect(try mayBe(short, until: [noon, one], long, ending: one))
        #expect(try !mayBe(short, until: [noon], long, ending: one))
        #expect(try mayBe(short, until: [noon], long))
        #expect(try mayBe(short, long, ending: one))
    }

    @Test("Names have aliases, or are used again, only at services that say so")
    func kinds() throws {
        #expect(identity(Aliased()).hasAliases && !identity(Plain()).hasAliases && !identity(Reusing()).hasAliases)
        #expect(identity(Reusing()).reusesNames && !identity(Plain()).reusesNames && !identity(Aliased()).reusesNames)
    }

    @Test("A name that is used again is compared with its link, where there is one")
    func reused() throws {
        let link = try PaymentLink("https://pay.acme.example/?id=key")
        let (same, another) = (try attempt(payment("p1")), try attempt(payment("p1"), key: "another"))
        try identity(Reusing()).distinguish(link, from: same)
        try identity(Reusing()).distinguish(nil, from: another)
        try identity(Plain()).distinguish(link, from: another)
        #expect(throws: PaymentError.self) { try identity(Reusing()).distinguish(link, from: another) }
    }
}
