import PaykitSandbox
import PaymentCore
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PaykitKit
@testable import PaykitProvider

/// A lookup of many users takes no more than the limits allow, however many they are.
@Suite("Paykit's batches")
struct BatchTests {
    /// Counts the requests in flight, and lets everything else run before it answers.
    private final class Counting: HTTPMiddleware {
        private let counts = Mutex<(now: Int, most: Int)>((0, 0))
        var most: Int { counts.withLock(\.most) }

        func intercept(_ request: HTTPRequest, next: HTTPNext) async throws(TransportError) -> HTTPResponse {
            counts.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            defer { counts.withLock { $0.now -= 1 } }
            for _ in 0..<20 { await Task.yield() }
            return try await next(request)
        }
    }

    private let sandbox = PubkySandbox(random: SeededRandomSource(seed: 3))

    private func client(_ counting: Counting) throws -> PaykitClient {
        try sandbox.newClient(
            over: LayeredTransport(SandboxTransport(sandbox), [counting]), clock: SystemPaymentClock()
        ) { $0.cacheCapacity = 10 }
    }

    @Test(
        "So many users are asked at a time as were allowed, each with a few requests, and few are kept",
        arguments: [1, 4])
    func bounded(_ width: Int) async throws {
        var keys: [String] = []
        for _ in 0..<60 { keys.append(await sandbox.createUser(.ready).key.text) }
        let counting = Counting()
        let client = try client(counting)
        let (methods, errors) = await client.discoverBatch(pubkeys: keys, width: width)
        #expect(methods.count == 60 && errors.isEmpty)
        // Each user's endpoints are read at most four at a time.
        #expect(counting.most <= 4 * width && counting.most > 0)
        #expect(await client.cache.keys.count <= 10)
    }

    @Test("An abandoned lookup asks no further, and returns the payees found so far")
    func cancelled() async throws {
        var keys: [String] = []
        for _ in 0..<50 { keys.append(await sandbox.createUser(.chainOnly).key.text) }
        let client = try client(Counting())
        let asked = Mutex(0)
        let all = keys
        let task = Task {
            await client.discoverBatch(pubkeys: all, width: 2) { done in
                asked.withLock { $0 = done }
                if done == 10 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        let (methods, errors) = await task.value
        #expect(methods.count + errors.count == asked.withLock { $0 })
        #expect((10...12).contains(methods.count + errors.count))
    }

    @Test("Users whose texts are no keys have separate errors")
    func texts() async throws {
        let user = await sandbox.createUser(.chainOnly)
        let (methods, errors) = try await client(Counting())
            .discoverBatch(pubkeys: [user.key.text, "pk:" + user.key.text, "x", ""])
        #expect(methods.count == 2 && Set(errors.keys) == ["x", ""])
    }
}
