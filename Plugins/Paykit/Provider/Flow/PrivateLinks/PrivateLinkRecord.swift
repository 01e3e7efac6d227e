package import PaykitPubky
import PaymentCore
import PaymentCrypto

/// The stored state of an app's private link with another app (Protocol 12.8): the channel, which can be made anew at
/// any time, and the trusted key. The requests and their payments are rows of their own. All of it is stored in one
/// step before anything that follows from it leaves the device, so that a crash at any moment repeats the same bytes or
/// nothing.
package struct PrivateLinkRecord: Sendable, Hashable, Codable {
    /// The progress of a link.
    package enum Phase: String, Sendable, Codable {
        /// Files of an earlier link are deleted first: the peer would take them for files of this one.
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

    /// The peer's list of endpoints for this side alone.
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
    /// The secret that both sides derive from their keys, hexadecimal: the names of the folders follow from it.
    package var agreement: String
    /// The peer's key of the handshake, hexadecimal, once it was seen; it belongs to ``peerKey``.
    package var peerStatic: String?
    package var phase = Phase.clearing
    /// The ephemeral key of the handshake: 32 bytes, hexadecimal, drawn for it alone.
    package var ephemeral: String
    /// The peer's messages of the handshake, base64url.
    package var heard: [String] = []
    /// The number of times that the file in place of the peer's answer could not be read.
    package var unreadable = 0
    package var place = PrivateLinkChannel.Place()
    package var pending: Pending?
    /// The file that was written last: a late write can remove it.
    package var last: Pending?
    /// The messages that are still to be sent, in order.
    package var outbox: [String] = []

    // MARK: Beginning anew

    /// The program that has looked last: a drawn value of its own. Another one first makes sure that what is stored is
    /// not older than what lies on the homeserver.
    package var process: String?
    /// The time at which this state was created.
    package internal(set) var since: String?
    /// The last recovery that this side has requested.
    package internal(set) var ownAttempt: String?
    package internal(set) var ownAttemptAt: String?
    /// Those before, latest last: a late write can bring one of their markers back.
    package internal(set) var pastAttempts: [String] = []
    /// True if its marker may be missing on the homeserver.
    package var isMarkerDue = false
    /// The peer's last recovery that this side has followed.
    package var peerAttempt: String?
    /// The number of times that this link was begun.
    package var begun = 1

    // MARK: What was said

    package internal(set) var requests = PrivateLinkRequests()
    /// The ids of the peer's latest malformed events: no other event may come under them.
    private(set) var malformed: [String] = []
    /// The number of the peer's messages that were unknown, malformed, or one request too many.
    package var skipped = 0
    /// True if the peer has used a later form of the protocol.
    package var hasLaterForm = false
    package var list: List?
    /// The last list that this side has sent, as text.
    package var ownList: String?
    /// The number of receipts that were looked for.
    package internal(set) var receiptTurn = 0

    /// The most ids of malformed events that are kept; the oldest are dropped first.
    package static let mostMalformed = 64
    /// The most earlier recoveries that are remembered.
    private static let mostAttempts = 32

    package init(peerKey: String, agreement: [UInt8] = [], ephemeral: [UInt8]) {
        self.peerKey = peerKey
        self.agreement = Hex.encode(agreement)
        self.ephemeral = Hex.encode(ephemeral)
    }

    // MARK: Changes

    /// Begins the link anew, with another ephemeral key and without the state of the old link.
    package mutating func begin(ephemeral: [UInt8], keepingFiles: Bool = false) {
        phase = keepingFiles ? .handshaking : .clearing
        self.ephemeral = Hex.encode(ephemeral)
        heard = []
        unreadable = 0
        place = PrivateLinkChannel.Place()
        pending = nil
        last = nil
        begun += 1
        outbox = repeated
    }

    /// True if unreadable files have persisted too long: then both sides begin anew. The limit grows each time.
    package var isStuck: Bool { unreadable >= 4 * min(begun, 16) }

    /// The messages that are sent again on a new link: there are no acknowledgements. They are the same bytes, which
    /// count once.
    private var repeated: [String] {
        (ownList.map { [$0] } ?? [])
            + requests.rows.filter { !$0.isUnrepeated }.flatMap { $0.log.filter(\.isOwn).map(\.text) }
    }

    /// Trusts another key of the peer, which the application has compared. The endpoints that came under the old one
    /// are not paid any more, and what had ended is not said to the new one.
    mutating func trust(_ key: PubkyKey, agreement: [UInt8], ephemeral: [UInt8]) {
        (peerKey, shownKey, peerStatic, list) = (key.text, nil, nil, nil)
        self.agreement = Hex.encode(agreement)
        for row in requests.rows where [.rejected, .cancelled, .proven].contains(row.state.phase) {
            requests[row.id]?.isUnrepeated = true
        }
        begin(ephemeral: ephemeral)
    }

    /// Requests a recovery from the peer.
    mutating func ask(_ attempt: String, at moment: PrivateLinkTime) {
        if let ownAttempt { pastAttempts = (pastAttempts + [ownAttempt]).suffix(Self.mostAttempts) }
        (ownAttempt, ownAttemptAt, isMarkerDue) = (attempt, moment.text, true)
    }

    /// Returns true if a recovery was requested by what has led to this state; otherwise by another copy of it.
    func hasAsked(_ attempt: String) -> Bool { attempt == ownAttempt || pastAttempts.contains(attempt) }

    /// Queues an event of this side. It counts from now on, whenever it arrives.
    package mutating func say(_ message: PrivateLinkMessage) throws(WireDefect) {
        let text = try message.text()
        if case .paymentList = message {
            ownList = text
            // A queued list is obsolete.
            outbox.removeAll { $0.hasPrefix(Self.listStart) }
        } else {
            guard requests.take(message, PrivateLinkRequest.Entry(isOwn: true, text: text)) != .full else {
                throw WireDefect("too many requests to this peer are open: cancel one first")
            }
        }
        outbox.append(text)
    }

    private static let listStart =
        "{\"version\":1,\"kind\":\"\(PrivateLinkMessage.Kind.paymentList.rawValue)\""

    /// Processes a message of the peer.
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
            if MessageIntake.isLater(text) { hasLaterForm = true }
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

    /// The payment under a key (``PrivateLinkRequest/key(_:_:)``).
    package subscript(payment key: String) -> PrivateLinkPayment? {
        get { requests[PrivateLinkRequest.id(inKey: key)]?.payments[key] }
        set { requests[PrivateLinkRequest.id(inKey: key)]?.setPayment(newValue, key) }
    }
}
