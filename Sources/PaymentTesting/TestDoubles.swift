public import PaymentCore
import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A network that answers from a script and remembers what was sent. For tests.
///
/// ```swift
/// let transport = ScriptedTransport([
///     .answer("POST", "/v1/charges", HTTPResponse(status: 200, body: Array(#"{"id":"c1"}"#.utf8))),
///     .fail("GET", "/v1/charges/c1", .maybeSent, because: .timedOut),
/// ])
/// ```
public final class ScriptedTransport: HTTPTransport {
    /// One line of the script: the expected request, and its result.
    public struct Line: Sendable {
        let method: String
        let path: String
        let result: Result<HTTPResponse, ScriptError>

        struct ScriptError: Error {
            let phase: TransportError.Phase
            let reason: TransportError.Reason
        }

        /// Returns a line that answers a request of this method and exact path, its query aside.
        public static func answer(_ method: String, _ path: String, _ response: HTTPResponse) -> Line {
            Line(method: method, path: path, result: .success(response))
        }

        /// Returns a line that fails a request of this method and exact path, its query aside.
        public static func fail(
            _ method: String, _ path: String, _ phase: TransportError.Phase, because reason: TransportError.Reason
        ) -> Line {
            Line(method: method, path: path, result: .failure(ScriptError(phase: phase, reason: reason)))
        }
    }

    private struct State {
        var lines: [Line]
        var requests: [HTTPRequest] = []
        var surprises: [String] = []
    }

    private let state: Mutex<State>

    /// Creates a transport that plays `script` in order, each line once.
    public init(_ script: [Line]) { state = Mutex(State(lines: script)) }

    /// Every request so far, in order, expected or not.
    public var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// The deviations from the script: one sentence for each request that was not its next line, and one for each line
    /// that was not requested. Empty when the script was played exactly.
    public var deviations: [String] {
        state.withLock { state in
            state.surprises + state.lines.map { "the script still waits for \($0.method) \($0.path)" }
        }
    }

    /// Plays the next line.
    ///
    /// - Throws: The line's ``TransportError``; ``TransportError/Reason/invalidRequest(_:)`` when the request is not
    ///   the one that the script waits for, which also goes into ``deviations``.
    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let origin = request.url.origin
        guard !Task.isCancelled else { throw TransportError(.notSent, .cancelled, origin: origin) }
        let asked = "\(request.method.rawValue) \(request.url.path)"
        let result: Result<HTTPResponse, TransportError> = state.withLock { state in
            state.requests.append(request)
            guard let line = state.lines.first, line.method == request.method.rawValue, line.path == request.url.path
            else {
                let expected = state.lines.first.map { "waits for \($0.method) \($0.path)" } ?? "is at its end"
                let sentence = "the script \(expected), but the request was \(asked)"
                state.surprises.append(sentence)
                return .failure(TransportError(.notSent, .invalidRequest(sentence), origin: origin))
            }
            state.lines.removeFirst()
            return line.result.mapError { TransportError($0.phase, $0.reason, origin: origin) }
        }
        return try result.get()
    }
}

// MARK: - Random numbers

/// A source of the same random numbers for the same seed: for sandboxes, simulations and tests. Its numbers are
/// predictable, so never use it for keys or nonces of real payments.
public final class SeededRandomSource: RandomSource {
    private let generator: Mutex<SplitMix64>

    /// Creates a source that repeats itself for the same `seed`.
    public init(seed: UInt64) {
        generator = Mutex(SplitMix64(seed: seed))
    }

    /// Returns the next 64 bits.
    public func next() -> UInt64 {
        generator.withLock { $0.next() }
    }
}

/// A small generator with 64 bits of state (Steele, Lea and Flood, 2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

// MARK: - Time

/// Another clock, set forward by a number of seconds, or back by a negative one.
package struct OffsetClock: PaymentClock {
    private let base: any PaymentClock
    private let seconds: Double

    package init(_ base: any PaymentClock, by seconds: Double) {
        self.base = base
        self.seconds = seconds
    }

    package var now: Date { base.now.addingTimeInterval(seconds) }
    package func sleep(for duration: Duration) async throws { try await base.sleep(for: duration) }
}

// MARK: - Outcomes

extension PaymentOutcome {
    /// Creates the outcome that the ledger states without records: for testing code that handles outcomes.
    ///
    /// - Parameter report: the service's report.
    public init(stating report: ServiceReport) {
        self = Ledger.empty.verdict(on: CheckedReport(uncompared: report), at: .run)
    }
}

extension JournalEntry.Event {
    /// Creates the event of an attempt that reached the outcome of `report`: for testing journals.
    ///
    /// It is disfavoured because the case itself takes `pending` and `unknown`, which any code can make.
    ///
    /// - Parameter report: the service's report.
    @_disfavoredOverload
    public static func outcome(_ report: ServiceReport) -> Self { .outcome(PaymentOutcome(stating: report)) }
}
