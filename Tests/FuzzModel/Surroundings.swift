import Dispatch
package import Foundation
package import PaymentCore
import PaymentTesting
import Synchronization

/// The surroundings of a provider under test: one answer, no time, no secrets, and steps that run at once.
package struct Surroundings: Sendable {
    /// Answers every request.
    package struct Service: HTTPTransport {
        private let answer: @Sendable (HTTPRequest) -> HTTPResponse

        package init(answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse) { self.answer = answer }

        package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse { answer(request) }
    }

    /// A clock on which waiting takes no time.
    package final class Clock: PaymentClock {
        private let state = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

        package init() {}

        package var now: Date { state.withLock { $0 } }

        package func sleep(for duration: Duration) async throws {
            state.withLock { $0 += Double(duration.components.seconds) + 1 }
        }
    }

    private struct Steps: StepRunner {
        func run(
            _ name: String, _ kind: StepKind, _ body: @escaping @Sendable () async throws -> JSONValue
        ) async throws -> JSONValue {
            try await body()
        }

        func hasRun(_ name: String) async -> Bool { false }

        func ensureInCharge() async throws {}
    }

    package static func context(
        link: PaymentLink? = nil, payer: Payer = Payer(), _ answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse
    ) -> ProviderContext {
        ProviderContext(
            http: Service(answer: answer), payer: payer, clock: Clock(), random: SeededRandomSource(seed: 1),
            secrets: NoSecrets(), link: link, steps: Steps(), remark: { _ in })
    }

    package static func answer(_ body: String) -> HTTPResponse { HTTPResponse(status: 200, body: Array(body.utf8)) }

    /// Runs `work` to its end. Inputs come one by one, from a function that does not suspend.
    package static func wait<Value: Sendable>(for work: @escaping @Sendable () async -> Value) -> Value? {
        let result = Result<Value>()
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            result.set(await work())
            isDone.signal()
        }
        isDone.wait()
        return result.value
    }

    private final class Result<Value: Sendable>: Sendable {
        private let content = Mutex<Value?>(nil)

        var value: Value? { content.withLock { $0 } }

        func set(_ value: Value) { content.withLock { $0 = value } }
    }
}

extension ServiceReport {
    /// True if it reports that the money arrived.
    package var isSuccess: Bool { if case .succeeded = self { true } else { false } }
}
