import Foundation
import PaymentCore
import PaymentRouting
import PaymentStandards
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitProvider
@testable import PaykitSandbox

/// Payments over private channels through a router.
@Suite("Paykit's provider, privately", .timeLimit(.minutes(2)))
struct PrivateProviderTests {
    @Test("A reachable payee is paid by a separate invoice, is notified, and the receipt is kept (Protocol 5.10)")
    func prefers() async throws {
        let world = RoutedWorld()
        let peer = try await world.peer(.ready)
        let process = try world.process()
        let quote = try await process.router.quote(peer.user.link, as: process.payer)
        #expect(quote.options.map(\.id) == ["private-lightning", "lightning", "onchain"])
        #expect(quote.options.map(\.method) == ["lightning", "lightning", "onchain"])
        #expect(quote.options.allSatisfy { $0.unmet.isEmpty })
        let receipt = try #require(try await process.pay(peer.user.link).get().receipt)
        #expect(receipt.amount?.minorUnits == 2100 && receipt.transactionID?.count == 64)
        #expect(await world.captures(peer.user.key) == 1)
        #expect(world.settled.count == 1)
        #expect(await world.settled.first != world.published(peer.user.key))
        let kept = try #require(try await world.receipts.receipts(before: nil, limit: 10).first)
        #expect(kept.stage == .paid && kept.proof?["preimage"]?.string == receipt.transactionID)
        #expect(kept.amount == "2100" && kept.id.payee == peer.user.key.text)
        #expect(try await world.receipts.isNoted(Self.word(of: kept)))
        // The public methods can still be chosen.
        #expect(isPaid(await process.pay((quote, "lightning"))))
        #expect(await world.settled.last == world.published(peer.user.key))
    }

    private static func word(of receipt: ChannelReceipt) -> ChannelArrival {
        ChannelArrival(
            kind: "confirmation", sender: receipt.id.payee, name: "\(receipt.id.payer)/\(receipt.id.name)")
    }

