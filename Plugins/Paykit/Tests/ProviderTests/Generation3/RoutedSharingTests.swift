import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitProvider
@testable import PaykitSandbox

/// Requests over private links, paid by several processes that share the link's stored state (Protocol 12.9).
@Suite("Requests over private links, by several who share the link", .timeLimit(.minutes(5)))
struct RoutedSharingTests {
    @Test(
        "A crash between any two steps, and the payee cancels it: it is paid once with a proof, or never",
        arguments: [true, false])
    func calledOffMeanwhile(isRecovered: Bool) async throws {
        for actions in 0..<26 {
            let (world, id, link) = try await RequestWorld.asked()
            let lifetime = ProcessLifetime(actions)
            _ = await (try world.process(lifetime)).pay(link)
            try await world.cancel(id)
            world.clock.advance(by: .seconds(3600))
            let second = try world.process(seed: 3)
            if isRecovered { _ = try await second.router.recover(as: second.payer) }
            let result = await second.pay(link)
            let proofs = try await world.proofs(id).count
            #expect(await world.captures == proofs, "after \(actions) actions")
            #expect(isPaid(result) == (proofs == 1), "after \(actions) actions: \(result)")
            if proofs == 0 {
                #expect(isCancelled(result), "after \(actions) actions: \(result)")
                #expect(isCancelled(await second.pay(link)))
                #expect(await world.captures == 0)
            }
        }
    }

    @Test("Two devices, each with a separate journal, pay a request once between them, also at the same time")
    func twoDevices() async throws {
        for seed in 0..<4 as Range<UInt64> {
            let (world, id, link) = try await RequestWorld.asked()
            let devices = try (0..<3).map { try world.process(journal: InMemoryJournal(), seed: seed * 8 + $0) }
            await withTaskGroup(of: Void.self) { group in
                for device in devices { group.addTask { _ = await device.pay(link) } }
            }
            for device in devices { #expect(isPaid(await device.pay(link))) }
            #expect(await world.captures == 1)
            #expect(Set(world.settled.map(\.key)).count == 1, "all of them ask by one name")
            #expect(try await world.proofs(id).count == 1)
        }
    }

    @Test("What one of them is about to ask the settler for is not paid once another one reports it as cancelled")
    func calledOffWhileAsked() async throws {
        let (world, id, link) = try await RequestWorld.asked()
        let other = try world.process(journal: InMemoryJournal(), seed: 5)
        let settler = ScriptedSettler(
            base: world.node,
            settle: { _ in
                try await world.cancel(id)
                for _ in 0..<2 { #expect(isCancelled(await other.pay(link))) }
                return nil
            })
        #expect(isCancelled(await (try world.process(settler: settler)).pay(link)))
        #expect(isCancelled(await other.pay(link)))
        #expect(await world.captures == 0)
        #expect(try await world.proofs(id).isEmpty)
    }

    @Test("What was cancelled before the settler is asked is cancelled for all of them")
    func calledOffBeforeAsked() async throws {
        let (world, id, link) = try await RequestWorld.asked()
        let other = try world.process(journal: InMemoryJournal(), seed: 5)
        let settler = ScriptedSettler(
            base: world.node,
            order: { _, known in
                guard try await world.phase(id) == .accepted else { return known }
                try await world.cancel(id)
                #expect(isCancelled(await other.pay(link)))
                return known
            })
        let process = try world.process(settler: settler)
        for _ in 0..<2 { #expect(isCancelled(await process.pay(link))) }
        #expect(isCancelled(await other.pay(link)))
        #expect(await world.captures == 0 && world.settled.isEmpty)
    }

    @Test("A request of a settler that does not answer is abandoned there once it is cancelled, and never paid")
    func silentAndCalledOff() async throws {
        let (world, id, link) = try await RequestWorld.asked()
        let other = try world.process(journal: InMemoryJournal(), seed: 5)
        #expect(isUnknown(await (try world.process(settler: world.silent)).pay(link)))
        let chosenBefore = try await other.choose(link)
        try await world.cancel(id)
        #expect(isCancelled(await other.pay(link)))
        #expect(isCancelled(await other.pay(chosenBefore)))
        #expect(await world.captures == 0 && world.settled.count == 1)
        let asker = try world.process(seed: 3)
        _ = try? await asker.router.recover(as: asker.payer)
        for _ in 0..<2 { #expect(isCancelled(await asker.pay(link))) }
        #expect(try await world.settlesNothingLater(), "it was paid after it was called cancelled")
        #expect(await world.captures == 0 && world.settled.count == 1)
    }

    @Test("What the settler has paid without an answer is found when it is cancelled, and proven")
    func paidAndCalledOff() async throws {
        let (world, id, link) = try await RequestWorld.asked()
        let node = world.node
        let silent = ScriptedSettler(
            base: node,
            settle: {
                _ = try await node.settle($0)
                throw NoWord()
            })
        #expect(isUnknown(await (try world.process(settler: silent)).pay(link)))
        try await world.cancel(id)
        #expect(isPaid(await (try world.process(journal: InMemoryJournal(), seed: 5)).pay(link)))
        #expect(try await world.proofs(id).count == 1)
        #expect(await world.captures == 1)
    }

    @Test("Where the journal was lost, what another had begun is asked of the settler before anything is paid")
    func lostJournal() async throws {
        let (world, id, link) = try await RequestWorld.asked()
        #expect(isPaid(await (try world.process()).pay(link)))
        // The link before the proof was stored.
        try await world.payer.flow.change(world.asPayer) { record throws(PaykitNetworkError) in
            record[payment: id]?.stage = .paying
            record[payment: id]?.proof = nil
        }
        let other = try world.process(journal: InMemoryJournal(), seed: 5)
        #expect(isPaid(await other.pay(link)))
        #expect(await world.captures == 1)
        #expect(world.settled.count == 1, "it was only asked what it knew")
    }

    @Test("What was begun without a router a router resumes, and the reverse, by one name")
    func oneOfBoth() async throws {
        let world = try await RequestWorld()
        let first = try await world.ask()
        await #expect(throws: PaykitNetworkError.self) { try await world.payDirectly(first, with: world.silent) }
        #expect(isPaid(await (try world.process()).pay(try world.link(first))))
        let proof = try await world.payDirectly(first, with: world.silent)
        #expect(try await world.proofs(first) == [proof])
        let second = try await world.ask(for: "cake")
        let link = try world.link(second)
        #expect(isUnknown(await (try world.process(seed: 3, settler: world.silent)).pay(link)))
        try await world.payDirectly(second)
        #expect(isPaid(await (try world.process(seed: 4)).pay(link)))
        #expect(await world.captures == 2)
    }
}
