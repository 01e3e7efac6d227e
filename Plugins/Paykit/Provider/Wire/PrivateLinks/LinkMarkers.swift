import PaymentCrypto

/// An app's published description of the links that it accepts (Protocol 12.3). Not signed: only its place in the
/// owner's storage vouches for it.
package struct ReceiverMarker: Sendable, Hashable {
    /// A use that an app makes of its links, by the file's names.
    package enum Use: String, Sendable, CaseIterable {
        /// It accepts endpoints for one payer alone.
        case privatePayments = "private_payments"
        case paymentRequests = "payment_requests"
        case receipts
        /// It pays.
        case outgoingPayments = "outgoing_payments"
    }

    package let receiver: PaykitReceiverPath
    package let uses: Set<Use>
    /// The key of its links; nil for apps before July 2026. A link with them is not possible here.
    package let noiseKey: PubkyKey?

    private static let kind = "paykit.receiver"
    package static let maximumLength = 4096

    package init(_ receiver: PaykitReceiverPath, _ uses: Set<Use> = Set(Use.allCases), noiseKey: PubkyKey?) {
        self.receiver = receiver
        self.uses = uses
        self.noiseKey = noiseKey
    }

    package static func path(of receiver: PaykitReceiverPath) -> String {
        "\(ReceiverDirectory.root)\(receiver)/receiver.json"
    }

    /// Reads the file of `receiver`, which has to name it.
    package init(_ bytes: [UInt8], of receiver: PaykitReceiverPath) throws(WireDefect) {
        guard bytes.count <= Self.maximumLength, let json = try? JSONValue(parsing: bytes) else {
            throw WireDefect("a receiver is not JSON")
        }
        var object = try ClosedObject(json)
        try object.begin(Self.kind)
        guard try object.text("receiver_path") == receiver.text else {
            throw WireDefect("a receiver says that it is another")
        }
        self.receiver = receiver
        var flags = try ClosedObject(object.value("capabilities"))
        var uses: Set<Use> = []
        for use in Use.allCases {
            guard let flag = try flags.value(use.rawValue).bool else {
                throw WireDefect("the member '\(use.rawValue)' is no yes or no")
            }
            if flag { uses.insert(use) }
        }
        self.uses = uses
        try flags.end()
        noiseKey = try object.optional("noise_public_key").map { value throws(WireDefect) in
            guard let key = value.string.flatMap({ try? PubkyKey($0) }) else {
                throw WireDefect("a receiver's key is not valid")
            }
            return key
        }
        try object.end()
    }

    package var bytes: [UInt8] {
        let flags = Use.allCases.map { ($0.rawValue, OrderedJSON?.some(.value(.bool(uses.contains($0))))) }
        return OrderedJSON.object([
            ("version", .number(1)), ("kind", .string(Self.kind)), ("receiver_path", .string(receiver.text)),
            ("capabilities", .object(flags)), ("noise_public_key", noiseKey.map { .string($0.text) }),
        ]).bytes
    }

    package var isReachable: Bool { noiseKey != nil && !uses.isSubset(of: [.outgoingPayments]) }
}

/// A marker that a side with a broken link leaves, so that the other side begins again (Protocol 12.3).
package struct RecoveryMarker: Sendable, Hashable {
    package let attemptID: String
    package let createdAt: PrivateLinkTime

    private static let kind = "paykit.encrypted_link_recovery"

    package init(attemptID: String, createdAt: PrivateLinkTime) {
        self.attemptID = attemptID
        self.createdAt = createdAt
    }

    /// Reads a marker; nil for an empty file.
    package init?(_ bytes: [UInt8]) throws(WireDefect) {
        guard !bytes.isEmpty else { return nil }
        guard bytes.count <= ReceiverMarker.maximumLength, let json = try? JSONValue(parsing: bytes) else {
            throw WireDefect("a recovery is not JSON")
        }
        var object = try ClosedObject(json)
        try object.begin(Self.kind)
        attemptID = try object.id("attempt_id")
        createdAt = try object.time("created_at")
        try object.end()
    }

    package var bytes: [UInt8] {
        OrderedJSON.object([
            ("version", .number(1)), ("kind", .string(Self.kind)), ("attempt_id", .string(attemptID)),
            ("created_at", .string(createdAt.text)),
        ]).bytes
    }
}
