import Foundation
import PaymentCore
import Synchronization
import Testing

@testable import PaymentTransport

@Suite("Retrying") struct RetryTests {
    @Test("Waits double up to the cap")
    func waitsDoubleUpToTheCap() async throws {
        var policy = RetryPolicy()
        policy.retries = 6
        for (fraction, expected) in [
            (UInt64.min, [250, 500, 1000, 2000, 2500, 2500]), (UInt64(1) << 63, [375, 750, 1500, 3000, 3750, 3750]),
        ] {
            let world = World(Array(repeating: .status(503), count: 7), random: fraction)
            let response = try await world.send(policy, .get, timeout: .seconds(100))
            #expect(response.status == 503)
            #expect(world.waits == expected.map { .milliseconds($0) })
            #expect(world.attempts.count == 7)
        }
    }

    @Test("By default there are two retries")
    func byDefaultTwoRetries() async throws {
        let world = World([.status(503), .failure(.maybeSent, .timedOut), .status(200)])
        #expect(try await world.send(.init(), .get).status == 200)
        #expect(world.attempts.count == 3)
    }

    struct Case: Sendable {
        let result: World.Result
        /// True if an unrepeatable request is sent again; `safe` is the same for a repeatable one.
        let never: Bool
        let safe: Bool
    }

    @Test(
        "What is repeated",
        arguments: [
            Case(result: .failure(.notSent, .connectFailed("")), never: true, safe: true),
            Case(result: .failure(.notSent, .hostNotFound), never: true, safe: true),
            Case(result: .failure(.notSent, .timedOut), never: true, safe: true),
            Case(result: .failure(.maybeSent, .timedOut), never: false, safe: true),
            Case(result: .failure(.maybeSent, .connectionLost("")), never: false, safe: true),
            Case(result: .failure(.maybeSent, .connectFailed("")), never: false, safe: true),
            Case(result: .failure(.maybeSent, .malformedResponse("")), never: false, safe: false),
            Case(result: .failure(.maybeSent, .responseTooLarge(limit: 1)), never: false, safe: false),
            Case(result: .failure(.notSent, .tls("")), never: false, safe: false),
            Case(result: .failure(.notSent, .cancelled), never: false, safe: false),
            Case(result: .failure(.notSent, .hostNotDeclared("")), never: false, safe: false),
            Case(result: .failure(.notSent, .invalidRequest("")), never: false, safe: false),
            Case(result: .status(200), never: false, safe: false),
            Case(result: .status(302), never: false, safe: false),
            Case(result: .status(409), never: false, safe: false),
            Case(result: .status(429), never: false, safe: true),
            Case(result: .status(500), never: false, safe: true),
            Case(result: .status(501), never: false, safe: false),
            Case(result: .status(502), never: false, safe: true),
            Case(result: .status(503), never: false, safe: true),
            Case(result: .status(504), never: false, safe: true),
        ])
    func whatIsRepeated(_ item: Case) async throws {
        for (replay, repeats) in [(HTTPRequest.Replay.never, item.never), (.safe, item.safe)] {
            let world = World([item.result, .status(201)])
            let response = try? await world.send(.init(), .post, replay: replay)
            #expect(world.attempts.count == (repeats ? 2 : 1), "\(item.result) \(replay)")
            #expect((response?.status == 201) == repeats)
        }
    }

