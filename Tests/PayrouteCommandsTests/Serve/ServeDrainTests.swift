import Foundation
import PaymentCore
import PaymentCrypto
import PaymentRouting
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PayrouteCommands

/// The end of `payroute serve`, in the time of its clock.
@Suite("serve: the end of the server")
struct ServeDrainTests {
    /// Time in which short sleeps pass at once, and those of a minute last until they are cancelled.
    private final class StepClock: PaymentClock {
        private let state = Mutex<[Duration]>([])
        private let long = Mutex<[Duration]>([])
        private let cancelled = Mutex(false)
        private let reads = Mutex(0)
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        /// The short sleeps, in order.
        var naps: [Duration] { state.withLock { $0 } }
        /// The others.
        var waits: [Duration] { long.withLock { $0 } }
        /// True once a sleep of a minute was cancelled.
        var isCancelled: Bool { cancelled.withLock(\.self) }
        /// Jumps ahead once it was read ten thousand times: a loop that does not sleep ends, and its test fails.
        var uptime: Duration {
            let count = reads.withLock { count in
                count += 1
                return count
            }
            return naps.reduce(.seconds(count > 10_000 ? 1_000_000 : 1000), +)
        }

        func sleep(for duration: Duration) async throws {
            if duration >= .seconds(60) {
                long.withLock { $0.append(duration) }
                defer { cancelled.withLock { $0 = true } }
                return try await Task.sleep(for: .seconds(3600))
            }
            state.withLock { $0.append(duration) }
            await Task.yield()
            try Task.checkCancellation()
        }
    }

    private let shop = Shop()
    private let clock = StepClock()

    private func server() async throws -> ServeInterface {
        let journal = InMemoryJournal()
        let registry = try ProviderRegistry([ShopProvider(gateway: try HTTPURL("https://shop.example"))])
        // A cancelled payment is left after a real time, which may pass within the naps of a busy machine.
        let leases = LeasePolicy(grace: .seconds(3600))
        return try await ServeInterface(
            over: PaymentRouter(
                registry: registry, transport: DirectTransport(service: shop), journal: journal, leases: leases),
            journal: journal, records: InMemoryRecords(), wallet: nil, tokens: ServeInterface.tokens,
            random: SystemRandomSource(), clock: clock)
    }

    private func begin(_ option: JSONValue, _ server: ServeInterface) async throws -> String {
        let begun = try await server.begin(["link": "https://shop.example/order/7", "option": option], key: "k")
        return try #require(begun.json["id"]?.string)
    }

    @Test("What runs is waited for as long as it may, and what was cancelled for five seconds")
    func waiting() async throws {
        let (server, gate) = (try await server(), Gate())
        let taken = await shop.holdNext(until: gate)
        _ = try await begin("tab", server)
        await taken.pass()
        try await eventually("it does not wait for its next look") { !clock.waits.isEmpty }
        #expect(clock.waits == [.seconds(60)])
        await server.drain(within: .seconds(1))
        let naps = Array(repeating: Duration.milliseconds(50), count: 20)
        #expect(clock.naps == naps + Array(repeating: .milliseconds(20), count: 250))
        await gate.open()
    }

    @Test("A run is counted with its time, whatever the time of the machine")
    func counted() async throws {
        let server = try await server()
        _ = try await begin("tab", server)
        try await eventually("it does not end") { server.api.metrics.text.contains("_seconds_count 1\n") }
        #expect(server.api.metrics.text.contains("_seconds_sum 0.0\n"), "\(server.api.metrics.text)")
    }

    @Test("A cancelled caller of the end waits for nothing")
    func cancelled() async throws {
        let (server, gate) = (try await server(), Gate())
        let taken = await shop.holdNext(until: gate)
        _ = try await begin("tab", server)
        await taken.pass()
        let drained = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await server.drain(within: .seconds(1))
        }
        await drained.value
        #expect(clock.naps == [.milliseconds(50), .milliseconds(20)])
        await gate.open()
    }

    @Test("A server that ends, or is released, looks at its payments no more", arguments: [true, false])
    func released(isStopped: Bool) async throws {
        var server: ServeInterface? = try await server()
        try await eventually("it does not wait for its next look") { !clock.waits.isEmpty }
        if isStopped { await server?.stop() } else { server = nil }
        try await eventually("it waits for its next look") { clock.isCancelled }
        #expect((server != nil) == isStopped)
    }

    @Test("What waits for its payer is not waited for, and those who watch it see the end")
    func asking() async throws {
        let server = try await server()
        let id = try await begin("signed", server)
        try await eventually("it asks nothing") { await server.api.payments.actions.isAsking(id) }
        let changes = await server.api.payments.changes(of: id)
        let hasEnded = Mutex(false)
        let watcher = Task {
            for await _ in changes {}
            hasEnded.withLock { $0 = true }
        }
        await server.drain(within: .seconds(1))
        #expect(!clock.naps.contains(.milliseconds(50)))
        try await eventually("the watcher waits for more") { hasEnded.withLock { $0 } }
        watcher.cancel()
    }
}
