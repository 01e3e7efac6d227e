import PaymentCore

/// Requests that are not answered before something happens, or their time is over.
struct PubkyWaiting {
    private struct Guest {
        let ticket: UInt64
        /// What it brought for whoever comes.
        let message: PubkyMessage?
        let answer: CheckedContinuation<HTTPResponse, Never>
    }

    private var rooms: [String: [Guest]] = [:]
    private var lastTicket: UInt64 = 0
    /// How many wait.
    private(set) var count = 0

    mutating func ticket() -> UInt64 {
        lastTicket += 1
        return lastTicket
    }

    mutating func enter(
        _ room: String, ticket: UInt64, message: PubkyMessage?, answer: CheckedContinuation<HTTPResponse, Never>
    ) {
        rooms[room, default: []].append(Guest(ticket: ticket, message: message, answer: answer))
        count += 1
    }

    /// Answers everybody in `room`.
    ///
    /// - Returns: what the last of them brought, and whether anybody was there.
    @discardableResult
    mutating func wake(_ room: String, with response: HTTPResponse) -> (isMet: Bool, message: PubkyMessage?) {
        guard let guests = rooms.removeValue(forKey: room) else { return (false, nil) }
        count -= guests.count
        for guest in guests { guest.answer.resume(returning: response) }
        return (true, guests.last?.message)
    }

    /// Answers one of them, if it is still there.
    mutating func dismiss(_ ticket: UInt64, from room: String, with response: HTTPResponse) {
        guard let index = rooms[room]?.firstIndex(where: { $0.ticket == ticket }) else { return }
        let guest = rooms[room]?.remove(at: index)
        if rooms[room]?.isEmpty == true { rooms[room] = nil }
        count -= 1
        guest?.answer.resume(returning: response)
    }
}

/// What somebody leaves for somebody else.
struct PubkyMessage: Sendable {
    let body: [UInt8]
    let type: String?

    init(_ request: HTTPRequest) {
        body = request.body
        type = request.headers["Content-Type"]
    }

    var response: HTTPResponse {
        HTTPResponse(status: 200, headers: ["Content-Type": type ?? "application/octet-stream"], body: body)
    }
}

extension PubkySandbox {
    /// How many requests wait for somebody else at this moment.
    public var waitingCount: Int { waiting.count }

    /// Waits in `room` until somebody answers, or `holdTime` is over, which `otherwise` says.
    func wait(
        _ room: String, for holdTime: Duration, bringing message: PubkyMessage? = nil, otherwise: HTTPResponse
    ) async -> HTTPResponse {
        let ticket = waiting.ticket()
        let timer = Task { [clock] in
            try? await clock.sleep(for: holdTime)
            // Who was answered is not there any more.
            waiting.dismiss(ticket, from: room, with: otherwise)
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiting.enter(room, ticket: ticket, message: message, answer: $0) }
        } onCancel: {
            // A server that stops cancels its tasks; those that wait must not stay behind.
            timer.cancel()
        }
    }
}
