import PaymentCore

/// A message in the inbox of a channel.
struct PubkyInboxEntry: Sendable {
    let message: PubkyMessage
    /// The time of its removal, in microseconds since 1970.
    let end: UInt64
    var isReceived = false
}

/// The relays for authorisations of an app by another device (Protocol 1.7). They carry sealed bytes, and keep none.
extension PubkySandbox {
    private static let mostBytes = 2048
    private static let timedOut = PubkySandboxError(408, "Request timed out").response

    /// `/link/<id>`: the sender and the receiver of a message wait for each other.
    func link(_ id: String, _ request: HTTPRequest) async throws(PubkySandboxError) -> HTTPResponse {
        let (here, there) =
            switch request.method.rawValue {
            case "GET": ("link-get/\(id)", "link-post/\(id)")
            case "POST": ("link-post/\(id)", "link-get/\(id)")
            default: throw PubkySandboxError.wrongMethod
            }
        let isBringing = request.method == .post
        guard request.body.count <= Self.mostBytes else { throw PubkySandboxError(413, "length limit exceeded") }
        let message = PubkyMessage(request)
        let met = waiting.wake(there, with: isBringing ? message.response : HTTPResponse(status: 200))
        if met.isMet {
            return isBringing ? HTTPResponse(status: 200) : met.message?.response ?? HTTPResponse(status: 200)
        }
        guard waiting.count < configuration.inboxCapacity else { throw PubkySandboxError(503, "too many wait") }
        // A newcomer on the same side replaces the request that waited there.
        waiting.wake(here, with: isBringing ? HTTPResponse(status: 200) : PubkySandboxError.notFound.response)
        return await wait(
            here, for: configuration.linkTimeout, bringing: isBringing ? message : nil, otherwise: Self.timedOut)
    }

    /// `/inbox/<id>`: a message stays there until its receipt is acknowledged.
    func inbox(_ id: String, _ request: HTTPRequest) async throws(PubkySandboxError) -> HTTPResponse {
        clearInbox()
        switch request.method.rawValue {
        case "POST":
            guard request.body.count <= Self.mostBytes else { throw PubkySandboxError(413, "length limit exceeded") }
            guard inbox[id] != nil || inbox.count < configuration.inboxCapacity else {
                throw PubkySandboxError(503, "the relay is full")
            }
            let message = PubkyMessage(request)
            inbox[id] = PubkyInboxEntry(message: message, end: now + configuration.inboxLifetime * 1_000_000)
            waiting.wake("inbox/\(id)", with: message.response)
            return HTTPResponse(status: 200)
        case "GET":
            if let entry = inbox[id], !entry.isReceived { return entry.message.response }
            return try await wait(at: "inbox/\(id)")
        case "DELETE":
            guard inbox[id] != nil else { throw .notFound }
            inbox[id]?.isReceived = true
            waiting.wake("inbox-ack/\(id)", with: HTTPResponse(status: 200))
            return HTTPResponse(status: 200)
        default: throw .wrongMethod
        }
    }

    /// `/inbox/<id>/ack` and `/inbox/<id>/await`: reports whether the message was received.
    func acknowledgement(
        _ id: String, _ word: String, _ request: HTTPRequest
    ) async throws(PubkySandboxError) -> HTTPResponse {
        clearInbox()
        guard request.method == .get else { throw .wrongMethod }
        switch word {
        case "ack":
            guard let entry = inbox[id] else { throw .notFound }
            return Self.text(entry.isReceived ? "true" : "false")
        case "await":
            if inbox[id]?.isReceived == true { return HTTPResponse(status: 200) }
            return try await wait(at: "inbox-ack/\(id)")
        default: throw .notFound
        }
    }

    private func wait(at room: String) async throws(PubkySandboxError) -> HTTPResponse {
        guard waiting.count < configuration.inboxCapacity else { throw PubkySandboxError(503, "too many wait") }
        return await wait(room, for: configuration.inboxTimeout, otherwise: Self.timedOut)
    }

    private func clearInbox() {
        let now = now
        inbox = inbox.filter { $0.value.end > now }
    }
}

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
