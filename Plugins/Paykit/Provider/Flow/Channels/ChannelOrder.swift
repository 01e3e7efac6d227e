struct ChannelOrder: StoredOrder, Sendable, Hashable {
    let payee: PubkyKey
    let method: String
    var subscription: String?
    /// The payee's public endpoint of the same method and amount, paid where they cannot be asked; nil where only an
    /// agreed endpoint may be paid.
    let fallback: SettlementEndpoint?

    private enum CodingKeys: String, CodingKey {
        case payee, method, subscription, fallback
    }

    static let place = "private"

    init(payee: PubkyKey, method: String, fallback: SettlementEndpoint?) {
        self.payee = payee
        self.method = method
        self.fallback = fallback
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        payee = try PubkyKey(bare: try container.decode(String.self, forKey: .payee))
        method = try container.decode(String.self, forKey: .method)
        subscription = try container.decodeIfPresent(String.self, forKey: .subscription)
        fallback = try container.decodeIfPresent(SettlementEndpoint.self, forKey: .fallback)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(payee.text, forKey: .payee)
        try container.encode(method, forKey: .method)
        try container.encodeIfPresent(subscription, forKey: .subscription)
        try container.encodeIfPresent(fallback, forKey: .fallback)
    }

    /// The data for the payee in the question, by which they know the subscription.
    var metadata: JSONValue {
        var metadata: JSONValue = [:]
        metadata[PaykitSubscription.nameInMetadata] = subscription.map { .string($0) }
        return metadata
    }
}