    @Test(
        "Honours Retry-After",
        arguments: [
            ("3", Duration.seconds(3)), ("0", .milliseconds(250)), ("30", .seconds(30)), ("31", nil),
            ("9223372036854775807", nil), ("99999999999999999999999", .milliseconds(250)), ("-5", .milliseconds(250)),
            ("soon", .milliseconds(250)), ("", .milliseconds(250)),
            // The clock begins at Sun, 06 Nov 1994 08:49:37 GMT.
            ("Sun, 06 Nov 1994 08:49:44 GMT", .seconds(7)), ("Sunday, 06-Nov-94 08:49:44 GMT", .seconds(7)),
            ("Sun Nov  6 08:49:44 1994", .seconds(7)), ("Sun, 06 Nov 1994 08:49:00 GMT", .milliseconds(250)),
            ("Sun, 06 Nov 1994 09:49:37 GMT", nil),
        ])
    func honoursRetryAfter(_ value: String, _ expected: Duration?) async throws {
        let world = World([.status(429, retryAfter: value), .status(200)])
        let response = try await world.send(.init(), .get, timeout: .seconds(100))
        #expect(world.waits == (expected.map { [$0] } ?? []))
        #expect(response.status == (expected == nil ? 429 : 200))
    }

    @Test("The timeout covers all attempts")
    func theTimeoutCoversAllAttempts() async throws {
        // Each attempt takes 2 s. After the second, 5 - 2 - 0.25 - 2 - 0.5 = 0.25 s are left.
        let world = World(Array(repeating: .status(503), count: 9), attemptTakes: 2)
        var policy = RetryPolicy()
        policy.retries = 8
        _ = try await world.send(policy, .get, timeout: .seconds(5))
        #expect(world.attempts.map(\.timeout) == [.seconds(5), .milliseconds(2750), .milliseconds(250)])
        #expect(world.waits == [.milliseconds(250), .milliseconds(500)])
    }

    @Test("A wait beyond the deadline is not begun")
    func aWaitBeyondTheDeadlineIsNotBegun() async throws {
        let world = World([.failure(.notSent, .hostNotFound), .status(200)])
        let error = await world.failure(.get, timeout: .milliseconds(250))
        #expect(error?.reason == .hostNotFound)
        #expect(world.waits.isEmpty)
    }

    @Test("The phase is that of all attempts")
    func thePhaseIsThatOfAllAttempts() async throws {
        let world = World([
            .failure(.maybeSent, .timedOut), .failure(.notSent, .hostNotFound), .failure(.notSent, .hostNotFound),
        ])
        let error = await world.failure(.get)
        #expect(error?.reason == .hostNotFound)
        #expect(error?.phase == .maybeSent)
    }

    @Test(
        "The answer counts earlier copies",
        arguments: [
            ([World.Result.status(402)], false), ([.status(200)], false),
            ([.failure(.notSent, .connectFailed("")), .status(402)], false),
            ([.failure(.maybeSent, .timedOut), .status(402)], true), ([.status(503), .status(404)], true),
            ([.status(429), .status(409)], true), ([.status(503), .status(200)], true),
            ([.failure(.maybeSent, .timedOut), .failure(.notSent, .hostNotFound), .status(400)], true),
        ])
    func theAnswerTellsOfEarlierCopies(_ results: [World.Result], _ follows: Bool) async throws {
        let world = World(results)
        let response = try await world.send(.init(), .post, replay: .safe)
        #expect(world.attempts.count == results.count)
        #expect(response.mayFollowEarlierCopy == follows)
        if follows { #expect(!response.provesNothingWasDone) }
    }

    @Test(
        "Cancelling a wait keeps the phase",
        arguments: [
            (World.Result.failure(.notSent, .hostNotFound), TransportError.Phase.notSent),
            (.failure(.maybeSent, .timedOut), .maybeSent), (.status(503), .maybeSent),
        ])
    func cancellingAWaitKeepsThePhase(_ result: World.Result, _ phase: TransportError.Phase) async throws {
        let world = World([result, .status(200)], sleepIsCancelled: true)
        #expect(await world.failure(.get) == TransportError(phase, .cancelled, origin: "https://example.com"))
        #expect(world.attempts.count == 1)
    }

    @Test("The standard transport retries over the network")
    func standardTransportRetriesOverTheNetwork() async throws {
        let script: @Sendable (LoopbackServer.Received) -> [LoopbackServer.Step] = { request in
            request.index == 0 ? [.ok(status: "503 Busy")] : [.ok()]
        }
        try await LoopbackServer.serving(script) { server in
            let world = World([])
            let transport = StandardTransport(clock: world, random: world)
            let response = try await transport.send(HTTPRequest(.get, server.url()))
            #expect(response.status == 200)
            #expect(server.received.count == 2)
            #expect(world.waits.count == 1)
        }
    }
}

@Suite("Requests that are sent again are counted")
struct RetryNewsTests {
    @Test("Each pause is reported before it is waited for, with its reason")
    func told() async throws {
        let world = World([.failure(.notSent, .connectFailed("refused")), .status(503), .status(200)])
        let heard = Mutex<[RequestRetry]>([])
        _ = try await world.send(RetryPolicy(), .get) { retry in heard.withLock { $0.append(retry) } }
        let told = heard.withLock { $0 }
        #expect(told.map(\.pause) == world.waits && told.count == 2)
        #expect(told.allSatisfy { $0.origin == "https://example.com" })
        #expect(told.map(\.reason) == ["no connection (refused)", "the service answered with status 503"])
    }
}

/// A scripted transport with a clock that only a test moves.
final class World: PaymentClock, RandomSource {
    enum Result: Sendable {
        case status(Int, retryAfter: String? = nil)
        case failure(TransportError.Phase, TransportError.Reason)
    }

