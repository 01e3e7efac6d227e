package import PaykitPubky
import PaymentCore
import PaymentCrypto

/// The stored state of an app's private link with another app (Protocol 12.8). It is stored as a whole before anything
/// that follows from it leaves the device, so that a crash at any moment repeats the same bytes or nothing.
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

    /// A message of either side, in the order in which this side saw them. Within one direction that is the order of
    /// sending.
    package struct Entry: Sendable, Hashable, Codable {
        package let isOwn: Bool
        package let text: String
    }

    /// The peer's list of endpoints for this side alone.
    package struct List: Sendable, Hashable, Codable {
        package var endpoints: [String: String]
        /// The number of lists with other contents than the one before.
        package var version: Int
        /// The version of the last list that was paid from: a list serves one payment.
        package var used = 0
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

    package var log: [Entry] = []
    /// Events of the peer, by their ids: the hash of each one's text.
    package var seen: [String: String] = [:]
    /// The same ids, in the order of their arrival.
    package internal(set) var seenOrder: [String] = []
    /// Ids under which the peer sent two different texts.
    package var conflicts: Set<String> = []
    /// The number of the peer's messages that were unknown or malformed.
    package var skipped = 0
    /// True if the peer has used a later form of the protocol.
    package var hasLaterForm = false
    package var list: List?
    /// The last list that this side has sent, as text.
    package var ownList: String?

    // MARK: Money

    /// The payments by request and period (``PrivateLinkRequest/key(_:_:)``).
    package var payments: [String: PrivateLinkPayment] = [:]
    /// The receipts that this side has issued, by the same keys.
    package var issued: [String: IssuedReceipt] = [:]
    /// The peer's opened receipts by id, as texts.
    package var receipts: [String: String] = [:]
    /// The number of receipts that were looked for.
    package internal(set) var receiptTurn = 0
    /// The ids of announced receipts that are invalid.
    package var spoilt: Set<String> = []
    /// The ids of requests that had ended when the peer's key changed: they are not repeated to the new one.
    package internal(set) var unrepeated: Set<String> = []

    /// The most entries that are kept; the oldest are dropped first, except those of a request that is being paid.
    /// Payments are kept.
    package static let mostEntries = 2000
    /// The most ids of events that are kept; the oldest are dropped first.
    package static let mostSeen = 10_000
    /// The most earlier recoveries that are remembered.
    private static let mostAttempts = 32
    /// The most own events that are sent again on a new link: there are no acknowledgements.
    package static let mostRepeated = 200

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

    /// The messages that are sent again on a new link: the same bytes, which count once.
    private var repeated: [String] {
        var own = log.filter(\.isOwn)
        if !unrepeated.isEmpty {
            own.removeAll { MessageIntake.known($0.text)?.requestID.map { unrepeated.contains($0) } ?? false }
        }
        return (ownList.map { [$0] } ?? []) + own.suffix(Self.mostRepeated).map(\.text)
    }

    /// Trusts another key of the peer, which the application has compared. The endpoints that came under the old one
    /// are not paid any more, and what had ended is not said to the new one.
    mutating func trust(_ key: PubkyKey, agreement: [UInt8], ephemeral: [UInt8]) {
        (peerKey, shownKey, peerStatic, list) = (key.text, nil, nil, nil)
        self.agreement = Hex.encode(agreement)
        let ended = PrivateLinkRequest.all(in: log).filter {
            [.rejected, .cancelled, .proven].contains($0.state.phase)
        }
        unrepeated.formUnion(ended.map(\.id))
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
            append(Entry(isOwn: true, text: text))
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
            guard let id = message.eventID, note(id, text) else { return }
            append(Entry(isOwn: false, text: text))
        case .malformed(_, let id):
            skipped += 1
            if MessageIntake.isLater(text) { hasLaterForm = true }
            // No other event may come under its id.
            if let id { _ = note(id, text) }
        case .unknown, .unreadable: skipped += 1
        }
    }

    /// Returns true if an event of the peer is new; records it, and an id that comes twice with different contents.
    private mutating func note(_ id: String, _ text: String) -> Bool {
        let hash = PrivateLinkMessage.hash(of: text)
        if let known = seen[id] {
            if known != hash { conflicts.insert(id) }
            return false
        }
        // An event that is dropped here and comes again has no effect that it had not before: what was paid is kept.
        while seen.count >= Self.mostSeen, !seenOrder.isEmpty { seen[seenOrder.removeFirst()] = nil }
        seen[id] = hash
        seenOrder.append(id)
        return true
    }

    /// Records that no money has moved for a payment begun at `endpoint`: the endpoint and its list may be used again.
    mutating func fail(_ key: String, at endpoint: PaykitEndpoint) {
        guard let known = payments[key], known.stage == .paying, known.endpoint == endpoint.endpoint else { return }
        payments[key]?.stage = .failed
        if let used = known.list, list?.version == used { list?.used = used - 1 }
    }

    private mutating func append(_ entry: Entry) {
        log.append(entry)
        guard log.count > Self.mostEntries else { return }
        trim()
    }

    /// Makes room in the log, for a tenth of it. Requests that still have to be paid stay, and those that are being
    /// paid, however much the peer sends: of a request that recurs only what was said about past periods is dropped.
    private mutating func trim() {
        let requests = PrivateLinkRequest.all(in: log)
        let paying = payments.filter { $0.value.stage == .paying }.keys.compactMap { PrivateLinkRequest.id(inKey: $0) }
        let isLasting: (PrivateLinkRequest) -> Bool = { request in
            [.accepted, .active].contains(request.state.phase) || request.isOwn && request.state.phase == .proposed
        }
        let lasting = Set(requests.filter(isLasting).map(\.id)).union(paying)
        var excess = log.count - Self.mostEntries * 9 / 10
        func drop(where isLess: (PrivateLinkMessage?) -> Bool) {
            log.removeAll { entry in
                guard excess > 0, isLess(MessageIntake.known(entry.text)) else { return false }
                excess -= 1
                return true
            }
        }
        drop { $0?.requestID.map { !lasting.contains($0) } ?? true }
        drop { message in
            switch message {
            case .proof(let proof): proof.period != nil && !paying.contains(proof.head.requestID)
            case .receiptAccess(let access): access.period != nil
            default: false
            }
        }
        // A peer that has more than this accepted and unpaid loses the oldest.
        drop { $0?.requestID.map { !paying.contains($0) } ?? true }
    }
}

