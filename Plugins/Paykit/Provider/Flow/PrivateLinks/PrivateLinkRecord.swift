import PaymentCore
import PaymentCrypto

/// All that an app keeps of its private link with another one (Protocol 12.8). A value: it is stored as a whole before
/// anything leaves the device that follows from it, so that a crash at any moment repeats the same bytes or nothing.
package struct PrivateLinkRecord: Sendable, Hashable, Codable {
    /// How far the link has come.
    package enum Phase: String, Sendable, Codable {
        /// Files of an earlier link are taken away first: the peer would take them for this one's.
        case clearing
        case handshaking
        case linked
    }

    /// A file that is to be written at its number, and no other ever.
    package struct Pending: Sendable, Hashable, Codable {
        package let slot: UInt32
        /// Base64url.
        package let file: String
    }

    /// A message of either side, in the order in which this side saw them. Within a direction that is the order of
    /// sending.
    package struct Entry: Sendable, Hashable, Codable {
        package let isOwn: Bool
        package let text: String
    }

    /// The peer's way to be paid by this side alone.
    package struct List: Sendable, Hashable, Codable {
        package var endpoints: [String: String]
        /// Counts lists with other contents than the one before.
        package var version: Int
        /// The last of them that something was paid from: a list is good for one payment.
        package var used = 0
    }

    /// The peer's key for links, as their marker had it, in text.
    package var peerKey: String
    /// What both sides know from their keys, hexadecimal: folders follow from it.
    package var agreement: String
    /// The peer's key of the handshake, hexadecimal, once it was seen; it belongs to ``peerKey``.
    package var peerStatic: String?
    package var phase = Phase.clearing
    /// What the handshake was begun with: 32 bytes, hexadecimal, drawn for it alone.
    package var ephemeral: String
    /// The peer's messages of the handshake, base64url.
    package var heard: [String] = []
    /// How many times something lay where the peer's answer should, and could not be read.
    package var unreadable = 0
    package var place = PrivateLinkChannel.Place()
    package var pending: Pending?
    /// The file that was written last: what arrives late can take it away again.
    package var last: Pending?
    /// What is still to be sent, in its order.
    package var outbox: [String] = []

    // MARK: Beginning anew

    /// The recovery that this side has asked for last.
    package var ownAttempt: String?
    package var ownAttemptAt: String?
    /// Whether its marker may not lie on the homeserver yet.
    package var isMarkerDue = false
    /// The peer's last recovery that this side has followed.
    package var peerAttempt: String?
    /// How many times this link was begun.
    package var begun = 1

    // MARK: What was said

    package var log: [Entry] = []
    /// Events of the peer, by their ids: the hash of each one's text.
    package var seen: [String: String] = [:]
    /// Ids under which the peer sent two different texts.
    package var conflicts: Set<String> = []
    /// How many of the peer's messages were none that is known here.
    package var skipped = 0
    /// Whether the peer has spoken a later form of the protocol.
    package var hasLaterForm = false
    package var list: List?
    /// The list that this side has sent last, as text.
    package var ownList: String?

    // MARK: Money

    /// By request and period (``PrivateLinkRequest/key(_:_:)``).
    package var payments: [String: PrivateLinkPayment] = [:]
    /// The same, of receipts that this side has issued.
    package var issued: [String: IssuedReceipt] = [:]
    /// Receipts of the peer, opened, by their ids: their texts.
    package var receipts: [String: String] = [:]
    /// Receipts that were announced and are none.
    package var spoilt: Set<String> = []

    /// The most entries that are kept; the oldest go first, but for those of a request that is being paid. Payments
    /// stay.
    package static let mostEntries = 2000
    /// The most ids of events that are kept.
    package static let mostSeen = 10_000
    /// How many events of its own a side says again on a new link: nobody acknowledges anything.
    package static let mostRepeated = 200

    package init(peerKey: String, agreement: [UInt8] = [], ephemeral: [UInt8]) {
        self.peerKey = peerKey
        self.agreement = Hex.encode(agreement)
        self.ephemeral = Hex.encode(ephemeral)
    }

    // MARK: Changes

    /// Begins the link anew: with another key for the handshake, and without what belonged to the old one.
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

    /// Whether what cannot be read has lain there for too long: then both sides begin anew. Each time it takes longer.
    package var isStuck: Bool { unreadable >= 4 * min(begun, 16) }

    /// What is said again on a new link: the same bytes, which count once.
    private var repeated: [String] {
        let events = log.filter(\.isOwn).suffix(Self.mostRepeated).map(\.text)
        return (ownList.map { [$0] } ?? []) + events
    }

    /// Has an event of this side sent. It counts from now on, whenever it arrives.
    package mutating func say(_ message: PrivateLinkMessage) throws(WireDefect) {
        let text = try message.text()
        if case .paymentList = message {
            ownList = text
            // A list that nobody has read yet says nothing more.
            outbox.removeAll { $0.hasPrefix(Self.listStart) }
        } else {
            append(Entry(isOwn: true, text: text))
        }
        outbox.append(text)
    }

    private static let listStart =
        "{\"version\":1,\"kind\":\"\(PrivateLinkMessage.Kind.paymentList.rawValue)\""

    /// Takes in what the peer said.
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
            // Nothing else may come under its id.
            if let id { _ = note(id, text) }
        case .unknown, .unreadable: skipped += 1
        }
    }

    /// Whether an event of the peer is new; notes it, and what came twice with other contents.
    private mutating func note(_ id: String, _ text: String) -> Bool {
        let hash = PrivateLinkMessage.hash(of: text)
        if let known = seen[id] {
            if known != hash { conflicts.insert(id) }
            return false
        }
        // Whoever fills this up is heard no more, rather than having an old event taken for a new one.
        guard seen.count < Self.mostSeen else {
            skipped += 1
            return false
        }
        seen[id] = hash
        return true
    }

    /// Notes that not one coin has moved for what was begun at `endpoint`: it, and the list that it is from, may be
    /// used again.
    mutating func fail(_ key: String, at endpoint: PaykitEndpoint) {
        guard let known = payments[key], known.stage == .paying, known.endpoint == endpoint.endpoint else { return }
        payments[key]?.stage = .failed
        if let used = known.list, list?.version == used { list?.used = used - 1 }
    }

    private mutating func append(_ entry: Entry) {
        log.append(entry)
        guard log.count > Self.mostEntries else { return }
        // Of what is being paid the proof is still to be sent, however much the peer says meanwhile.
        let held = Set(
            payments.filter { $0.value.stage == .paying }.keys.compactMap { PrivateLinkRequest.id(inKey: $0) })
        let oldest = log.firstIndex { entry in
            guard !held.isEmpty, let id = MessageIntake.known(entry.text)?.requestID else { return true }
            return !held.contains(id)
        }
        log.remove(at: oldest ?? 0)
    }
}