    private struct State {
        var now = Date(timeIntervalSince1970: 784_111_777)
        var waits: [Duration] = []
        var attempts: [HTTPRequest] = []
        var results: ArraySlice<Result>
    }

    private let state: Mutex<State>
    private let random: UInt64
    private let attemptTakes: Double
    private let sleepIsCancelled: Bool

    init(_ results: [Result], random: UInt64 = 0, attemptTakes: Double = 0, sleepIsCancelled: Bool = false) {
        state = Mutex(State(results: results[...]))
        self.random = random
        self.attemptTakes = attemptTakes
        self.sleepIsCancelled = sleepIsCancelled
    }

    var waits: [Duration] { state.withLock(\.waits) }
    var attempts: [HTTPRequest] { state.withLock(\.attempts) }
    var now: Date { state.withLock(\.now) }

    func next() -> UInt64 { random }

    func sleep(for duration: Duration) async throws {
        if sleepIsCancelled { throw CancellationError() }
        state.withLock { state in
            state.waits.append(duration)
            state.now += duration / .seconds(1)
        }
    }

    func send(
        _ policy: RetryPolicy, _ method: HTTPRequest.Method, replay: HTTPRequest.Replay? = nil,
        timeout: Duration = .seconds(30), onRetry: (@Sendable (RequestRetry) -> Void)? = nil
    ) async throws(TransportError) -> HTTPResponse {
        guard let url = try? HTTPURL("https://example.com/") else { preconditionFailure("a constant URL") }
        var request = HTTPRequest(method, url, replay: replay, timeout: timeout)
        request.onRetry = onRetry
        return try await RetryMiddleware(policy, clock: self, random: self).intercept(request) {
            request throws(TransportError) in
            let result = self.state.withLock { state in
                state.attempts.append(request)
                state.now += self.attemptTakes
                return state.results.popFirst()
            }
            switch result {
            case .status(let status, let retryAfter):
                return HTTPResponse(status: status, headers: retryAfter.map { ["Retry-After": $0] } ?? [:])
            case .failure(let phase, let reason): throw TransportError(phase, reason, origin: request.url.origin)
            case nil: throw TransportError(.notSent, .invalidRequest("the script has ended"), origin: "")
            }
        }
    }

    func failure(_ method: HTTPRequest.Method, timeout: Duration = .seconds(30)) async -> TransportError? {
        do {
            _ = try await send(RetryPolicy(), method, timeout: timeout)
            return nil
        } catch {
            return error
        }
    }
}
