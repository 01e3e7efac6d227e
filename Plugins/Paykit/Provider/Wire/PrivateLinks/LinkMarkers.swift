package import PaymentCrypto

/// An app's published description of the links that it accepts (Protocol 12.3). Not signed: only its place in the
/// owner's storage vouches for it.
package struct ReceiverMarker: Sendable, Hashable {
    package let receiver: PaykitReceiverPath
    /// True if it accepts endpoints for one payer alone.
    package let privatePayments: Bool
    package let paymentRequests: Bool
    package let receipts: Bool
    /// True if it pays.
    package let outgoingPayments: Bool
    /// The key of its links; nil for apps before July 2026, with which no link is possible here.
    package let noiseKey: PubkyKey?

    private static let kind = "paykit.receiver"
    /// The most bytes of a file.
    package static let maximumLength = 4096

    package init(
        _ receiver: PaykitReceiverPath, privatePayments: Bool, paymentRequests: Bool, receipts: Bool,
        outgoingPayments: Bool, noiseKey: PubkyKey?
    ) {
        self.receiver = receiver
        self.privatePayments = privatePayments
        self.paymentRequests = paymentRequests
        self.receipts = receipts
        self.outgoingPayments = outgoingPayments
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
        func flag(_ name: String) throws(WireDefect) -> Bool {
            guard let flag = try flags.value(name).bool else {
                throw WireDefect("the member '\(name)' is no yes or no")
            }
            return flag
        }
        privatePayments = try flag("private_payments")
        paymentRequests = try flag("payment_requests")
        receipts = try flag("receipts")
        outgoingPayments = try flag("outgoing_payments")
        try flags.end()
        noiseKey = try object.optional("noise_public_key").map { value throws(WireDefect) in
            guard let key = value.string.flatMap({ try? PubkyKey($0) }) else {
                throw WireDefect("a receiver's key is none")
            }
            return key
        }
        try object.end()
    }

    package var bytes: [UInt8] {
        let flags: OrderedJSON.Members = [
            ("private_payments", .value(.bool(privatePayments))), ("payment_requests", .value(.bool(paymentRequests))),
            ("receipts", .value(.bool(receipts))), ("outgoing_payments", .value(.bool(outgoingPayments))),
        ]
        return OrderedJSON.object([
            ("version", .number(1)), ("kind", .string(Self.kind)), ("receiver_path", .string(receiver.text)),
            ("capabilities", .object(flags)), ("noise_public_key", noiseKey.map { .string($0.text) }),
        ]).bytes
    }

    /// True if a link with it makes sense.
    package var isReachable: Bool { noiseKey != nil && (privatePayments || paymentRequests || receipts) }
}

/// A marker that a side with a broken link leaves, so that the other begins anew (Protocol 12.3).
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
