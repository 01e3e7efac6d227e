import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PaykitProvider
@testable import PaymentSandbox

/// Requests over private links, paid by a router (Protocol 12.9).
@Suite("Requests over private links, by a router", .timeLimit(.minutes(5)))
struct RoutedRequestTests {
    private static func isPaid(_ result: Result<PaymentOutcome, PaymentError>) -> Bool {
        if case .success(.succeeded) = result { true } else { false }
    }

    private static func code(_ result: Result<PaymentOutcome, PaymentError>) -> PaymentError.Code? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    /// A settler that says what a test has it say.
    private struct Scripted: PaymentSettler {
        let base: any PaymentSettler
        var state: @Sendable (Settlement, SettlementState) throws -> SettlementState = { $1 }
        var settle: @Sendable (Settlement) throws -> SettlementState?

        func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool {
            base.canSettle(kind, on: network)
        }
        func state(of settlement: Settlement) async throws -> SettlementState {
            try await state(settlement, base.state(of: settlement))
        }
        func settle(_ settlement: Settlement) async throws -> SettlementState {
            if let said = try settle(settlement) { return said }
            return try await base.settle(settlement)
        }
    }

    private struct Silence: Error {}

    private func node(_ world: RequestWorld) -> SandboxSettler {
        SandboxSettler(at: world.url, over: SandboxTransport(world.sandbox))
    }

    // MARK: One payment

