import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

/// The payer's settler, the only source of the status of its payments.
@Suite("Settlements")
struct SettlementTests {
    private let clock = VirtualClock()
    private let journal = InMemoryJournal()
    private let random = SeededRandomSource(seed: 1)
    private let provider = InvoiceProvider()
    private let settler = TestSettler()

    private func router(_ provider: (any PaymentProvider)? = nil, _ journal: (any PaymentJournal)? = nil) throws
        -> PaymentRouter
    {
        try PaymentRouter(of: provider ?? self.provider, journal: journal ?? self.journal, clock: clock, random: random)
    }

    private func pay(_ settler: TestSettler) async throws -> PaymentOutcome {
        try await router().pay(InvoiceProvider.invoice, as: .careless(settler))
    }

    private var paid: ServiceReport {
        .succeeded(
            PaymentReceipt(
                reference: InvoiceProvider.invoiceReference, amount: provider.amount,
                transactionID: Hex.encode(TestSettler.preimage)))
    }

    @Test("An invoice is paid once, with its proof, however often it is asked for")
    func once() async throws {
        for _ in 0..<3 { #expect(try await pay(settler) == paid) }
        #expect(settler.settlements.count == 1)
        let settlement = try #require(settler.settlements.first)
        #expect(settlement.endpoint == InvoiceProvider.endpoint && settlement.amount == provider.amount)
        #expect(provider.calls["notify"] == 2, "the payee learns of it whenever the payer returns to it")
    }

    @Test("What one settler has refused stays refused where another one is asked")
    func refusedByOther() async throws {
        #expect(try await pay(TestSettler(.refuses)).declineReason != nil, "the settler's no was not believed")
        let other = TestSettler(name: "other-orders")
        let outcome = try await router().status(of: InvoiceProvider.invoiceReference, as: .careless(other))
        #expect(outcome.declineReason != nil, "it is not refused any more: \(outcome)")
    }

    @Test("Whatever a settler's error claims, money may have moved; the settler is asked, and pays no second time")
    func lostAnswer() async throws {
        let settler = TestSettler(.losesAnswer)
        settler.isSilent = false
        #expect(try await pay(settler).unknownOutcome != nil, "a lost answer was taken for an ending")
        settler.isSilent = true
        #expect(try await pay(settler).unknownOutcome != nil, "silence was taken for an ending")
        settler.isSilent = false
        #expect(try await pay(settler) == paid)
        #expect(settler.settlements.count == 1 && settler.payments == 1)
    }

    @Test("A settler that certainly sent nothing is asked again, under the same key")
    func asksAgain() async throws {
        let settler = TestSettler(.diesBefore)
        #expect(try await pay(settler).unknownOutcome != nil, "a lost answer was taken for an ending")
        settler.habit = .pays
        #expect(try await pay(settler) == paid)
        #expect(settler.settlements.count == 2 && Set(settler.settlements.map(\.key)).count == 1)
        #expect(settler.payments == 1)
    }

    @Test("A proof that does not fit the payment hash proves nothing, and nothing is paid again")
    func wrongProof() async throws {
        let settler = TestSettler(.lies)
        for _ in 0..<2 {
            let unknown = try #require(try await pay(settler).unknownOutcome, "a wrong proof was believed")
            #expect(unknown.message.contains("proof"))
        }
        #expect(settler.settlements.count == 1)
        settler.repent()
        #expect(try await pay(settler) == paid)
        #expect(settler.settlements.count == 1)
    }

    @Test("A chain is proved by a transaction: a preimage proves nothing there")
    func otherProof() async throws {
        let settler = TestSettler(.lies)
        for _ in 0..<2 {
            #expect(
                try await router().pay(InvoiceProvider.payee, as: .careless(settler)).unknownOutcome != nil,
                "a preimage was believed for an address")
        }
        settler.repent()
        #expect(
            try await router().pay(InvoiceProvider.payee, as: .careless(settler)).receipt != nil,
            "a transaction was not believed")
        #expect(settler.settlements.count == 1 && settler.payments == 1)
    }

    @Test("The settler's no is final, also after an interruption, and the next attempt has another key")
    func refusal() async throws {
        let settler = TestSettler(.diesBefore)
        _ = try await pay(settler)
        settler.habit = .refuses
        let reason = try #require(try await pay(settler).declineReason, "the settler's no was not believed")
        #expect(reason.message.contains("no route"))
        #expect(await journal.unfinished().isEmpty)
        settler.habit = .pays
        #expect(try await pay(settler) == paid)
        let keys = settler.settlements.map(\.key)
        #expect(keys.count == 3 && keys[0] == keys[1] && keys[1] != keys[2])
    }

    @Test(
        "A settler that takes hours to answer is not asked to pay by a process that has lost the payment meanwhile",
        arguments: [true, false])
    func overtaken(hasEnded: Bool) async throws {
        let (slow, quick) = (TestSettler(), TestSettler(hasEnded ? .refuses : .diesBefore))
        let (journal, clock) = (journal, clock)
        let other = try router()
        slow.whileAsked = {
            clock.advance(by: .seconds(30_000))
            // Another router takes the payment over, and the settler, by another connection, pays or refuses
            // permanently.
            for attempt in await journal.unfinished().map(\.attempt) {
                try await quick.register(attempt.key(for: "settle"))
            }
            _ = try await other.pay(InvoiceProvider.invoice, as: .careless(quick))
        }
        let told = try? await pay(slow)
        #expect(slow.settlements.isEmpty && quick.settlements.count == 1)
        if case .succeeded = told { Issue.record("nothing was paid") }
        #expect(await journal.histories(of: InvoiceProvider.invoiceReference).map(\.isFinished) == [hasEnded])
    }

    @Test("What was begun with one settler is neither paid nor denied by another, nor by one that has lost its memory")
    func otherSettler() async throws {
        let first = TestSettler(.losesAnswer)
        #expect(try await pay(first).unknownOutcome != nil, "a lost answer was believed")
        #expect(first.payments == 1)
        let second = TestSettler(name: "other-orders")
        // It knows the name from another journal, and has refused it.
        for attempt in await journal.unfinished().map(\.attempt) {
            _ = try await second.abandon(attempt.key(for: "settle"))
        }
        let unknown = try #require(try await pay(second).unknownOutcome, "another settler has ended it")
        #expect(unknown.message.contains("test-orders") && second.settlements.isEmpty)
        _ = try await router().recover(as: .careless(second))
        #expect(await journal.unfinished().count == 1 && second.settlements.isEmpty)
        let lost = TestSettler()
        let open = try #require(try await pay(lost).unknownOutcome, "a settler without a memory has ended it")
        #expect(open.message.contains("does not know") && lost.settlements.isEmpty)
        #expect(try await pay(first) == paid)
        #expect(first.payments == 1)
    }

    @Test("Nor is it for an attempt that was ended under the same lease")
    func ended() async throws {
        let (journal, clock) = (FailingJournal { _ in false }, clock)
        settler.whileAsked = {
            let lease = try #require(await journal.lease)
            let attempt = try #require(try await journal.unfinished().first?.attempt.id)
            try await journal.append(
                JournalEntry(date: clock.now, event: .outcome(.cancelled)), to: attempt, under: lease)
        }
        #expect(try await router(nil, journal).pay(InvoiceProvider.invoice, as: .careless(settler)) == .cancelled)
        #expect(settler.settlements.isEmpty)
    }

    @Test("Nor is it when the journal cannot say which process has the payment")
    func unreadable() async throws {
        let journal = FailingJournal { _ in false }
        settler.whileAsked = { await journal.forget() }
        let error = await failure {
            try await router(nil, journal).pay(InvoiceProvider.invoice, as: .careless(settler))
        }
        #expect(error?.code == .journal && settler.settlements.isEmpty)
    }

    @Test("A settlement that is in progress is waited for")
    func later() async throws {
        let settler = TestSettler(.paysLater)
        #expect(try await pay(settler) == paid)
        #expect(settler.settlements.count == 1)
    }

    /// A settler that has paid another amount under every name.
    private struct OtherAmount: PassingSettler {
        let base: TestSettler

        func order(named name: String) async throws -> SettlementOrder? {
            SettlementOrder(
                name: name, endpoint: InvoiceProvider.endpoint, amount: .cents(2101, .satoshi),
                state: .settled(.preimage(Hex.encode(TestSettler.preimage))))
        }
    }

    @Test("A payment of another amount under the attempt's name is not taken for this one, and nothing is paid")
    func otherAmount() async throws {
        let payer = Payer(policy: .firstWhateverItCosts, settler: OtherAmount(base: settler))
        let unknown = try #require(
            try await router().pay(InvoiceProvider.invoice, as: payer).unknownOutcome, "another amount was believed")
        #expect(unknown.message.contains("another amount") && settler.settlements.isEmpty)
    }

    /// A settler whose wallet has a record of a payment, and no preimage.
    private struct Proofless: PassingSettler {
        let base: TestSettler
        let hash: String
        var endpoint = InvoiceProvider.endpoint

        func order(named name: String) async throws -> SettlementOrder? {
            SettlementOrder(
                name: name, endpoint: endpoint, amount: .cents(2100, .satoshi),
                state: .settled(.unproven(paymentHash: hash)))
        }
    }

    @Test("A payment without a proof is paid, and its receipt says so; the record of another invoice proves nothing")
    func proofless() async throws {
        func pay(_ hash: String, _ endpoint: SettlementEndpoint = InvoiceProvider.endpoint) async throws
            -> PaymentOutcome
        {
            let settler = Proofless(base: settler, hash: hash, endpoint: endpoint)
            return try await router().pay(
                InvoiceProvider.invoice, as: Payer(policy: .firstWhateverItCosts, settler: settler))
        }
        let chain = SettlementEndpoint(.bitcoinAddress, text: "bc1qaddress", network: "mainnet")
        for (hash, endpoint) in [
            (String(repeating: "0", count: 64), InvoiceProvider.endpoint), ("", chain), (TestSettler.hash, chain),
        ] {
            #expect(try await pay(hash, endpoint).unknownOutcome != nil, "another record was believed")
        }
        let outcome = try await pay(TestSettler.hash)
        let receipt = try #require(outcome.receipt, "\(outcome)")
        #expect(receipt.transactionID == nil && receipt.unproven?.contains(TestSettler.hash) == true)
        #expect("\(outcome)".contains("without proof"))
        #expect(settler.settlements.isEmpty)
    }

    @Test("What was paid under another name is neither paid again nor reported as this payment")
    func paidElsewhere() async throws {
        _ = try await settler.settle(
            Settlement(key: "another wallet's", endpoint: InvoiceProvider.endpoint, amount: provider.amount))
        let reason = try #require(try await pay(settler).declineReason, "another payment was taken for this one")
        #expect(reason.message.contains("another payment") && settler.payments == 1)
        #expect(await journal.unfinished().isEmpty)
    }

    @Test("After a settlement no refusal is final")
    func refusalAfterwards() async throws {
        var provider = provider
        provider.afterwards = { _, _ in .expired }
        let outcome = try await router(provider).pay(InvoiceProvider.invoice, as: .careless(TestSettler()))
        let unknown = try #require(outcome.unknownOutcome, "a refusal was believed")
        #expect(unknown.message.contains("do not pay again"))
    }

    @Test("Without a settler that pays such endpoints the option cannot be chosen", arguments: [true, false])
    func unmet(hasSettler: Bool) async throws {
        let settler = TestSettler(kinds: [.bitcoinAddress])
        let payer = hasSettler ? Payer.careless(settler) : Payer.careless
        let reason = try #require(
            try await router().pay(InvoiceProvider.invoice, as: payer).declineReason, "the option was chosen")
        #expect(reason.code == .noUsableOption && reason.message.contains("a Lightning invoice on regtest"))
        #expect(settler.settlements.isEmpty)
    }

    @Test("Recovery without a settler asks no one and leaves the attempt open; with it, the attempt ends")
    func recovery() async throws {
        let settler = TestSettler(.losesAnswer)
        _ = try await pay(settler)
        _ = try await router().recover(as: Payer())
        #expect(await journal.unfinished().count == 1)
        let status = try await router().status(of: InvoiceProvider.invoiceReference)
        let unknown = try #require(status.unknownOutcome, "the status is known")
        #expect(unknown.message.contains("resume"))
        _ = try await router().recover(as: Payer(settler: settler))
        #expect(await journal.unfinished().isEmpty)
        #expect(try await router().status(of: InvoiceProvider.invoiceReference) == paid)
        #expect(settler.settlements.count == 1)
    }

    @Test("A stored proof that does not fit is not believed either")
    func storedProof() async throws {
        let option = try #require(
            try await router().quote(route(InvoiceProvider.invoice), as: .careless).options.first)
        let zeros = String(repeating: "00", count: 32)
        try await journal.leave(
            PaymentAttempt(at: InvoiceProvider.invoiceReference, option: option, from: clock.now),
            [
                .stepStarted(name: "settle", kind: .settlement(by: "test-orders")),
                .stepFinished(name: "settle", result: .string("preimage:" + zeros)),
            ])
        #expect(try await pay(settler).unknownOutcome != nil, "a stored proof was believed")
        #expect(settler.settlements.isEmpty)
    }

    @Test("No provider settles by itself")
    func ownStep() async throws {
        var world = World()
        world.provider.payBody = { attempt, context in
            _ = try await context.step("settle", .settlement(by: "test-orders")) { true }
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        let error = await #expect(throws: PaymentError.self) { try await world.pay() }
        #expect(error?.code == .providerFault)
    }

    private func route(_ text: String) throws -> Route {
        try #require(try router().route(text).route)
    }
}
