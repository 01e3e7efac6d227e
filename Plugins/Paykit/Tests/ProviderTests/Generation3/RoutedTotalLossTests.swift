import Foundation
import PaymentCore
import PaymentRouting
import PaymentStandards
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PaykitProvider
@testable import PaykitSandbox

/// Requests that were begun to be paid before the loss of the link's stored state and of the journal: only the settler
/// knows of them (Protocol 12.9).
@Suite("Requests over private links, by a router whose link and journal are lost", .timeLimit(.minutes(5)))
struct RoutedTotalLossTests {
    @Test(
        "Link and journal are lost, and the payee sends another invoice or none: the payment is found by its name, and proven",
        arguments: [true, false], [true, false])
    func allLost(hasFresh: Bool, isHidden: Bool) async throws {
        let world = try await RequestWorld()
        let id = try await world.ask()
        let link = try world.link(id)
        #expect(isPaid(await (try world.process()).pay(link)))
        await world.states.lose()
        try await world.relink()
        // The payee has heard of no payment.
        if hasFresh { try await world.offer(await world.invoice(2100)) }
        // Another process may pay it between the quote and the payment.
        let isHidden = Mutex(isHidden && hasFresh)
        let settler = ScriptedSettler(
            base: world.node,
            order: { _, known in
                isHidden.withLock { isHidden in
                    defer { isHidden = false }
                    return isHidden ? nil : known
                }
            })
        let later = try world.process(journal: InMemoryJournal(), seed: 9, settler: settler)
        for _ in 0..<3 {
            let result = await later.pay(link)
            #expect(isPaid(result), "\(result)")
            try await world.deliver()
        }
        #expect(await world.captures == 1 && world.settled.count == 1)
        let proofs = try await world.proofs(id)
        #expect(proofs.count == 1 && proofs.allSatisfy(\.isSound))
    }

    /// Pays a request, and loses the link's state and the journal.
    private static func payAndLose(_ world: RequestWorld, _ id: String) async throws {
        #expect(isPaid(await (try world.process()).pay(try world.link(id))))
        await world.states.lose()
    }

    private static func later(
        _ world: RequestWorld, _ settler: (any PaymentSettler)? = nil
    ) throws -> RequestWorld.Process {
        try world.process(journal: InMemoryJournal(), seed: 9, settler: settler)
    }

    /// A settler that states another amount than it pays.
    private static func liar(_ world: RequestWorld) -> ScriptedSettler {
        ScriptedSettler(
            base: world.node,
            order: { name, known in
                try known.map {
                    let other = try Money(minorUnits: 1, currency: .satoshi)
                    return SettlementOrder(name: name, endpoint: $0.endpoint, amount: other, state: $0.state)
                }
            })
    }

    @Test("The same without a router: it is paid, and proven, and nothing is sent again", arguments: [true, false])
    func allLostWithoutRouter(isCancelled: Bool) async throws {
        let world = try await RequestWorld()
        let id = try await world.ask()
        try await Self.payAndLose(world, id)
        if isCancelled { try await world.payee.flow.cancel(id, reason: nil, world.asPayee) }
        try await world.relink()
        let check = PaykitEndpointCheck(StandardsReader(), network: .regtest)
        let proof = try await world.payer.flow.pay(id, world.asPayer, with: world.node, check: check)
        #expect(proof.isSound)
        try await world.deliver()
        #expect(try await world.proofs(id) == [proof])
        #expect(await world.captures == 1 && world.settled.count == 1)
    }

