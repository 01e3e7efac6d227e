import PaymentCrypto

/// The channel of a link (Protocol 12.8): its keys, its counters, and the messages that are still to be sent over it.
/// It is stored apart from the trusted key and the requests, which do not depend on it: where it is missing, damaged or
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

    /// True if unreadable files have persisted too long: then both sides begin anew. The limit grows each time.
    package var isStuck: Bool { unreadable >= 4 * min(recovery.begun, 16) }

    /// The history of recoveries, which one channel leaves to the next.
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

        /// Returns true if a recovery was requested by what has led to this state; otherwise by another copy of it.
        func hasAsked(_ attempt: String) -> Bool { attempt == ownAttempt || pastAttempts.contains(attempt) }

        /// The time at which this program began to look, or last requested a recovery. A request that this state does
        /// not know and that is older was written late, by a program that has ended; a later one is another copy's.
        var lastBegun: PrivateLinkTime {
            [ownAttemptAt, since].compactMap { $0.flatMap { PrivateLinkTime($0) } }.max() ?? PrivateLinkTime(seconds: 0)
        }
    }
}

extension PrivateLinkRecord {
    /// Begins another channel. Nothing of the one before is part of it but the recoveries so far.
    package mutating func begin(ephemeral: [UInt8], keepingFiles: Bool = false) {
        let before = channel.recovery
        channel = PrivateLinkChannelRecord(ephemeral: ephemeral, outbox: repeated)
        channel.recovery = before
        channel.recovery.begun += 1
        if keepingFiles { channel.phase = .handshaking }
    }
}
