import PaymentCore

/// What subscriber and provider say to each other of a subscription (Protocol 6.3). No version of the library sends any.
package enum PaykitSubscriptionMessage: Sendable, Hashable {
    /// Would you?
    case proposal(PaykitSignedSubscription)
    /// Yes.
    case acceptance(PaykitSignedSubscription)
    /// No more.
    case cancellation(id: String, reason: String?)

    /// The JSON text.
    package var text: String {
        switch self {
        case .proposal(let signed): Self.text("SubscriptionProposal", [("signed_subscription", signed.text)])
        case .acceptance(let signed): Self.text("SubscriptionAcceptance", [("signed_subscription", signed.text)])
        case .cancellation(let id, let reason):
            Self.text(
                "SubscriptionCancellation",
                [
                    ("subscription_id", OrderedJSON.string(id)),
                    ("reason", reason.map { OrderedJSON.string($0) } ?? "null"),
                ])
        }
    }

    private static func text(_ type: String, _ members: [(name: String, value: String?)]) -> String {
        OrderedJSON.object([("type", OrderedJSON.string(type))] + members)
    }

    /// Reads a message; a proposal may also be the bare subscription, unsigned, as it lies in sealed files.
    package init(_ bytes: [UInt8]) throws(WireDefect) {
        guard let json = try? JSONValue(parsing: bytes) else { throw WireDefect("a message is not JSON") }
        switch json["type"]?.string {
        case "SubscriptionProposal": self = .proposal(try Self.signed(json))
        case "SubscriptionAcceptance": self = .acceptance(try Self.signed(json))
        case "SubscriptionCancellation":
            guard let id = json["subscription_id"]?.string, !id.isEmpty else {
                throw WireDefect("a cancellation names no subscription")
            }
            self = .cancellation(id: id, reason: json["reason"]?.string)
        case nil where json["subscription_id"] != nil:
            self = .proposal(PaykitSignedSubscription(try PaykitSubscription(json)))
        default: throw WireDefect("a message has a type that is not known")
        }
    }

    private static func signed(_ json: JSONValue) throws(WireDefect) -> PaykitSignedSubscription {
        if let value = json["signed_subscription"] { return try PaykitSignedSubscription(value) }
        if json["terms"] != nil { return PaykitSignedSubscription(try PaykitSubscription(json)) }
        // The members of the signed one beside the type.
        return try PaykitSignedSubscription(json)
    }
}
