import PaymentCrypto

/// The stored state of an app's private link with another app (Protocol 12.8): the trusted key, and the messages. The
/// requests with their payments are rows next to it, and so is the channel. All of it is stored in one step before
/// anything that follows from it leaves the device, so that a crash at any moment repeats the same bytes or nothing.
package struct PrivateLinkRecord: Sendable, Hashable, Codable {
    package struct List: Sendable, Hashable, Codable {
        package var endpoints: [String: String]
        /// The number of lists with other contents than the one before.
        package var version: Int
        /// The version of the last list that was paid from: a list serves one payment.
        package var used = 0
        /// The settler's name for the payment without a request that was made from it.
        package var usedBy: String?
    }

    /// The peer's key for links, as text: the first that their marker has shown, or the one that the application has
    /// confirmed since. Nothing is read from or written to any other.
    package internal(set) var peerKey: String
    /// Another key that the peer's marker shows at present, and that is not confirmed.
    package internal(set) var shownKey: String?
    /// The peer's key of the handshake, hexadecimal, once it was seen; it belongs to ``peerKey``.
    package var peerStatic: String?

    // MARK: Messages

    package internal(set) var requests = PrivateLinkRequests()
    /// The ids of the peer's latest malformed events: no other event may come under them.
    private(set) var malformed: [String] = []
    /// The number of the peer's messages that were unknown, malformed, or one request too many.
    package var skipped = 0
    package var list: List?
    package var ownList: String?
    package internal(set) var receiptTurn = 0

    package var channel = PrivateLinkChannelRecord(ephemeral: [])

    private enum CodingKeys: String, CodingKey {
        case peerKey, shownKey, peerStatic, requests, malformed, skipped, list, ownList, receiptTurn
    }

    /// The most ids of malformed events that are kept. The oldest are dropped first.
    package static let mostMalformed = 64

    package init(peerKey: String, ephemeral: [UInt8]) {
        self.peerKey = peerKey
        channel = PrivateLinkChannelRecord(ephemeral: ephemeral)
    }

    // MARK: Changes

    /// The messages that are sent again over a new channel, as none is acknowledged: the same bytes, which count once.
    var repeated: [String] {
        (ownList.map { [$0] } ?? [])
            + requests.rows.filter { !$0.isUnrepeated }.flatMap { $0.log.filter(\.isOwn).map(\.text) }
    }

    /// Trusts another key of the peer, which the application has compared. The endpoints that came with the old one are
    /// not paid any more, and messages about requests that are over are not sent to the new one.
    mutating func trust(_ key: PubkyKey, ephemeral: [UInt8]) {
        (peerKey, shownKey, peerStatic, list) = (key.text, nil, nil, nil)
        for row in requests.rows where [.rejected, .cancelled, .proven].contains(row.state.phase) {
            requests[row.id]?.isUnrepeated = true
        }
        begin(ephemeral: ephemeral)
    }

    /// Queues an event of this side. It counts from now on, whenever it arrives.
    package mutating func say(_ message: PrivateLinkMessage) throws(WireDefect) {
        let text = try message.text()
        if case .paymentList = message {
            ownList = text
            // A queued list is obsolete.
            channel.outbox.removeAll { $0.hasPrefix(Self.listStart) }
        } else {
            guard requests.take(message, PrivateLinkRequest.Entry(isOwn: true, text: text)) != .full else {
                throw WireDefect("too many requests to this peer are open: cancel one first")
            }
        }
        channel.outbox.append(text)
    }

    private static let listStart = "{\"version\":1,\"kind\":\"\(PrivateLinkMessage.Kind.paymentList.rawValue)\""

    package mutating func hear(_ bytes: [UInt8], from receiver: PaykitReceiverPath) {
        let text = MessageIntake.text(of: bytes)
        switch MessageIntake(text, from: receiver) {
        case .valid(.paymentList(let endpoints)):
            guard list?.endpoints != endpoints else { return }
            list = List(endpoints: endpoints, version: (list?.version ?? 0) + 1, used: list?.used ?? 0)
        case .valid(let message):
            guard let id = message.eventID, isNew(id) else { return }
            let effect = requests.take(message, PrivateLinkRequest.Entry(isOwn: false, text: text))
            if effect == .full { skipped += 1 }
        case .malformed(_, let id):
            skipped += 1
            if let id, isNew(id) { malformed = (malformed + [id]).suffix(Self.mostMalformed) }
        case .unknown, .unreadable: skipped += 1
        }
    }

    /// Returns true if no event of the peer with this id has had an effect. An event without effect stays without
    /// effect when it is repeated.
    private func isNew(_ id: String) -> Bool {
        !malformed.contains(id) && !requests.rows.contains { $0.heard.contains(id) }
    }

    /// Records that no money has moved for a payment begun at `endpoint`: the endpoint and its list may be used again.
    mutating func fail(_ key: String, at endpoint: PaykitEndpoint) {
        guard let known = self[payment: key], known.stage == .paying, known.endpoint == endpoint.endpoint else {
            return
        }
        self[payment: key]?.stage = .failed
        if let used = known.list, list?.version == used { list?.used = used - 1 }
    }

    package subscript(payment key: String) -> PrivateLinkPayment? {
        get { requests[PrivateLinkRequest.id(inKey: key)]?.payments[key] }
        set { requests[PrivateLinkRequest.id(inKey: key)]?.setPayment(newValue, key) }
    }
}

