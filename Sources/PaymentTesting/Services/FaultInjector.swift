public import PaymentCore
import Synchronization

/// A service that misbehaves on request and records every request. For tests.
///
/// ```swift
/// let faults = FaultInjector(sandbox)
/// faults.inject(.dropAfter) { $1.hasSuffix("/confirm") }
/// ```
public final class FaultInjector: SandboxService {
    /// A way to misbehave.
    @nonexhaustive
    public enum Fault: Sendable {
        /// Answers with this status and body without asking the service.
        case status(Int, body: String = "")
        /// Answers 200 with bytes that are neither JSON nor UTF-8, without asking the service.
        case garbage
        /// Answers 200 with a body of this many bytes, without asking the service.
        case hugeBody(bytes: Int)
        /// Answers 307 with this `Location`, without asking the service.
        case redirect(to: String)
        /// Waits this long, or until ``FaultInjector/release()`` when nil, then lets the service answer.
        case stall(Duration?)
        /// Closes the connection; the service never sees the request.
        case dropBefore
        /// Lets the service act, then closes the connection: its answer is lost.
        case dropAfter
    }

    /// A request as it came in. Header values are left out: they can be credentials.
    public struct Seen: Sendable, Hashable {
        /// The method.
        public let method: String
        /// The path exactly as sent.
        public let path: String
        /// The query exactly as sent, without `?`, or nil.
        public let query: String?
        /// The names of the header fields in lower case, in the order received.
        public let headerNames: [String]
        /// The body.
        public let body: [UInt8]
    }

    /// Selects requests by method and path, both as sent.
    public typealias Matcher = @Sendable (_ method: String, _ path: String) -> Bool

    private struct Rule {
        let fault: Fault
        let matcher: Matcher
        var skip: Int
        var times: Int
    }

    private struct State {
        var rules: [Rule] = []
        var seen: [Seen] = []
        var isReleased = false
        var stalled: [Int: CheckedContinuation<Void, Never>] = [:]
        var stallCount = 0
    }

    private let service: any SandboxService
    private let clock: any PaymentClock
    private let state = Mutex(State())

    /// Creates an injector around `service`; stalls run on `clock`.
    public init(_ service: any SandboxService, clock: any PaymentClock = SystemPaymentClock()) {
        self.service = service
        self.clock = clock
    }

    /// Applies `fault` to the next `times` requests that `matcher` selects, after letting `skip` of them pass.
    ///
    /// Rules are tried in the order added; a request uses up at most one.
    public func inject(
        _ fault: Fault, times: Int = 1, after skip: Int = 0, when matcher: @escaping Matcher = { _, _ in true }
    ) {
        state.withLock { $0.rules.append(Rule(fault: fault, matcher: matcher, skip: skip, times: times)) }
    }

    /// Lets every request proceed that stalls without a duration, now and later.
    public func release() {
        let stalled = state.withLock { state in
            state.isReleased = true
            defer { state.stalled = [:] }
            return state.stalled
        }
        for request in stalled.values { request.resume() }
    }

    /// All requests so far, in the order they came in.
    public var requests: [Seen] { state.withLock { $0.seen } }

    /// The number of requests that stall without a duration at this moment.
    public var stalledCount: Int { state.withLock { $0.stalled.count } }

    /// Returns the wrapped service's answer, or the fault; a dropped connection, which an answer cannot express, is
    /// status 500.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        switch await answer(to: request) {
        case .response(let response): response
        case .endless, .drop, .stream: HTTPResponse(status: 500)
        }
    }

    /// Returns the wrapped service's answer, or the fault.
    public func answer(to request: HTTPRequest) async -> SandboxAnswer {
        switch note(request) {
        case nil:
            return await service.answer(to: request)
        case .stall(nil):
            await stall()
            return await service.answer(to: request)
        case let fault?:
            return await fault.answer(to: request, of: service, clock: clock)
        }
    }

    private func note(_ request: HTTPRequest) -> Fault? {
        let method = request.method.rawValue
        let path = request.url.path
        let names = request.headers.fields.map { field in
            String(decoding: field.name.utf8.map(\.lowercasedASCII), as: UTF8.self)
        }
        let seen = Seen(
            method: method, path: path, query: request.url.query, headerNames: names, body: request.body)
        return state.withLock { state in
            state.seen.append(seen)
            for index in state.rules.indices where state.rules[index].times > 0 {
                guard state.rules[index].matcher(method, path) else { continue }
                if state.rules[index].skip > 0 {
                    state.rules[index].skip -= 1
                    continue
                }
                state.rules[index].times -= 1
                return state.rules[index].fault
            }
            return nil
        }
    }

    private func stall() async {
        let number = state.withLock { state in
            state.stallCount += 1
            return state.stallCount
        }
        // A server that stops cancels its tasks; a stalled one must not stay behind.
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if state.isReleased || Task.isCancelled { return true }
                    state.stalled[number] = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.stalled.removeValue(forKey: number) }?.resume()
        }
    }
}

extension FaultInjector.Fault {
    private static let json: HTTPHeaders = ["Content-Type": "application/json"]

    /// Answers `request` in the place of `service`, and calls it if the fault permits. A stall without a duration
    /// cannot be released here, and does not wait.
    package func answer(
        to request: HTTPRequest, of service: any SandboxService, clock: any PaymentClock
    ) async -> SandboxAnswer {
        switch self {
        case .status(let status, let body):
            return .response(HTTPResponse(status: status, headers: Self.json, body: Array(body.utf8)))
        case .garbage:
            return .response(HTTPResponse(status: 200, headers: Self.json, body: [0xFF, 0xFE, 0x00, 0x7B, 0xC0, 0x80]))
        case .hugeBody(let bytes):
            return .endless(bytes: bytes)
        case .redirect(let location):
            return .response(HTTPResponse(status: 307, headers: ["Location": location]))
        case .stall(let duration):
            if let duration { try? await clock.sleep(for: duration) }
            return await service.answer(to: request)
        case .dropBefore:
            return .drop
        case .dropAfter:
            _ = await service.answer(to: request)
            return .drop
        }
    }
}
