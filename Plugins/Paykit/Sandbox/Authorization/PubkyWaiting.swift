import PaymentCore

/// Requests that are not answered before an event, or before their time is over.
struct PubkyWaiting {
    private struct Guest {
        let ticket: UInt64
        /// The message that it brought for the other side.
        let message: PubkyMessage?
        let answer: CheckedContinuation<HTTPResponse, Never>
    }

    private var rooms: [String: [Guest]] = [:]
    private var lastTicket: UInt64 = 0
    /// The number of waiting requests.
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

    /// Answers all requests in `room`.
    ///
    /// - Returns: the message of the last of them, and true if any waited.
    @discardableResult
    mutating func wake(_ room: String, with response: HTTPResponse) -> (isMet: Bool, message: PubkyMessage?) {
        guard let guests = rooms.removeValue(forKey: room) else { return (false, nil) }
        count -= guests.count
        for guest in guests { guest.answer.resume(returning: response) }
        return (true, guests.last?.message)
    }

    /// Answers one of them, if it still waits.
    mutating func dismiss(_ ticket: UInt64, from room: String, with response: HTTPResponse) {
        guard let index = rooms[room]?.firstIndex(where: { $0.ticket == ticket }) else { return }
        let guest = rooms[room]?.remove(at: index)
        if rooms[room]?.isEmpty == true { rooms[room] = nil }
        count -= 1
        guest?.answer.resume(returning: response)
    }
}

/// A message that one request leaves for another.
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
    /// The number of requests that wait for another one at this moment.
    public var waitingCount: Int { waiting.count }

    /// Waits in `room` for an answer; after `holdTime` the answer is `otherwise`.
    func wait(
        _ room: String, for holdTime: Duration, bringing message: PubkyMessage? = nil, otherwise: HTTPResponse
    ) async -> HTTPResponse {
        let ticket = waiting.ticket()
        let timer = Task { [clock] in
            try? await clock.sleep(for: holdTime)
            // A request that was answered is no longer in the room.
            waiting.dismiss(ticket, from: room, with: otherwise)
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiting.enter(room, ticket: ticket, message: message, answer: $0) }
        } onCancel: {
            // A server that stops cancels its tasks; waiting ones must not stay behind.
            timer.cancel()
        }
    }
}