/// The channel of a link (Protocol 12.8): its keys, its counters, and the messages that are still to be sent over it.
/// It is stored apart from the trusted key and the requests, which do not depend on it. If it is missing, damaged or
/// older than they are, another one is made, which costs one handshake.
package struct PrivateLinkChannelRecord: Sendable, Hashable, Codable {
    package enum Phase: String, Sendable, Codable {
        /// Files of an earlier channel are deleted first: the peer would take them for files of this one.
        case clearing
        case handshaking
        case linked
    }

    /// A file that is written at its number, which no other file ever gets.
    package struct Pending: Sendable, Hashable, Codable {
        package let slot: UInt32
        /// Base64url.
        package let file: String
    }

    package var phase = Phase.clearing
    /// The ephemeral key of the handshake: 32 bytes, hexadecimal, drawn for it alone.
    package let ephemeral: String
    /// The peer's messages of the handshake, base64url.
    package var heard: [String] = []
    /// The number of times that the file in place of the peer's answer could not be read.
    package var unreadable = 0
    package var place = PrivateLinkChannel.Place()
    package var pending: Pending?
    /// The file that was written last: a late write can remove it.
    package var last: Pending?
    package var outbox: [String]
    package var recovery = Recovery()

    package init(ephemeral: [UInt8], outbox: [String] = []) {
        self.ephemeral = Hex.encode(ephemeral)
        self.outbox = outbox
    }

    /// True if unreadable files have persisted too long: then both sides begin again. The limit grows each time.
    package var isStuck: Bool { unreadable >= 4 * min(recovery.begun, 16) }

    /// The history of recoveries. Each channel passes it on to the next.
    package struct Recovery: Sendable, Hashable, Codable {
        /// The program that has looked last: its own drawn value. Another one first makes sure that what is stored
        /// is not older than what lies on the homeserver.
        package var process: String?
        /// The time of that program's first look.
        package var since: String?
        package private(set) var ownAttempt: String?
        package private(set) var ownAttemptAt: String?
        /// Those before, latest last: a late write can bring one of their markers back.
        private var pastAttempts: [String] = []
        /// True if its marker may be missing on the homeserver.
        package var isMarkerDue = false
        /// The peer's last recovery that this side has followed.
        package var peerAttempt: String?
        package fileprivate(set) var begun = 1

        private static let mostAttempts = 32

        mutating func ask(_ attempt: String, at moment: PrivateLinkTime) {
            if let ownAttempt { pastAttempts = (pastAttempts + [ownAttempt]).suffix(Self.mostAttempts) }
            (ownAttempt, ownAttemptAt, isMarkerDue) = (attempt, moment.text, true)
        }

        /// Returns true if this state or an earlier version of it has requested a recovery; false if another copy has.
        func hasAsked(_ attempt: String) -> Bool { attempt == ownAttempt || pastAttempts.contains(attempt) }

        /// The time when this program began to look, or last requested a recovery. A request that this state does not
        /// know and that is older was written late, by a program that has ended. A later one is another copy's.
        var lastBegun: PrivateLinkTime {
            [ownAttemptAt, since].compactMap { $0.flatMap { PrivateLinkTime($0) } }.max() ?? PrivateLinkTime(seconds: 0)
        }
    }
}

extension PrivateLinkRecord {
    /// Begins another channel. It keeps nothing of the one before except the recoveries so far.
    package mutating func begin(ephemeral: [UInt8], keepingFiles: Bool = false) {
        let before = channel.recovery
        channel = PrivateLinkChannelRecord(ephemeral: ephemeral, outbox: repeated)
        channel.recovery = before
        channel.recovery.begun += 1
        if keepingFiles { channel.phase = .handshaking }
    }
}
