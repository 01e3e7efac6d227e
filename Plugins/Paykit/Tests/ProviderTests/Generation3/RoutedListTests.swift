import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitProvider
@testable import PaykitSandbox

/// Payments without a request, from the list that a payee has sent to the payer alone (Protocol 12.9).
@Suite("Private lists, paid by a router", .timeLimit(.minutes(5)))
struct RoutedListTests {
    private func offer(_ world: RequestWorld, _ satoshis: UInt64? = 2100) async throws -> PaykitEndpoint {
        let invoice = await world.invoice(satoshis)
        try await world.offer(invoice)
        return invoice
    }

    private func link(_ world: RequestWorld) -> String { "pubky://\(world.payee.key)" }

    @Test("It is paid before the published endpoints, once, and each payment takes a separate list")
    func paid() async throws {
        let world = try await RequestWorld()
        let invoice = try await offer(world)
        let process = try world.process()
        let chosen = try await process.choose(link(world))
        #expect(chosen.option == "private-btc-lightning-bolt11" && chosen.quote.options.count > 1)
        #expect(isPaid(await process.pay(chosen)))
        #expect(world.settled.map(\.endpoint.text) == [invoice.endpoint])
        // The list is used up: only what is published is left.
        let later = try world.process(journal: InMemoryJournal(), seed: 7)
        #expect(try await !later.choose(link(world)).option.hasPrefix(ListedOrder.prefix))
        let next = try await offer(world)
        #expect(isPaid(await later.pay(try await later.choose(link(world)))))
        #expect(world.settled.last?.endpoint.text == next.endpoint && world.settled.count == 2)
        #expect(await world.captures == 2)
    }

    @Test("Where only private payments are wanted, the list is the only option, and without one there is none")
    func only() async throws {
        let world = try await RequestWorld()
        _ = try await offer(world)
        let process = try world.process(isPrivateOnly: true)
        let chosen = try await process.choose(link(world))
        #expect(chosen.quote.options.map(\.id) == [chosen.option] && chosen.option.hasPrefix(ListedOrder.prefix))
        #expect(isPaid(await process.pay(chosen)))
        #expect(code(await process.pay(link(world))) == .unusableOption, "what is published is not paid")
        #expect(await world.captures == 1)
    }

    @Test("Two devices that have chosen the same list pay it once between them")
    func twoDevices() async throws {
        let world = try await RequestWorld()
        _ = try await offer(world)
        let devices = try (0..<2).map { try world.process(journal: InMemoryJournal(), seed: 3 + $0) }
        let chosen = [try await devices[0].choose(link(world)), try await devices[1].choose(link(world))]
        #expect(isPaid(await devices[0].pay(chosen[0])))
        #expect(isDeclined(await devices[1].pay(chosen[1])))
        #expect(await world.captures == 1 && world.settled.count == 1)
    }

    @Test("A list is used up by the first payment that asks for it, and by no other")
    func usedUp() async throws {
        let world = try await RequestWorld()
        _ = try await offer(world)
        let flow = world.payer.flow
        let list = try #require(try await flow.unusedList(of: world.payee.key))
        #expect(list.party == (try world.asPayer))
        #expect(try await flow.useList(list.version, by: "a", list.party))
        #expect(try await flow.useList(list.version, by: "a", list.party))
        #expect(try await !flow.useList(list.version, by: "b", list.party))
        #expect(try await flow.unusedList(of: world.payee.key) == nil)
    }

    @Test("A crash between any two actions: the list is paid once or not at all, and the payment is found again")
    func crashes() async throws {
        for actions in 0..<14 {
            let world = try await RequestWorld()
            _ = try await offer(world)
            let lifetime = ProcessLifetime(actions)
            let first = try world.process(lifetime)
            if let chosen = try? await first.choose(link(world)) { _ = await first.pay(chosen) }
            world.clock.advance(by: .seconds(3600))
            let second = try world.process(seed: 3)
            _ = try await second.router.recover(as: second.payer)
            #expect(await world.captures <= 1 && world.settled.count <= 2, "after \(actions) actions")
            #expect(Set(world.settled.map(\.key)).count <= 1, "after \(actions) actions")
            #expect(await world.journal.unfinished().isEmpty, "after \(actions) actions")
        }
    }

    @Test("A list that was replaced, or came from a key that is not confirmed, is not paid")
    func replaced() async throws {
        let world = try await RequestWorld()
        _ = try await offer(world)
        let process = try world.process()
        let chosen = try await process.choose(link(world))
        _ = try await offer(world)
        #expect(isDeclined(await process.pay(chosen)))
        try await world.payer.flow.change(world.asPayer) { record throws(PaykitNetworkError) in
            record.shownKey = world.payer.key.text
        }
        let later = try world.process(journal: InMemoryJournal(), seed: 4)
        #expect(try await !later.choose(link(world)).option.hasPrefix(ListedOrder.prefix))
        #expect(await world.captures == 0 && world.settled.isEmpty)
    }

    @Test("An invoice of a list that was paid before is not paid, and not stated as paid")
    func spent() async throws {
        let world = try await RequestWorld()
        let invoice = try await offer(world)
        let process = try world.process()
        let chosen = try await process.choose(link(world))
        _ = try await world.sandbox.pay(invoice.endpoint)
        #expect(isDeclined(await process.pay(chosen)))
        #expect(world.settled.isEmpty)
    }
}
