import PaymentCore

/// A message in the inbox of a channel.
struct PubkyInboxEntry: Sendable {
    let message: PubkyMessage
    /// The time of its removal, in microseconds since 1970.
    let end: UInt64
    var isReceived = false
}

/// The relays through which another device authorises an app (Protocol 1.7). They carry sealed bytes and keep none.
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
