import PaymentCrypto

/// The stored state of an app's private link with another app (Protocol 12.8): the trusted key, and what was said. The
/// requests with their payments are rows beside it, and so is the channel. All of it is stored in one step before
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

    // MARK: What was said

    package internal(set) var requests = PrivateLinkRequests()
    /// The ids of the peer's latest malformed events: no other event may come under them.
    private(set) var malformed: [String] = []
    /// The number of the peer's messages that were unknown, malformed, or one request too many.
    package var skipped = 0
    package var list: List?
    package var ownList: String?
    package internal(set) var receiptTurn = 0

    package var channel = PrivateLinkChannelRecord(ephemeral: [])
    /// The number of the channel's state that is stored with this one.
    var channelNumber: UInt64 = 0

    private enum CodingKeys: String, CodingKey {
        case peerKey, shownKey, peerStatic, requests, malformed, skipped, list, ownList, receiptTurn
        case channelNumber
    }

    /// The most ids of malformed events that are kept; the oldest are dropped first.
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

    /// Trusts another key of the peer, which the application has compared. The endpoints that came under the old one
    /// are not paid any more, and what had ended is not said to the new one.
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

    /// Returns true if no event of the peer with an effect has come under an id. An event without effect has none when
    /// it comes again.
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