/// A payment of a request, of one period of it where it recurs.
package struct PrivateLinkPayment: Sendable, Hashable, Codable {
    /// How far it has come.
    package enum Stage: String, Sendable, Codable {
        /// The wallet was asked, or is about to be: money may have moved.
        case paying
        case paid
        /// Not one coin has moved: it may be tried again.
        case failed
    }

    package var stage: Stage
    package let identifier: String
    package let endpoint: String
    /// The list that the endpoint is from; nil for a published one.
    package let list: Int?
    /// What proves it, as JSON.
    package var proof: String?
    /// How many times before a router has begun it, and nothing was sent.
    package var number = 0
    /// Whether the application's wallet knew nothing of it before it was asked to pay it.
    package var isAsked = false
    /// Whether a router pays it; otherwise the application's own wallet does.
    package var isRouted = false
    /// Whether a router has begun to ask the payer's settler for it: until then anybody may call it off, and then only
    /// the settler's word counts. Nil for what was kept without that.
    package var isHandedOver: Bool?

    /// What proves it, once it is paid.
    var reportedProof: PaykitProof? {
        guard stage == .paid, let proof, let json = try? JSONValue(parsing: proof) else { return nil }
        return PaykitProof(json)
    }
}

/// A receipt that this side issues: all of it is drawn once, so that each repetition is the same.
package struct IssuedReceipt: Sendable, Hashable, Codable {
    package let id: String
    package let eventID: String
    /// Base64url.
    package let key: String
    /// Base64url.
    package let nonce: String
    /// The receipt itself.
    package let text: String
    /// Whether its file was written, and the peer is told.
    package var isAnnounced = false
}
