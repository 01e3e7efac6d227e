import PaymentCore

/// What an option stores that is paid by private agreement.
struct ChannelOrder: Sendable, Hashable, Codable {
    /// Who is paid.
    let payee: PubkyKey
    /// The method that is asked for.
    let method: String
    /// What the payee publishes for everybody, by the same method and for the same amount: paid where they cannot be
    /// asked. Nil where nothing is to be paid but what they agree to.
    let fallback: SettlementEndpoint?

    private enum CodingKeys: String, CodingKey {
        case payee, method, fallback
    }

    /// What the option is called. Endpoints have the names of their methods.
    static let optionID = "private-lightning"
    /// Where it lies in the option's data.
    private static let place = "private"

    init(payee: PubkyKey, method: String, fallback: SettlementEndpoint?) {
        self.payee = payee
        self.method = method
        self.fallback = fallback
    }

    /// Reads what an option stores; nil for an option of another kind.
    init?(_ option: PaymentMethodOption) {
        guard let stored = option.providerData?[Self.place], let order = try? stored.decode(ChannelOrder.self) else {
            return nil
        }
        self = order
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        payee = try PubkyKey(bare: try container.decode(String.self, forKey: .payee))
        method = try container.decode(String.self, forKey: .method)
        fallback = try container.decodeIfPresent(SettlementEndpoint.self, forKey: .fallback)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(payee.text, forKey: .payee)
        try container.encode(method, forKey: .method)
        try container.encodeIfPresent(fallback, forKey: .fallback)
    }

    /// `option` with this order in its data.
    func placed(in option: PaymentMethodOption) throws -> PaymentMethodOption {
        option.with(providerData: ["payee": .string(payee.text), Self.place: try JSONValue.encode(self)])
    }
}