    @Test(
        "For every payee: paid privately, paid as they publish, or nothing moves; and once at most",
        arguments: PubkySandbox.PeerManner.allCases)
    func manners(_ manner: PubkySandbox.PeerManner) async throws {
        // A peer that never answers gets a shorter time limit than usual.
        let isQuick = [.silent, .late].contains(manner)
        let world = RoutedWorld(clock: isQuick || manner == .slow ? SystemPaymentClock() : PatientClock())
        let peer = try await world.peer(manner)
        let only = try world.process(use: .only, timeout: isQuick ? .milliseconds(500) : .seconds(30))
        let result = await only.pay(peer.user.link)
        let published = await world.published(peer.user.key)
        switch manner.expectedOutcome {
        case .confirmed, .paid:
            #expect(isPaid(result), "\(result)")
            #expect(world.settled.count == 1 && world.settled.first != published)
        case .refused, .failed:
            #expect(!isPaid(result) && world.settled.isEmpty, "\(result)")
            if case .failure(let error) = result { #expect(error.phase != .maybeSent, "\(error)") }
        }
        #expect(await world.captures(peer.user.key) == world.settled.count)
        #expect(await world.journal.unfinished().isEmpty)
        // If channels are only preferred, a peer that misstates the agreement is not paid at all.
        let isLie = [.anotherAmount, .anotherInvoice, .anotherReceipt, .anotherPayer, .noInvoice].contains(manner)
        let before = world.settled.count
        let preferring = try world.process(timeout: isQuick ? .milliseconds(500) : .seconds(30), seed: 3)
        let second = await preferring.pay(peer.user.link)
        #expect(isPaid(second) == !isLie, "\(second)")
        #expect(world.settled.count == before + (isLie ? 0 : 1))
        if [.refused, .failed].contains(manner.expectedOutcome), !isLie {
            #expect(world.settled.last == published)
        }
        #expect(await world.journal.unfinished().isEmpty)
    }

    @Test(
        "An invoice for something else is neither paid nor reported as paid, and nothing is paid in its stead",
        arguments: LyingPayee.Lie.allCases.filter { ![.always, .another, .denies, .somebodyElses].contains($0) })
    func lies(_ lie: LyingPayee.Lie) async throws {
        let world = RoutedWorld()
        let payee = try await world.liar(lie)
        let process = try world.process()
        let error = await #expect(throws: PaymentError.self) { try await process.pay(payee.user.link).get() }
        #expect(error?.code == .integrity && error?.phase != .maybeSent)
        #expect(!payee.invoices.isEmpty && world.settled.isEmpty)
        #expect(await world.journal.unfinished().isEmpty)
        #expect(try await world.receipts.receipts(before: nil, limit: 9).allSatisfy { $0.stage < .paying })
    }

    @Test("An invoice that is given twice, by one payee or by two, is paid for the first of them only")
    func sameInvoice() async throws {
        for lie in [LyingPayee.Lie.always, .somebodyElses] {
            let world = RoutedWorld()
            let payee = try await world.liar(lie)
            let process = try world.process()
            #expect(isPaid(await process.pay(payee.user.link)))
            #expect(code(await process.pay(payee.user.link)) == .integrity && world.settled.count == 1)
            #expect(Set(payee.invoices).count == 1)
        }
    }

    @Test("Two payees that give one invoice at the same moment are not both reported as paid")
    func sameInvoiceAtOnce() async throws {
        let world = RoutedWorld()
        let payees = [try await world.liar(.always), try await world.liar(.always)]
        let text = try #require(payees.first).fixedInvoice
        payees[1].give(text)
        let process = try world.process()
        let results = await withTaskGroup(of: Result<PaymentOutcome, PaymentError>.self) { group in
            for payee in payees { group.addTask { await process.pay(payee.user.link) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count(where: isPaid) == 1, "\(results)")
        #expect(world.settled == [text])
    }

    @Test("An invoice that was given for a payment that the wallet refused is not paid for another one")
    func sameInvoiceUnpaid() async throws {
        let world = RoutedWorld()
        let payees = [try await world.liar(.always), try await world.liar(.always)]
        payees[1].give(payees[0].fixedInvoice)
        let process = try world.process()
        var poor = process.payer
        poor.settler = ScriptedSettler(
            base: SandboxSettler(at: try HTTPURL("http://empty.example"), over: SandboxTransport(world.sandbox)),
            order: { name, _ in SettlementOrder(name: name, endpoint: nil, amount: nil, state: .registered) },
            settle: { _ in .nothingSent(reason: "no money") })
        #expect(try await process.router.pay(payees[0].user.link, as: poor).deniesPayment)
        #expect(code(await process.pay(payees[1].user.link)) == .integrity && world.settled.isEmpty)
        #expect(payees.map(\.invoices.count) == [1, 1])
    }

    @Test("It is paid whatever the payee sends afterwards, and the proof is sent again later")
    func confirmedLater() async throws {
        let world = RoutedWorld()
        let peer = try await world.peer(.unconfirming)
        let process = try world.process()
        #expect(isPaid(await process.pay(peer.user.link)))
        let kept = try #require(try await world.receipts.receipts(before: nil, limit: 1).first)
        #expect(kept.stage == .paid)
        #expect(try await !world.receipts.isNoted(Self.word(of: kept)))
        peer.close()
        let denier = try await world.liar(.denies)
        #expect(isPaid(await process.pay(denier.user.link)), "who denies it was paid all the same")
        let unconfirmed = try await world.receipts.receipts(before: nil, limit: 9)
        #expect(unconfirmed.count == 2 && unconfirmed.allSatisfy { $0.stage == .paid })
        let transport = SandboxTransport(world.sandbox, clock: world.clock)
        #expect(try await process.provider.confirmPayments(over: transport, clock: world.clock) == 0)
        #expect(world.settled.count == 2, "nobody is paid to say yes")
    }

    @Test("A proof that did not arrive is sent again, once it can be")
    func toldAgain() async throws {
        let world = RoutedWorld()
        let peer = try await world.peer(.ready)
        let process = try world.process()
        #expect(isPaid(await process.pay(peer.user.link)))
        // As after a crash between the payment and the payee's answer.
        let first = try #require(try await world.receipts.receipts(before: nil, limit: 1).first)
        let store = InMemoryRecords()
        _ = try await Receipts(store).keep(first)
        let later = try world.process(seed: 5, store: store)
        let transport = SandboxTransport(world.sandbox, clock: world.clock)
        #expect(try await later.provider.confirmPayments(over: transport, clock: world.clock) == 1)
        #expect(try await later.provider.confirmPayments(over: transport, clock: world.clock) == 0, "once is enough")
        #expect(await world.captures(peer.user.key) == 1)
    }

    @Test("A payee that cannot be reached is reported where only private payments are wanted, and nothing is paid")
    func onlyPrivate() async throws {
        let world = RoutedWorld()
        let user = await world.sandbox.createUser(.ready)
        let process = try world.process(use: .only)
        let error = await #expect(throws: PaymentError.self) { try await process.pay(user.link).get() }
        #expect(error?.code == .unusableOption && error?.message.contains("cannot be paid privately") == true)
        #expect(world.settled.isEmpty)
        // If channels are preferred, the result is the same as without them.
        let preferring = try world.process(seed: 4)
        let quote = try await preferring.router.quote(user.link, as: preferring.payer)
        #expect(quote.options.map(\.id) == ["lightning", "onchain"])
        #expect(isPaid(await preferring.pay(user.link)))
    }

    @Test("A payee who publishes only the address of a channel is paid there")
    func nothingPublished() async throws {
        let world = RoutedWorld()
        let peer = try await world.peer(.ready)
        for name in ["lightning", "onchain"] {
            await world.sandbox.unpublish("/pub/paykit.app/v0/\(name)", of: peer.user.key)
        }
        #expect(isPaid(await (try world.process()).pay(peer.user.link)))
        #expect(await world.captures(peer.user.key) == 1)
    }

    @Test("Without an amount of the payer's, what the published invoice asks for is asked for privately")
    func amounts() async throws {
        let world = RoutedWorld()
        let peer = try await world.peer(.ready)
        let process = try world.process()
        var silent = process.payer
        silent.amountChooser = nil
        let quote = try await process.router.quote(peer.user.link, as: silent)
        #expect(quote.options.map(\.id) == ["private-lightning", "lightning"])
        #expect(quote.options.allSatisfy { $0.amount.minorUnits == 2100 })
        // An amount other than the published one needs an agreement.
        let more = try world.process(satoshi: 5000, seed: 9)
        #expect(try await more.pay(peer.user.link).get().receipt?.amount?.minorUnits == 5000)
        #expect(await world.settled.first != world.published(peer.user.key))
    }

    @Test("A user is not asked for the own payments")
    func oneself() async throws {
        let world = RoutedWorld()
        let peer = try await world.peer(.ready)
        let url = try HTTPURL(RoutedWorld.url)
        let own = PaykitProvider(
            network: try .sandbox(url), reader: StandardsReader(),
            privately: try PaykitChannelPayments(
                as: peer.user.keyPair, over: world.streams, store: world.store, chain: .regtest))
        let process = try world.process()
        let router = PaymentRouter(
            registry: try ProviderRegistry([own]), transport: SandboxTransport(world.sandbox, clock: world.clock),
            journal: world.journal, clock: world.clock)
        let quote = try await router.quote(peer.user.link, as: process.payer)
        #expect(quote.options.map(\.id) == ["lightning", "onchain"])
    }
}
