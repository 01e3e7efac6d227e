import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import Synchronization
import TestSupport
import Testing

/// One payment under two names, which only the service can resolve.
@Suite("Names that only the service can resolve")
struct AliasedPaymentTests {
    /// Its payments `short…` may be any other.
    private struct Provider: AliasedPaymentProvider, ForwardingProvider {
        var base = ScriptedProvider()
        func isUnresolved(_ payment: PaymentReference) -> Bool { payment.id.hasPrefix("short") }
    }

    private let clock = VirtualClock()
    private let journal = InMemoryJournal()
    private let sent = Tally()
    private let random = SeededRandomSource(seed: 1)

    private static func link(_ id: String) -> String { "https://pay.acme.example/?id=\(id)" }

    /// The wallet sends coins, and the service is not notified of it.
    private func provider(until seconds: Double? = 900) -> Provider {
        var provider = Provider()
        provider.base.expiresAt = seconds.map(clock.now.addingTimeInterval)
        provider.base.payBody = { [sent] attempt, context in
            _ = try await context.step("send", .walletTransfer) {
                sent.count("send")
                return "0xabc"
            }
            return .pending(retryAfter: nil)
        }
        provider.base.statusBody = { _, _ in .pending(retryAfter: nil) }
        return provider
    }

    private func pay(_ id: String, _ provider: Provider) async throws -> PaymentOutcome {
        let router = try PaymentRouter(of: provider, journal: journal, clock: clock, random: random)
        return try await router.pay(Self.link(id), as: .careless)
    }

    @Test(
        "What was begun under one name is not begun under the other",
        arguments: [("p1", "short"), ("short", "p1"), ("short", "short2")])
    func onlyOnce(names: (String, String)) async throws {
        let provider = provider()
        _ = try await pay(names.0, provider)
        let unknown = try #require(try await pay(names.1, provider).unknownOutcome, "begun again")
        #expect(unknown.message.contains(names.0) && unknown.message.contains("before you pay again"))
        #expect(sent["send"] == 1)
        #expect(provider.base.calls["pay"] == 1)
    }

    @Test("Of several that it may be, the latest is named")
    func severalOthers() async throws {
        let provider = provider()
        for id in ["p1", "p2"] {
            _ = try await pay(id, provider)
            clock.advance(by: .seconds(60))
        }
        let unknown = try #require(try await pay("short", provider).unknownOutcome, "begun again")
        #expect(unknown.message.contains("p2") && sent["send"] == 2)
    }

    @Test("Another payment is paid: one with a separate name, or with another end")
    func others() async throws {
        let first = provider()
        _ = try await pay("p1", first)
        _ = try await pay("p2", first)
        #expect(sent["send"] == 2)
        _ = try await pay("short", provider(until: 901))
        #expect(sent["send"] == 3)
    }

    @Test("A payment whose end is not known may be any other", arguments: [(nil, 900), (900, nil), (nil, nil)])
    func unknownEnd(ends: (Double?, Double?)) async throws {
        _ = try await pay("p1", provider(until: ends.0))
        #expect(try await pay("short", provider(until: ends.1)).unknownOutcome != nil, "begun again")
        #expect(sent["send"] == 1)
    }

    @Test("A refusal under one name does not deny what the wallet sent under the other")
    func refusal() async throws {
        var provider = provider()
        _ = try await pay("p1", provider)
        provider.base.quotedOutcome = .expired
        let unknown = try #require(try await pay("short", provider).unknownOutcome, "a refusal was believed")
        #expect(unknown.message.contains("0xabc"))
        provider.base.quotedOutcome = .succeeded(
            PaymentReceipt(reference: PaymentReference(provider: "acme", id: "short")))
        #expect(try await pay("short", provider).receipt != nil, "a success was not believed")
    }

    @Test("Nor do a quote and a status under the other name, where that may be the same payment")
    func askedUnderOther() async throws {
        var provider = provider()
        _ = try await pay("short", provider)
        provider.base.quotedOutcome = .expired
        provider.base.statusBody = { _, _ in .expired }
        func isExpired(_ provider: Provider) async throws -> [Bool] {
            let router = try PaymentRouter(of: provider, journal: journal, clock: clock, random: random)
            guard case .matched(let route) = router.route(Self.link("p1")) else { return [] }
            let quote = try await router.quote(route, as: .careless)
            return [
                quote.outcome == .expired,
                try await router.status(of: PaymentReference(provider: "acme", id: "p1")) == .expired,
            ]
        }
        #expect(try await isExpired(provider) == [false, false])
        // A quote with another end is another payment's; a status has no end.
        var other = self.provider(until: 901)
        (other.base.quotedOutcome, other.base.statusBody) = (.expired, { _, _ in .expired })
        #expect(try await isExpired(other) == [true, false])
    }

