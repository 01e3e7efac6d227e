import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitProvider
@testable import PaykitSandbox

/// Requests that were paid before the loss of the link's stored state, while the journal was kept (Protocol 12.8 and
/// 12.9).
@Suite("Requests over private links, by a router whose link is lost", .timeLimit(.minutes(5)))
struct RoutedLossTests {
    @Test(
        "What was paid before its proof was sent is proven when it is paid or resumed again, once",
        arguments: [true, false])
    func paid(isResumed: Bool) async throws {
        let (world, id, link) = try await RequestWorld.asked()
        let process = try world.process()
        #expect(isPaid(await process.pay(link)))
        // No poll since: the payee has received neither the acceptance nor the proof.
        world.loseLink()
        let attempt = try #require(
            await world.journal.histories(of: PaymentReference(provider: "paykit", id: name(of: id, world))).last?
                .attempt)
        let again = { () async -> Result<PaymentOutcome, PaymentError> in
            guard isResumed else { return await process.pay(link) }
            do throws(PaymentError) {
                return .success(try await process.router.resume(attempt.id, as: process.payer))
            } catch {
                return .failure(error)
            }
        }
        #expect(isPaid(await again()), "it is, whether the payee can be told or not")
        try await world.relink()
        #expect(try await world.phase(id) == .proposed)
        #expect(try await world.proofs(id).isEmpty)
        for _ in 0..<2 { #expect(isPaid(await again())) }
        let proofs = try await world.proofs(id)
        #expect(proofs.count == 1 && proofs.allSatisfy(\.isSound))
        #expect(try await world.phase(id) == .proven)
        #expect(await world.captures == 1 && world.settled.count == 1)
    }

    private func name(of id: String, _ world: RequestWorld) throws -> String {
        try #require(PaykitRequestURL(id, from: world.payee.key, app: world.payee.receiver, recurs: false)).reference
    }

    @Test("What the settler has paid when the link is lost is found, and proven once the request has come again")
    func lostBeforeKept() async throws {
        let (world, id, link) = try await RequestWorld.asked()
        let node = world.node
        let settler = ScriptedSettler(
            base: node,
            settle: {
                defer { world.loseLink() }
                return try await node.settle($0)
            })
        #expect(isUnknown(await (try world.process(settler: settler)).pay(link)))
        let process = try world.process(seed: 3)
        #expect(isUnknown(await process.pay(link)), "the request has not come again")
        #expect(await world.journal.unfinished().count == 1, "nothing is lost")
        try await world.relink()
        #expect(isPaid(await process.pay(link)))
        #expect(try await world.proofs(id).count == 1)
        #expect(await world.captures == 1 && world.settled.count == 1)
    }

    @Test(
        "What the settler was asked for, and did not say, is asked again once the request has come again, by the same name"
    )
    func lostWhileAsked() async throws {
        let (world, id, link) = try await RequestWorld.asked()
        let silent = ScriptedSettler(
            base: world.node,
            settle: { _ in
                world.loseLink()
                throw NoWord()
            })
        #expect(isUnknown(await (try world.process(settler: silent)).pay(link)))
        let process = try world.process(seed: 3)
        #expect(isUnknown(await process.pay(link)))
        #expect(world.settled.count == 1, "nothing is paid that could not be proven")
        try await world.relink()
        // Its list came again with it, and is used up by it.
        #expect(isPaid(await process.pay(link)))
        #expect(try await world.proofs(id).count == 1)
        #expect(await world.captures == 1)
        #expect(Set(world.settled.map(\.key)).count == 1)
        let other = try world.process(journal: InMemoryJournal(), seed: 5)
        #expect(isPaid(await other.pay(link)), "it is kept for everybody")
    }

    @Test("What was not asked of the settler waits for the request to come again, and is paid once then")
    func lostBeforeAsked() async throws {
        let (world, id, link) = try await RequestWorld.asked()
        world.loseLink()
        let process = try world.process()
        for _ in 0..<2 {
            let error = await #expect(throws: PaymentError.self, "nobody knows of the request") {
                try await process.pay(link).get()
            }
            #expect(error?.code == .notFound && error?.retry == .later)
            try await world.payer.flow.poll(world.payee.key, world.payee.receiver, world.payer.session)
        }
        try await world.relink()
        #expect(isPaid(await process.pay(link)))
        #expect(try await world.proofs(id).count == 1)
        #expect(await world.captures == 1)
    }

    @Test(
        "A request that was cancelled after the settler was asked is not paid when the link is lost, too",
        arguments: [true, false])
    func cancelledInDoubt(isLost: Bool) async throws {
        let (world, id, link) = try await RequestWorld.asked()
        #expect(isUnknown(await (try world.process(settler: world.silent)).pay(link)))
        if isLost { world.loseLink() }
        try await world.payee.flow.cancel(id, reason: "changed my mind", world.asPayee)
        try await world.relink()
        #expect(try await world.phase(id) == .cancelled)
        let later = try world.process(seed: 3)
        for _ in 0..<2 { #expect(isCancelled(await later.pay(link))) }
        _ = try? await later.router.recover(as: later.payer)
        #expect(await world.captures == 0)
    }

    @Test("A payment of another device is not reported as paid by one that has only read of it")
    func paidElsewhere() async throws {
        let (world, id, link) = try await RequestWorld.asked()
        let other = try world.process(journal: InMemoryJournal(), seed: 5)
        let chosen = try await other.choose(link)
        let process = try world.process()
        #expect(isPaid(await process.pay(link)))
        #expect(isPaid(await other.pay(chosen)))
        world.loseLink()
        try await world.relink()
        #expect(isPaid(await other.pay(link)))
        #expect(try await world.proofs(id).isEmpty)
        #expect(isPaid(await process.pay(link)))
        #expect(try await world.proofs(id).count == 1)
        #expect(await world.captures == 1)
    }
}
