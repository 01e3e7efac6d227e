import PaymentCore
import PaymentRouting

/// The network as one process sees it.
struct SimulatedTransport: HTTPTransport {
    let process: SimulatedProcess
    private typealias Answer = Result<HTTPResponse, TransportError>

    private var world: SimulatedWorld { process.world }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let origin = request.url.origin
        // A process that stops here has noted that it sends, and sends much later.
        await process.awake()
        guard !Task.isCancelled else { throw TransportError(.notSent, .cancelled, origin: origin) }
        guard process.passes("sends \(Self.words(request))") else {
            throw TransportError(.notSent, .cancelled, origin: origin)
        }
        let pending = OneShot<Answer>()
        dispatch(request, pending)
        let timeout = world.timeline.schedule(after: request.timeout.nanoseconds) {
            pending.finish(.failure(TransportError(.maybeSent, .timedOut, origin: origin)))
        }
        let answer = await withTaskCancellationHandler {
            await pending.value()
        } onCancel: {
            pending.finish(.failure(TransportError(.maybeSent, .cancelled, origin: origin)))
        }
        world.timeline.cancel(timeout)
        await process.awake()
        guard process.passes("hears of \(Self.words(request)): \(Self.words(answer))") else {
            throw TransportError(.maybeSent, .cancelled, origin: origin)
        }
        let response = try answer.get()
        guard response.body.count <= request.responseLimit else {
            throw TransportError(.maybeSent, .responseTooLarge(limit: request.responseLimit), origin: origin)
        }
        return response
    }

    private static func words(_ request: HTTPRequest) -> String { "\(request.method.rawValue) \(request.url.path)" }

    private static func words(_ answer: Answer) -> String {
        switch answer {
        case .success(let response): "\(response.status), \(response.body.count) bytes"
        case .failure(let error): "\(error.reason)"
        }
    }

    // MARK: The way there and back

    private func dispatch(_ request: HTTPRequest, _ pending: OneShot<Answer>) {
        let faults = world.faults
        let origin = request.url.origin
        func happens(_ probability: Double) -> Bool { world.happens(probability) }
        func fail(_ phase: TransportError.Phase, _ reason: TransportError.Reason) {
            let world = world
            world.timeline.schedule(after: delay(faults)) {
                pending.finish(.failure(TransportError(phase, reason, origin: origin)))
            }
        }
        if happens(faults.notSent) { return fail(.notSent, .connectFailed("refused")) }
        world.left(request)
        guard let service = world.service(at: request.url.authority) else { return fail(.notSent, .hostNotFound) }
        if process.isCutOff() { return deliver(request, to: service, faults) { _ in } }
        if happens(faults.lostBefore) { return fail(.maybeSent, .connectionLost("lost")) }
        if happens(faults.redirected) {
            let moved = HTTPResponse(status: 307, headers: ["Location": "https://elsewhere.example/"])
            world.timeline.schedule(after: delay(faults)) { pending.finish(.success(moved)) }
            return
        }
        func answer(_ status: Int) {
            world.timeline.schedule(after: delay(faults)) { pending.finish(.success(HTTPResponse(status: status))) }
        }
        if happens(faults.failedBefore) { return answer(500) }
        if request.method.isSafe, happens(faults.questionRefused) {
            return answer([451, 404, 429, 500][Int(world.fate.next() % 4)])
        }
        if !request.method.isSafe, happens(faults.copyRefused) {
            let status = [409, 425, 429][Int(world.fate.next() % 3)]
            return deliver(request, to: service, faults) { _ in
                pending.finish(.success(HTTPResponse(status: status)))
            }
        }
        if happens(faults.lostAfter) {
            return deliver(request, to: service, faults) { _ in
                pending.finish(.failure(TransportError(.maybeSent, .connectionLost("lost"), origin: origin)))
            }
        }
        if happens(faults.failedAfter) {
            return deliver(request, to: service, faults) { _ in pending.finish(.success(HTTPResponse(status: 500))) }
        }
        if happens(faults.silentReplay) {
            return deliver(request, to: service, faults) { _ in
                deliver(request, to: service, faults) { pending.finish(.success($0)) }
            }
        }
        if happens(faults.duplicated) { deliver(request, to: service, faults) { pending.finish(.success($0)) } }
        deliver(request, to: service, faults) { pending.finish(.success($0)) }
    }

    /// Delivers the request to the service and its answer back; the death of a process does not stop it.
    private func deliver(
        _ request: HTTPRequest, to service: any SandboxService, _ faults: SimulatedFaults,
        _ reply: @escaping @Sendable (HTTPResponse) -> Void
    ) {
        let world = world
        let wayBack = delay(faults)
        world.timeline.schedule(after: delay(faults)) {
            world.note("service gets \(request.method.rawValue) \(request.url.path)")
            Task(executorPreference: world.executor) {
                let response = await service.respond(to: request)
                world.timeline.schedule(after: wayBack) { reply(response) }
            }
        }
    }

    /// Nanoseconds for one way.
    private func delay(_ faults: SimulatedFaults) -> Int64 {
        let usual = Int64(truncatingIfNeeded: world.fate.next() % 50_000_000)
        guard world.happens(faults.delayed) else { return usual }
        return Int64(truncatingIfNeeded: world.fate.next() % 120_000_000_000)
    }
}
