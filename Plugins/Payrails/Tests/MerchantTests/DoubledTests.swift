import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import PayrailsMerchant
import PayrailsProvider
import PayrailsSandbox
import Testing

/// One operation requested more than once: by two servers, by an old process and a new one, by a network that doubles.
@Suite struct MerchantDoubledTests {
    private func server(_ world: MerchantWorld, _ seed: UInt64) throws -> PaymentRouter {
        // Another process: with a separate client, token and journal.
        PaymentRouter(
            registry: try ProviderRegistry([MerchantWorld.merchant(at: world.clock)]), transport: world.wire,
            journal: InMemoryJournal(), clock: world.clock, random: SeededRandomSource(seed: seed))
    }

    @Test("Two servers at the same time give back once")
    func refunds() async throws {
        let world = try MerchantWorld()
        let payment = try await world.captured()
        let request = try world.refund(payment)
        let (first, second) = (try server(world, 11), try server(world, 12))
        async let one = try? first.refund(request)
        async let two = try? second.refund(request)
        let outcomes = await [one, two].compactMap(\.self)
        #expect(outcomes.contains { receipt($0)?.amount == request.amount })
        #expect(!outcomes.contains { isDeclined($0) })
        #expect(await world.given(payment) == ["33.00 EUR"])
        #expect(Set(world.wire.keys("refund")).count == 1)
    }

    @Test("Two servers at the same time call off once, and capture once")
    func cancelsAndCaptures() async throws {
        let world = try MerchantWorld()
        let payment = try await world.paid("a")
        let (first, second) = (try server(world, 11), try server(world, 12))
        async let one = try? first.cancel(payment)
        async let two = try? second.cancel(payment)
        _ = await (one, two)
        #expect(await world.events(payment).count { $0 == .cancelled } == 1)
        let other = try await world.paid("b")
        let (third, fourth) = (world.client, world.client)
        async let three = try? third.capture(other)
        async let four = try? fourth.capture(other)
        _ = await (three, four)
        #expect(await world.events(other).count { $0 == .settled } == 1)
    }

    @Test("Requests that the network doubles are carried out once")
    func doubledRequests() async throws {
        let world = try MerchantWorld()
        let sandbox = world.sandbox
        world.wire.before { request in
            guard request.method == .post else { return }
            _ = await sandbox.respond(to: request)
        }
        let payment = try await world.captured()
        #expect(receipt(try await world.router.refund(try world.refund(payment))) != nil)
        #expect(await world.given(payment) == ["33.00 EUR"])
        #expect(await world.sandbox.ledger.count(of: .created) == 1)
        #expect(await world.events(payment).count { $0 == .settled } == 1)
    }

    @Test("Secrets and tokens stand in no request but where they belong, and in no text")
    func secrets() async throws {
        let world = try MerchantWorld()
        let session = try await world.client.open(try MerchantWorld.order())
        _ = try await world.pay(session)
        let payment = try #require(session.payment)
        _ = try await world.client.capture(payment)
        _ = try await world.router.refund(try world.refund(payment))
        var text = "\(session) \(world.merchant) \(session.order)"
        dump(session, to: &text)
        dump(world.merchant, to: &text)
        for request in world.wire.requests {
            text += "\(request) \(request.url.text) " + String(decoding: request.body, as: UTF8.self)
        }
        let sent = world.wire.requests.compactMap { $0.headers["Authorization"] }
        let token = try #require(sent.first).dropFirst("Bearer ".count)
        for secret in [
            MerchantWorld.secret, MerchantWorld.webhookSecret.reveal(), String(token), session.initData.data,
        ] { #expect(!text.contains(secret)) }
    }
}