    @Test("Within the limits a request is accepted, paid once and proven; above them it waits for a yes, unanswered")
    func limits() async throws {
        let world = try await RequestWorld()
        let process = try world.process(limit: 3000)
        let id = try await world.ask()
        let link = try world.link(id)
        for _ in 0..<3 { #expect(Self.isPaid(await process.pay(link))) }
        #expect(await world.captures == 1)
        let proofs = try await world.proofs(id)
        #expect(proofs.count == 1 && proofs[0].isSound)
        let other = try await world.ask(1000, for: "cake")
        guard case .success(.declined(let reason)) = await process.pay(try world.link(other)) else {
            Issue.record("it is above the limit")
            return
        }
        #expect(reason.code == .overLimit)
        #expect(try await world.phase(other) == .proposed, "nobody has said yes")
        #expect(await world.captures == 1)
        var asked = process
        asked.payer.policy = nil
        asked.payer.chooser = { quote in quote.options.first?.id }
        #expect(Self.isPaid(await asked.pay(try world.link(other))))
        #expect(try await world.phase(other) == .proven)
        #expect(await world.captures == 2)
        #expect(try await world.proofs(other).count == 1)
        try await world.payee.flow.issueReceipt(for: other, world.asPayee, world.payee.session)
        try await world.deliver()
        #expect(try await world.payer.flow.receipts(for: other, world.asPayer).count == 1)
    }

    @Test("A crash between any two deeds: the request is paid once, and its proof arrives")
    func crashes() async throws {
        var deeds = 0
        while true {
            let world = try await RequestWorld()
            let id = try await world.ask()
            let link = try world.link(id)
            let life = Life(deeds)
            let first = await (try world.process(life)).pay(link)
            guard life.isOver else {
                #expect(Self.isPaid(first))
                #expect(deeds > 14, "there are that many moments")
                return
            }
            world.clock.advance(by: .seconds(3600))
            let second = try world.process(seed: 3)
            _ = try await second.router.recover(as: second.payer)
            #expect(await world.journal.unfinished().isEmpty, "after \(deeds) deeds")
            #expect(Self.isPaid(await second.pay(link)), "after \(deeds) deeds")
            #expect(await world.captures == 1, "after \(deeds) deeds")
            let proofs = try await world.proofs(id)
            #expect(proofs.count == 1 && proofs.allSatisfy(\.isSound), "after \(deeds) deeds: \(proofs.count) proofs")
            deeds += 1
        }
    }

    @Test("A crash between any two deeds, and the payee calls it off: it is paid once with a proof, or never")
    func calledOffMeanwhile() async throws {
        for deeds in 0..<24 {
            let world = try await RequestWorld()
            let id = try await world.ask()
            let life = Life(deeds)
            _ = await (try world.process(life)).pay(try world.link(id))
            try await world.payee.flow.cancel(id, reason: nil, world.asPayee)
            try await world.deliver()
            world.clock.advance(by: .seconds(3600))
            let second = try world.process(seed: 3)
            _ = try await second.router.recover(as: second.payer)
            let result = await second.pay(try world.link(id))
            let proofs = try await world.proofs(id).count
            #expect(await world.captures == proofs, "after \(deeds) deeds")
            #expect(Self.isPaid(result) == (proofs == 1), "after \(deeds) deeds: \(result)")
            if proofs == 0 {
                guard case .success(.cancelled) = result else {
                    Issue.record("after \(deeds) deeds: \(result)")
                    continue
                }
            }
        }
    }

    @Test("What was rejected, called off or not accepted in time is not paid, and says so")
    func ended() async throws {
        let world = try await RequestWorld()
        let process = try world.process()
        let rejected = try await world.ask()
        try await world.payer.flow.reject(rejected, reason: nil, world.asPayer)
        let cancelled = try await world.ask(for: "cake")
        try await world.payee.flow.cancel(cancelled, reason: nil, world.asPayee)
        try await world.deliver()
        for id in [rejected, cancelled] {
            guard case .success(.cancelled) = await process.pay(try world.link(id)) else {
                Issue.record("it was called off")
                return
            }
        }
        let now = Int64(world.clock.now.timeIntervalSince1970)
        let late = try await world.ask(for: "late", until: LinkTime(seconds: now + 60))
        world.clock.advance(by: .seconds(61))
        guard case .success(.expired) = await process.pay(try world.link(late)) else {
            Issue.record("its time was over")
            return
        }
        #expect(await world.captures == 0)
        #expect(world.settled.isEmpty)
    }

    @Test("Two devices, each with a journal of its own, pay a request once between them, also at the same time")
    func twoDevices() async throws {
        for seed in 0..<4 as Range<UInt64> {
            let world = try await RequestWorld()
            let id = try await world.ask()
            let link = try world.link(id)
            let devices = try (0..<3).map { try world.process(journal: InMemoryJournal(), seed: seed * 8 + $0) }
            await withTaskGroup(of: Void.self) { group in
                for device in devices { group.addTask { _ = await device.pay(link) } }
            }
            for device in devices { #expect(Self.isPaid(await device.pay(link))) }
            #expect(await world.captures == 1)
            #expect(Set(world.settled.map(\.key)).count == 1, "all of them ask by one name")
            #expect(try await world.proofs(id).count == 1)
        }
    }

    // MARK: The settler

    @Test(
        "A settler that does not say leaves it open; the next one is asked by the same name, and what it paid is found")
    func silent() async throws {
        let world = try await RequestWorld()
        let id = try await world.ask()
        let link = try world.link(id)
        let silent = Scripted(base: node(world), settle: { _ in throw Silence() })
        guard case .success(.unknown) = await (try world.process(settler: silent)).pay(link) else {
            Issue.record("nobody knows")
            return
        }
        #expect(try await world.proofs(id).isEmpty)
        #expect(try await world.phase(id) == .accepted)
        #expect(Self.isPaid(await (try world.process(seed: 3)).pay(link)))
        #expect(await world.captures == 1)
        #expect(Set(world.settled.map(\.key)).count == 1)
        #expect(try await world.proofs(id).count == 1)
    }

    @Test("Where the journal was lost, what another had begun is asked of the settler before anything is paid")
    func lostJournal() async throws {
        let world = try await RequestWorld()
        let id = try await world.ask()
        let link = try world.link(id)
        #expect(Self.isPaid(await (try world.process()).pay(link)))
        // The link as it was before the proof was kept.
        try await world.payer.flow.change(world.asPayer) { record throws(PaykitFailure) in
            record.payments[id]?.stage = .paying
            record.payments[id]?.proof = nil
        }
        let other = try world.process(journal: InMemoryJournal(), seed: 5)
        #expect(Self.isPaid(await other.pay(link)))
        #expect(await world.captures == 1)
        #expect(world.settled.count == 1, "it was only asked what it knew")
    }

    @Test("After the settler's last word that nothing was sent it is asked again by another name, and pays once")
    func refused() async throws {
        let world = try await RequestWorld()
        let id = try await world.ask()
        let link = try world.link(id)
        let refusing = Scripted(base: node(world), settle: { _ in .nothingSent(reason: "no route") })
        guard case .success(.declined) = await (try world.process(settler: refusing)).pay(link) else {
            Issue.record("it was refused")
            return
        }
        #expect(try await world.phase(id) == .accepted)
        let process = try world.process(seed: 3)
        for _ in 0..<2 { #expect(Self.isPaid(await process.pay(link))) }
        #expect(await world.captures == 1)
        #expect(Set(world.settled.map(\.key)).count == 2)
    }

    @Test("A lying settler's preimage is told to nobody")
    func lyingSettler() async throws {
        let world = try await RequestWorld()
        let id = try await world.ask()
        let link = try world.link(id)
        let lie = SettlementState.settled(.preimage(String(repeating: "07", count: 32)))
        let liar = Scripted(base: node(world), settle: { _ in lie })
        guard case .success(.unknown) = await (try world.process(settler: liar)).pay(link) else {
            Issue.record("that proves nothing")
            return
        }
        // Also where it is only asked, by somebody who has no journal.
        let other = Scripted(base: node(world), state: { _, _ in lie }, settle: { _ in lie })
        let process = try world.process(journal: InMemoryJournal(), seed: 5, settler: other)
        #expect(Self.code(await process.pay(link)) == .integrity)
        #expect(try await world.proofs(id).isEmpty)
    }

    // MARK: The payee

    @Test("An invoice that was paid before pays no second request")
    func sameInvoice() async throws {
        let world = try await RequestWorld()
        let invoice = await world.invoice(2100)
        let process = try world.process()
        let first = try await world.ask(for: "tea", at: [invoice])
        #expect(Self.isPaid(await process.pay(try world.link(first))))
        let second = try await world.ask(for: "cake", at: [invoice])
        #expect(Self.code(await process.pay(try world.link(second))) == .unusableOption)
        #expect(try await world.proofs(second).isEmpty)
        #expect(await world.captures == 1)
        try await world.offer(await world.invoice(2100))
        #expect(Self.isPaid(await process.pay(try world.link(second))))
        #expect(await world.captures == 2)
    }

    @Test("A list is used up by one payment, whatever else is in it")
    func usedList() async throws {
        let world = try await RequestWorld()
        let address = PaykitEndpoint(
            methodID: "btc-regtest-p2wpkh", endpoint: "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080")
        let first = try await world.ask(at: [await world.invoice(2100), address])
        let process = try world.process()
        #expect(Self.isPaid(await process.pay(try world.link(first))))
        let terms = PaymentTerms(
            try LinkAmount("0.000021", "btc"), reference: "cake",
            identifiers: [RequestWorld.bolt11, "btc-regtest-p2wpkh"].compactMap { PaykitIdentifier($0) })
        let second = try await world.payee.flow.ask(for: terms, at: nil, world.asPayee)
        try await world.deliver()
        #expect(Self.code(await process.pay(try world.link(second))) == .unusableOption)
        #expect(world.settled.count == 1)
    }

    @Test("An invoice over another amount, or of another network, is not paid")
    func otherAmount() async throws {
        let world = try await RequestWorld()
        let process = try world.process()
        let dear = try await world.ask(2100, at: [await world.invoice(2101)])
        #expect(Self.code(await process.pay(try world.link(dear))) == .unusableOption)
        #expect(world.settled.isEmpty)
        #expect(try await world.phase(dear) == .proposed)
    }

    @Test("Another way to pay that arrives while the payer chooses is not taken for the chosen one")
    func changed() async throws {
        let world = try await RequestWorld()
        let id = try await world.ask()
        let process = try world.process()
        guard case .matched(let route) = process.router.route(try world.link(id)) else {
            Issue.record("it is a link")
            return
        }
        let quote = try await process.router.quote(route, as: process.payer)
        let option = try #require(quote.options.first?.id)
        try await world.offer(await world.invoice(2100))
        await #expect { try await process.router.pay(quote, option: option, as: process.payer) } throws: {
            ($0 as? PaymentError)?.code == .optionChanged
        }
        #expect(world.settled.isEmpty)
        #expect(Self.isPaid(await process.pay(try world.link(id))))
        #expect(await world.captures == 1)
    }

    // MARK: Links

    @Test("A request has one name however its link is spelt, and nobody else's is paid")
    func names() async throws {
        let world = try await RequestWorld()
        let id = try await world.ask()
        let process = try world.process()
        let link = try world.link(id)
        let spelt = link.replacing(id, with: id.uppercased())
        #expect(Self.isPaid(await process.pay(spelt)))
        #expect(Self.isPaid(await process.pay(link)))
        #expect(await world.captures == 1)
        let stranger = "11111111-1111-4111-8111-000000000002"
        #expect(Self.code(await process.pay(try world.link(stranger))) == .notFound)
        #expect(Self.code(await process.pay(try world.link(id, recurs: true))) == .notAPayment)
        #expect(Self.code(await process.pay(link.replacing("shop/server", with: "shop/wallet"))) == .notFound)
        for broken in ["&app=shop", "&app=shop/server&recurs=yes", "&app=shop/server&app=shop/server"] {
            let text = "paykit:request?request_id=\(id)&from=pubky://\(world.payee.key)\(broken)"
            #expect(Self.code(await process.pay(text)) == .unroutable, "\(broken)")
        }
    }

    @Test("What the application's own wallet has begun is left to it, and what a router has begun to the router")
    func oneOfBoth() async throws {
        struct Doubtful: LinkWallet {
            func outcome(of order: LinkOrder) async throws -> PrivateCheckout.Settlement? { throw Silence() }
            func settle(_ order: LinkOrder) async throws -> PrivateCheckout.Settlement { throw Silence() }
        }
        let world = try await RequestWorld()
        let first = try await world.ask()
        try await world.payer.flow.accept(first, world.asPayer)
        await #expect(throws: PaykitFailure.self) {
            try await world.payer.flow.pay(first, world.asPayer, with: Doubtful())
        }
        #expect(Self.code(await (try world.process()).pay(try world.link(first))) == .unusableOption)
        let second = try await world.ask(for: "cake")
        let silent = Scripted(base: node(world), settle: { _ in throw Silence() })
        _ = await (try world.process(settler: silent)).pay(try world.link(second))
        await #expect { try await world.payer.flow.pay(second, world.asPayer, with: Doubtful()) } throws: {
            ($0 as? PaykitFailure)?.message.contains("a router has begun") == true
        }
        #expect(await world.captures == 0)
    }
}