    @Test("Nor does a status under a name whose request was cancelled before anything was begun")
    func askedUnderCancelled() async throws {
        var provider = provider()
        let router = try PaymentRouter(of: provider, journal: journal, clock: clock, random: random)
        guard case .notBegun = await router.cancel(PaymentIntent(of: Self.link("p1"), key: "a")) else {
            Issue.record("not cancelled")
            return
        }
        clock.advance(by: .seconds(60))
        _ = try await pay("short", provider)
        provider.base.statusBody = { _, _ in .expired }
        let later = try PaymentRouter(of: provider, journal: journal, clock: clock, random: random)
        let unknown = try #require(
            try await later.status(of: PaymentReference(provider: "acme", id: "p1")).unknownOutcome,
            "the wallet has sent the money under the other name")
        #expect(unknown.message.contains("0xabc"))
    }

    @Test("Nor does it where a third payment that ends at the same second was begun later")
    func refusalBesideOthers() async throws {
        var provider = provider()
        _ = try await pay("p1", provider)
        let coins = provider.base.payBody
        provider.base.payBody = { _, context in
            _ = try await context.step("charge", .mutation(replay: .never)) { () async throws -> Bool in
                throw TransportError(.maybeSent, .timedOut, origin: "https://api.acme.example")
            }
            return .pending(retryAfter: nil)
        }
        _ = try await pay("p2", provider)
        provider.base.payBody = coins
        provider.base.quotedOutcome = .expired
        let unknown = try #require(try await pay("short", provider).unknownOutcome, "a refusal was believed")
        #expect(unknown.message.contains("0xabc"))
    }

    @Test(
        "An attempt beside it that has sent nothing is abandoned, though the service never returns a status that is understood"
    )
    func unsentBesideIt() async throws {
        var provider = provider()
        _ = try await pay("p1", provider)
        provider.base.statusBody = { payment, _ in
            .unknown(UnknownOutcome(reference: payment, rawStatus: "resting", message: "?"))
        }
        let attempt = try await unsent("short")
        clock.advance(by: .seconds(1000))
        let router = try PaymentRouter(of: provider, journal: journal, clock: clock, random: random)
        let unknown = try #require(
            try await router.resume(attempt, as: .careless).unknownOutcome, "the payment is open")
        #expect(unknown.message.contains("p1"))
        #expect(await journal.unfinished().map(\.attempt.reference.id) == ["p1"])
        #expect(sent["send"] == 1)
    }

    @Test("What was paid under one name since the payer's quote is not paid under the other")
    func paidSinceQuote() async throws {
        var provider = provider()
        provider.base.payBody = { [sent] attempt, _ in
            sent.count("send")
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        _ = try await pay("p1", provider)
        let router = try PaymentRouter(of: provider, journal: journal, clock: clock, random: random)
        // Another payment that ends at the same second is open at the service.
        _ = try await router.resume(try await unsent("short"), as: .careless)
        #expect(sent["send"] == 2)

        provider.base.statusBody = { payment, _ in .succeeded(PaymentReceipt(reference: payment)) }
        let second = try PaymentRouter(of: provider, journal: journal, clock: clock, random: random)
        let outcome = try await second.resume(try await unsent("short2"), as: .careless)
        #expect(outcome.receipt != nil, "\(outcome)")
        #expect(sent["send"] == 2)
    }

    /// Leaves an attempt that has sent nothing.
    private func unsent(_ id: String) async throws -> AttemptID {
        let attempt = PaymentAttempt(
            "unsent-\(id)", at: PaymentReference(provider: "acme", id: id), from: clock.now,
            until: clock.now.addingTimeInterval(900))
        return try await journal.leave(attempt)
    }

    @Test("Nor does it beside a record that cannot be trusted, though that says that nothing was sent")
    func refusalBesideDistrusted() async throws {
        _ = try await unsent("p1")
        var provider = provider()
        (provider.base.quotedOutcome, provider.base.statusBody) = (.expired, { _, _ in .expired })
        let key = try JournalKey(Redacted([UInt8](repeating: 1, count: JournalKey.minimumLength)))
        let router = try PaymentRouter(of: provider, journal: journal, clock: clock, random: random, journalKey: key)
        let short = PaymentReference(provider: "acme", id: "short")
        for outcome in [
            try await router.pay(Self.link("short"), as: .careless), try await router.status(of: short),
        ] {
            let unknown = try #require(outcome.unknownOutcome, "a refusal was believed")
            #expect(unknown.message.contains("changed by another program, or made without this key"))
        }
    }

    @Test("Of two that begin at the same time, one at most continues", arguments: 1...20 as ClosedRange<UInt64>)
    func race(seed: UInt64) async throws {
        var provider = provider()
        let chosen = Mutex(0)
        let gate = Gate()
        var payer = Payer.careless
        // Both have quoted and found nothing before either begins.
        payer.policy = nil
        payer.chooser = { quote in
            if chosen.withLock({
                $0 += 1; return $0
            }) == 2 {
                await gate.open()
            }
            await gate.pass()
            return quote.options.first?.id
        }
        provider.base.options = [.euros("coins")]
        let router = try PaymentRouter(provider, journal: journal, clock: clock, seed: seed)
        let (one, other) = (payer, payer)
        async let first = router.pay(Self.link("p1"), as: one)
        async let second = router.pay(Self.link("short"), as: other)
        _ = try await (first, second)
        #expect(sent["send"] <= 1)
        #expect(chosen.withLock(\.self) == 2)
    }
}
