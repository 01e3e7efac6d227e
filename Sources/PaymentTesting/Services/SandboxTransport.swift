public import PaymentCore
import Synchronization

/// A transport that passes requests to a service in the same process.
///
/// It behaves as if a network lay between: a request, once handed over, runs to its end even when the sender's task is
/// cancelled or stops waiting; a dropped connection is ``TransportError/Reason/connectionLost(_:)`` with phase
/// `.maybeSent`, whether the service had acted on the request or not.
public struct SandboxTransport: HTTPTransport {
    private let service: any SandboxService
    private let clock: any PaymentClock

    /// Creates a transport to `service`; request timeouts run on `clock`.
    public init(_ service: any SandboxService, clock: any PaymentClock = SystemPaymentClock()) {
        self.service = service
        self.clock = clock
    }

    /// Sends `request` to the service, whatever the URL's host.
    ///
    /// - Throws: ``TransportError``: `.cancelled`, `.timedOut`, `.connectionLost` or `.responseTooLarge`.
    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let origin = request.url.origin
        guard !Task.isCancelled else { throw TransportError(.notSent, .cancelled, origin: origin) }
        switch await firstResult(of: request) {
        case .failed(let reason):
            throw TransportError(.maybeSent, reason, origin: origin)
        case .answered(.drop):
            throw TransportError(.maybeSent, .connectionLost("closed by the server"), origin: origin)
        case .answered(.endless(let bytes)):
            guard bytes <= request.responseLimit else { throw tooLarge(request) }
            return HTTPResponse(status: 200, body: [UInt8](repeating: SandboxAnswer.filler, count: max(0, bytes)))
        case .answered(.stream(var response, let stream)):
            // Answers here do not come in pieces: the bytes sent so far are the whole body.
            while case .bytes(let bytes) = stream.take(.max, sleep: {}, wake: {}) { response.body += bytes }
            stream.close()
            guard response.body.count <= request.responseLimit else { throw tooLarge(request) }
            return response
        case .answered(.response(var response)):
            // No answer to HEAD has a body on the wire.
            if request.method.rawValue == "HEAD" { response.body = [] }
            guard response.body.count <= request.responseLimit else { throw tooLarge(request) }
            return response
        }
    }

    private func tooLarge(_ request: HTTPRequest) -> TransportError {
        TransportError(.maybeSent, .responseTooLarge(limit: request.responseLimit), origin: request.url.origin)
    }

    private func firstResult(of request: HTTPRequest) async -> Race.Result {
        let race = Race()
        let (service, clock) = (service, clock)
        // Not a child task: a server does not stop working because its client disconnected.
        Task { race.finish(.answered(await service.answer(to: request))) }
        let timer = Task {
            try await clock.sleep(for: request.timeout)
            race.finish(.failed(.timedOut))
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await race.result()
        } onCancel: {
            race.finish(.failed(.cancelled))
        }
    }
}

extension SandboxAnswer {
    /// The byte that endless bodies repeat.
    package static let filler = UInt8(ascii: "x")
}

/// Keeps the first of several results.
private final class Race: Sendable {
    enum Result: Sendable {
        case answered(SandboxAnswer)
        case failed(TransportError.Reason)
    }

    private enum State {
        case running(CheckedContinuation<Result, Never>?)
        case finished(Result)
    }

    private let state = Mutex(State.running(nil))

    /// Settles the race, unless it is settled.
    func finish(_ result: Result) {
        let waiter: CheckedContinuation<Result, Never>? = state.withLock { state in
            guard case .running(let waiter) = state else { return nil }
            state = .finished(result)
            return waiter
        }
        waiter?.resume(returning: result)
    }

    /// Waits for the result. Called once.
    func result() async -> Result {
        await withCheckedContinuation { continuation in
            let known: Result? = state.withLock { state in
                if case .finished(let result) = state { return result }
                state = .running(continuation)
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}

/// The payer's own transport to a service: without timeouts, faults or crashes of the paying process, and without
/// delay.
package struct DirectTransport: HTTPTransport {
    private let service: any SandboxService

    /// Creates a transport to `service`, whatever the host.
    package init(service: any SandboxService) { self.service = service }

    package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        await service.respond(to: request)
    }
}