    @Test("Without a router, a settler's payment of another amount under the name is not proven")
    func otherAmountWithoutRouter() async throws {
        let world = try await RequestWorld()
        let id = try await world.ask()
        try await Self.payAndLose(world, id)
        try await world.relink()
        let check = PaykitEndpointCheck(StandardsReader(), network: .regtest)
        let liar = Self.liar(world)
        await #expect { try await world.payer.flow.pay(id, world.asPayer, with: liar, check: check) } throws: {
            ($0 as? PaykitNetworkError)?.code == .paymentInDoubt
        }
        #expect(try await world.proofs(id).isEmpty)
    }

    @Test("Link and journal are lost, and the payee, who has heard of no payment, cancels: it is paid, and proven")
    func allLostAndCancelled() async throws {
        let world = try await RequestWorld()
        let id = try await world.ask()
        try await Self.payAndLose(world, id)
        try await world.payee.flow.cancel(id, reason: nil, world.asPayee)
        try await world.relink()
        #expect(try await world.phase(id) == .cancelled)
        let later = try Self.later(world)
        for _ in 0..<2 { #expect(isPaid(await later.pay(try world.link(id)))) }
        #expect(await world.captures == 1)
    }

    @Test(
        "Link and journal are lost while the settler does not say, and the payee cancels: nothing is sent later, too",
        arguments: [true, false])
    func silentLostAndCancelled(isChosen: Bool) async throws {
        let world = try await RequestWorld()
        let id = try await world.ask()
        let later = try Self.later(world)
        let (quote, option) = try await later.choose(try world.link(id))
        let silent = ScriptedSettler(base: world.node, settle: { _ in throw NoWord() })
        #expect(isUnknown(await (try world.process(settler: silent)).pay(try world.link(id))))
        await world.states.lose()
        try await world.payee.flow.cancel(id, reason: nil, world.asPayee)
        try await world.relink()
        if isChosen {
            #expect(try await later.router.pay(quote, option: option, as: later.payer) == .cancelled)
        } else {
            for _ in 0..<2 { #expect(isCancelled(await later.pay(try world.link(id)))) }
        }
        // A request to the settler that was held up on its way arrives now.
        let late = try #require(world.settled.first)
        guard case .nothingSent = try await world.node.settle(late) else {
            Issue.record("it was paid after it was called cancelled")
            return
        }
        #expect(await world.captures == 0)
    }

    @Test(
        "Link and journal are lost after refused attempts: the one that paid is found, or the next begins",
        arguments: [true, false])
    func allLostAfterRefusals(isPaidBefore: Bool) async throws {
        let world = try await RequestWorld()
        let id = try await world.ask()
        let link = try world.link(id)
        let node = world.node
        let refusing = ScriptedSettler(
            base: node,
            settle: {
                _ = try await node.abandon($0.key)
                return nil
            })
        let refused = try world.process(settler: refusing)
        for _ in 0..<2 {
            let result = await refused.pay(link)
            guard case .success(.declined) = result else {
                Issue.record("it was refused, and is \(result)")
                return
            }
        }
        if isPaidBefore { #expect(isPaid(await (try world.process(seed: 3)).pay(link))) }
        await world.states.lose()
        try await world.relink()
        #expect(isPaid(await (try Self.later(world)).pay(link)))
        #expect(await world.captures == 1)
        #expect(Set(world.settled.map(\.key)).count == 3)
        #expect(try await world.proofs(id).count == 1)
    }

    @Test("Link and journal are lost, and a payment on the chain is found by its name, and proven by its method")
    func allLostOnChain() async throws {
        let world = try await RequestWorld()
        let user = await world.sandbox.createUser(.ready)
        let address = try #require(await world.sandbox.file(at: "/pub/paykit.app/v0/onchain", of: user.key))
        let method = "btc-regtest-p2wpkh"
        let id = try await world.ask(
            at: [PaykitEndpoint(methodID: method, endpoint: String(decoding: address, as: UTF8.self))])
        try await Self.payAndLose(world, id)
        try await world.relink()
        let later = try Self.later(world)
        for _ in 0..<2 { #expect(isPaid(await later.pay(try world.link(id)))) }
        #expect(await world.sandbox.ledger.captures(of: user.key.text) == 1)
        try await world.deliver()
        let request = try await world.payee.flow.requests(with: world.payer.key, world.payer.receiver).first
        #expect(request?.state.proofs.map(\.identifier.text) == [method])
    }

    @Test("Link and journal are lost, and a payment of another amount under the request's name is not called its own")
    func otherAmount() async throws {
        let world = try await RequestWorld()
        let id = try await world.ask()
        try await Self.payAndLose(world, id)
        try await world.relink()
        #expect(code(await (try Self.later(world, Self.liar(world))).pay(try world.link(id))) == .integrity)
        #expect(try await world.proofs(id).isEmpty)
        #expect(await world.captures == 1)
    }
}
