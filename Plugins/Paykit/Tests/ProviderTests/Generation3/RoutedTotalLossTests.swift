import PaymentCore
import PaymentRouting
import PaymentTesting
import Synchronization
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
        let (world, id, link) = try await Self.paidAndLost()
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

    /// A paid request whose link and journal are lost.
    private static func paidAndLost() async throws -> (world: RequestWorld, id: String, link: String) {
        let asked = try await RequestWorld.asked()
        #expect(isPaid(await (try asked.world.process()).pay(asked.link)))
        asked.world.loseLink()
        return asked
    }

    private static func later(
        _ world: RequestWorld, _ settler: (any PaymentSettler)? = nil
    ) throws -> RoutingProcess {
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
        let (world, id, _) = try await Self.paidAndLost()
        if isCancelled { try await world.payee.flow.cancel(id, reason: nil, world.asPayee) }
        try await world.relink()
        let proof = try await world.payDirectly(id)
        #expect(proof.isSound)
        try await world.deliver()
        #expect(try await world.proofs(id) == [proof])
        #expect(await world.captures == 1 && world.settled.count == 1)
    }

    @Test("Without a router, a settler's payment of another amount under the name is not proven")
    func otherAmountWithoutRouter() async throws {
        let (world, id, _) = try await Self.paidAndLost()
        try await world.relink()
        #expect(await code { try await world.payDirectly(id, with: Self.liar(world)) } == .paymentInDoubt)
        #expect(try await world.proofs(id).isEmpty)
    }

    @Test("Link and journal are lost, and the payee, who has heard of no payment, cancels: it is paid, and proven")
    func allLostAndCancelled() async throws {
        let (world, id, link) = try await Self.paidAndLost()
        try await world.payee.flow.cancel(id, reason: nil, world.asPayee)
        try await world.relink()
        #expect(try await world.phase(id) == .cancelled)
        let later = try Self.later(world)
        for _ in 0..<2 { #expect(isPaid(await later.pay(link))) }
        #expect(await world.captures == 1)
    }

    @Test(
        "Link and journal are lost while the settler does not say, and the payee cancels: nothing is sent later, too",
        arguments: [true, false])
    func silentLostAndCancelled(isChosen: Bool) async throws {
        let (world, id, link) = try await RequestWorld.asked()
        let later = try Self.later(world)
        let chosen = try await later.choose(link)
        #expect(isUnknown(await (try world.process(settler: world.silent)).pay(link)))
        world.loseLink()
        try await world.payee.flow.cancel(id, reason: nil, world.asPayee)
        try await world.relink()
        if isChosen {
            #expect(isCancelled(await later.pay(chosen)))
        } else {
            for _ in 0..<2 { #expect(isCancelled(await later.pay(link))) }
        }
        #expect(try await world.settlesNothingLater(), "it was paid after it was called cancelled")
        #expect(await world.captures == 0)
    }

    @Test(
        "Link and journal are lost after refused attempts: the one that paid is found, or the next begins",
        arguments: [true, false])
    func allLostAfterRefusals(isPaidBefore: Bool) async throws {
        let (world, id, link) = try await RequestWorld.asked()
        let node = world.node
        let refusing = ScriptedSettler(
            base: node,
            settle: {
                _ = try await node.abandon($0.key)
                return nil
            })
        let refused = try world.process(settler: refusing)
        for _ in 0..<2 { #expect(isDeclined(await refused.pay(link))) }
        if isPaidBefore { #expect(isPaid(await (try world.process(seed: 3)).pay(link))) }
        world.loseLink()
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
        let link = try world.link(id)
        #expect(isPaid(await (try world.process()).pay(link)))
        world.loseLink()
        try await world.relink()
        let later = try Self.later(world)
        for _ in 0..<2 { #expect(isPaid(await later.pay(link))) }
        #expect(await world.sandbox.ledger.captures(of: user.key.text) == 1)
        try await world.deliver()
        #expect(try await world.requests.first?.state.proofs.map(\.identifier.text) == [method])
    }

    @Test("Link and journal are lost, and a payment of another amount under the request's name is not called its own")
    func otherAmount() async throws {
        let (world, id, link) = try await Self.paidAndLost()
        try await world.relink()
        #expect(code(await (try Self.later(world, Self.liar(world))).pay(link)) == .integrity)
        #expect(try await world.proofs(id).isEmpty)
        #expect(await world.captures == 1)
    }
}
