import PaymentCore
import Synchronization
import TestSupport
import Testing

@Suite("Steps that are kept in memory")
struct UnstoredStepTests {
    private func context(_ wire: RecordingTransport) -> ProviderContext {
        .unstored(hosts: ["api.example"], http: wire, clock: VirtualClock())
    }

    private static func mutation(_ host: String = "api.example") throws -> HTTPRequest {
        HTTPRequest(.post, try HTTPURL("https://\(host)/pay"), replay: .never)
    }

    @Test("A step runs once and keeps its result")
    func once() async throws {
        let context = context(RecordingTransport())
        let runs = Mutex(0)
        for _ in 0..<2 {
            let result = try await context.step("ask", .query) {
                runs.withLock {
                    $0 += 1
                    return $0
                }
            }
            #expect(result == 1)
        }
        #expect(await context.hasRun("ask"))
    }

    @Test("What must not be repeated leaves only from a mutation step, and only to the hosts that were named")
    func guards() async throws {
        let wire = RecordingTransport()
        let context = context(wire)
        await #expect(throws: TransportError.self) { try await context.http.send(try Self.mutation()) }
        await #expect(throws: TransportError.self) {
            try await context.step("ask", .query) { try await context.http.send(try Self.mutation()).status }
        }
        await #expect(throws: TransportError.self) {
            try await context.step("stray", .mutation(replay: .never)) {
                try await context.http.send(try Self.mutation("other.example")).status
            }
        }
        #expect(wire.requests.isEmpty)
        let status = try await context.step("pay", .mutation(replay: .never)) {
            try await context.http.send(try Self.mutation()).status
        }
        #expect(status == 200 && wire.requests.count == 1)
    }

    @Test("A mutation whose answer was lost is not sent again, whatever its step says of it")
    func lostAnswer() async throws {
        let wire = RecordingTransport(statuses: [0])
        let context = context(wire)
        for _ in 0..<2 {
            await #expect(throws: PaymentError.self) {
                try await context.step("pay", .mutation(replay: .never)) {
                    do { return try await context.http.send(try Self.mutation()).status } catch {
                        throw PaymentError(.requestRefused, "nothing was done", phase: .answered)
                    }
                }
            }
        }
        #expect(wire.requests.count == 1)
        #expect(await context.hasRun("pay"))
    }

    @Test("A mutation that did nothing may run again")
    func withoutEffect() async throws {
        let wire = RecordingTransport()
        let context = context(wire)
        await #expect(throws: PaymentError.self) {
            try await context.step("pay", .mutation(replay: .never)) {
                throw PaymentError(.payer, "not now")
            } as Int
        }
        #expect(await !context.hasRun("pay"))
        let status = try await context.step("pay", .mutation(replay: .never)) {
            try await context.http.send(try Self.mutation()).status
        }
        #expect(status == 200)
    }

    @Test("Two who begin one mutation at the same time do it once")
    func concurrently() async throws {
        let wire = RecordingTransport()
        let context = context(wire)
        let done = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let status = try? await context.step("pay", .mutation(replay: .never)) {
                        await Task.yield()
                        return try await context.http.send(try Self.mutation()).status
                    }
                    return status == nil ? 0 : 1
                }
            }
            return await group.reduce(0, +)
        }
        // Later callers got the result; concurrent ones got an error that it is in progress.
        #expect((1...8).contains(done) && wire.requests.count == 1)
    }
}
