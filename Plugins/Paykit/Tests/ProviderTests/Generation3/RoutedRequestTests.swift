import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitProvider
@testable import PaykitSandbox

/// Requests over private links, paid by a router (Protocol 12.9).
@Suite("Requests over private links, by a router", .timeLimit(.minutes(5)))
struct RoutedRequestTests {
    // MARK: One payment

    @Test("Within the limits a request is accepted, paid once and proven; above them it waits for a yes, unanswered")
    func limits() async throws {
        let world = try await RequestWorld()
        let process = try world.process(limit: 3000)
        let id = try await world.ask()
        let link = try world.link(id)
        for _ in 0..<3 { #expect(isPaid(await process.pay(link))) }
        #expect(await world.captures == 1)
        let proofs = try await world.proofs(id)
        #expect(proofs.count == 1 && proofs[0].isSound)
        let other = try await world.ask(1000, for: "cake")
        #expect(try await process.pay(world.link(other)).get().declineReason?.code == .overLimit)
        #expect(try await world.phase(other) == .proposed, "nobody has said yes")
        #expect(await world.captures == 1)
        var asked = process
        asked.payer.policy = nil
        asked.payer.chooser = { quote in quote.options.first?.id }
        #expect(isPaid(await asked.pay(try world.link(other))))
        #expect(try await world.phase(other) == .proven)
        #expect(await world.captures == 2)
        #expect(try await world.proofs(other).count == 1)
        try await world.payee.flow.issueReceipt(for: other, world.asPayee, world.payee.session)
        try await world.deliver()
        #expect(try await world.payer.flow.receipts(for: other, world.asPayer).count == 1)
    }

    @Test("A crash between any two actions: the request is paid once, and its proof arrives")
    func crashes() async throws {
        var actions = 0
        while true {
            let (world, id, link) = try await RequestWorld.asked()
            let lifetime = ProcessLifetime(actions)
            let first = await (try world.process(lifetime)).pay(link)
            guard lifetime.isOver else {
                #expect(isPaid(first))
                #expect(actions > 14, "there are that many moments")
                return
            }
            world.clock.advance(by: .seconds(3600))
            let second = try world.process(seed: 3)
            _ = try await second.router.recover(as: second.payer)
            #expect(await world.journal.unfinished().isEmpty, "after \(actions) actions")
            #expect(isPaid(await second.pay(link)), "after \(actions) actions")
            #expect(await world.captures == 1, "after \(actions) actions")
            let proofs = try await world.proofs(id)
            #expect(
                proofs.count == 1 && proofs.allSatisfy(\.isSound), "after \(actions) actions: \(proofs.count) proofs")
            actions += 1
        }
    }

    @Test("What was rejected, cancelled or not accepted in time is not paid, and says so")
    func ended() async throws {
        let world = try await RequestWorld()
        let process = try world.process()
        let rejected = try await world.ask()
        try await world.payer.flow.reject(rejected, reason: nil, world.asPayer)
        let cancelled = try await world.ask(for: "cake")
        try await world.cancel(cancelled)
        for id in [rejected, cancelled] { #expect(isCancelled(await process.pay(try world.link(id)))) }
        let now = Int64(world.clock.now.timeIntervalSince1970)
        let late = try await world.ask(for: "late", until: PrivateLinkTime(seconds: now + 60))
        world.clock.advance(by: .seconds(61))
        // Another device's clock may differ, so that it is no outcome.
        #expect(code(await process.pay(try world.link(late))) == .unusableOption)
        #expect(await world.captures == 0)
        #expect(world.settled.isEmpty)
    }

    // MARK: The settler

    @Test(
        "A settler that does not say leaves it open; the next one is asked by the same name, and what it paid is found")
    func silent() async throws {
        let (world, id, link) = try await RequestWorld.asked()
        #expect(isUnknown(await (try world.process(settler: world.silent)).pay(link)))
        #expect(try await world.proofs(id).isEmpty)
        #expect(try await world.phase(id) == .accepted)
        #expect(isPaid(await (try world.process(seed: 3)).pay(link)))
        #expect(await world.captures == 1)
        #expect(Set(world.settled.map(\.key)).count == 1)
        #expect(try await world.proofs(id).count == 1)
    }

    @Test("After the settler's final answer that nothing was sent it is asked again by another name, and pays once")
    func refused() async throws {
        let (world, id, link) = try await RequestWorld.asked()
        let refusing = ScriptedSettler(base: world.node, settle: { _ in .nothingSent(reason: "no route") })
        #expect(isDeclined(await (try world.process(settler: refusing)).pay(link)))
        #expect(try await world.phase(id) == .accepted)
        let process = try world.process(seed: 3)
        for _ in 0..<2 { #expect(isPaid(await process.pay(link))) }
        #expect(await world.captures == 1)
        #expect(Set(world.settled.map(\.key)).count == 2)
    }

    @Test("A false preimage of a settler is sent to no peer")
    func lyingSettler() async throws {
        let (world, id, link) = try await RequestWorld.asked()
        let lie = SettlementState.settled(.preimage(String(repeating: "07", count: 32)))
        let liar = ScriptedSettler(base: world.node, settle: { _ in lie })
        #expect(isUnknown(await (try world.process(settler: liar)).pay(link)))
        // Also for a mere inquiry, by a caller without a journal.
        let other = ScriptedSettler(
            base: world.node,
            order: { name, _ in SettlementOrder(name: name, endpoint: nil, amount: nil, state: lie) },
            settle: { _ in lie })
        let process = try world.process(journal: InMemoryJournal(), seed: 5, settler: other)
        #expect(code(await process.pay(link)) == .integrity)
        #expect(try await world.proofs(id).isEmpty)
    }

    // MARK: Links

    @Test("A request has one name in every spelling of its link, and no other's is paid")
    func names() async throws {
        let (world, id, link) = try await RequestWorld.asked()
        let process = try world.process()
        let spelt = link.replacing(id, with: id.uppercased())
        #expect(isPaid(await process.pay(spelt)))
        #expect(isPaid(await process.pay(link)))
        #expect(await world.captures == 1)
        let stranger = "11111111-1111-4111-8111-000000000002"
        #expect(code(await process.pay(try world.link(stranger))) == .notFound)
        #expect(code(await process.pay(try world.link(id, recurs: true))) == .notAPayment)
        #expect(code(await process.pay(link.replacing("shop/server", with: "shop/wallet"))) == .notFound)
        for broken in ["&app=shop", "&app=shop/server&recurs=yes", "&app=shop/server&app=shop/server"] {
            let text = "paykit:request?request_id=\(id)&from=pubky://\(world.payee.key)\(broken)"
            #expect(code(await process.pay(text)) == .unroutable, "\(broken)")
        }
    }
}