/// A payment of a request, or of one period where it recurs.
package struct PrivateLinkPayment: Sendable, Hashable, Codable {
    /// The progress of a payment.
    package enum Stage: String, Sendable, Codable {
        /// The wallet was asked, or is about to be: money may have moved.
        case paying
        case paid
        /// No money has moved: it may be tried again.
        case failed
    }

    package var stage: Stage
    package let identifier: String
    package let endpoint: String
    /// The amount, in satoshis: a peer may ask for another one under the same id, once its first request is forgotten.
    package let satoshis: String
    /// The list that the endpoint is from; nil for a published one.
    package let list: Int?
    /// The proof of payment, as JSON.
    package var proof: String?
    /// The number of earlier attempts by a router in which nothing was sent.
    package var number = 0
    /// True if the application's wallet was asked to pay it, and knew nothing of it before.
    package var isAsked = false
    /// True if a router pays it; otherwise the application's own wallet does.
    package var isRouted = false
    /// True once a router has begun to ask the payer's settler for it: until then any program may cancel it, afterwards
    /// only the settler's status counts. Nil for state that was stored without this member.
    package var isHandedOver: Bool?

    /// Throws where a request of the same name asks for another amount than was paid: it is another request.
    func require(_ amount: Money) throws(PaykitNetworkError) {
        guard "\(amount.minorUnits)" != satoshis else { return }
        throw PaykitNetworkError(
            .paymentRejected,
            "the payee has asked for another amount under this name before, and that is paid or being paid: have them ask "
                + "under a new one")
    }

    /// The proof of payment, once it is paid.
    var reportedProof: PaykitProof? {
        guard stage == .paid, let proof, let json = try? JSONValue(parsing: proof) else { return nil }
        return PaykitProof(json)
    }
}

/// A receipt that this side issues: its random values are drawn once, so that each repetition is the same.
package struct IssuedReceipt: Sendable, Hashable, Codable {
    package let id: String
    package let eventID: String
    /// Base64url.
    package let key: String
    /// Base64url.
    package let nonce: String
    /// The receipt's text.
    package let text: String
    /// True if its file was written, and the message to the peer is queued.
    package var isAnnounced = false
}
