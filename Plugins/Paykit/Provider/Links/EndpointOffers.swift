import PaymentCore
import PaymentSettlement

/// How a settler can pay what somebody published.
enum EndpointOffers {
    /// What the endpoint asks for, by its own text: none when it is not sound. The method says which coin is meant
    /// where the text alone could be of several.
    static func offers(of endpoint: PaykitEndpoint, _ reader: any InstructionReader) -> [SettlementOffer] {
        let text = endpoint.endpoint
        let isBare = !text.contains(":")
        let method = PaykitIdentifier(endpoint.methodID)?.formerName ?? endpoint.methodID
        let scheme: String? =
            switch method {
            case "onchain": "bitcoin:"
            case "lightning": "lightning:"
            default: nil
            }
        // Today's names say more than the kind: the form, and the chain.
        guard PaykitIdentifier(endpoint.methodID)?.allows(text) ?? true else { return [] }
        if isBare, let scheme {
            let found = SettlementOffer.offers(in: scheme + text, reader)
            if !found.isEmpty { return found }
        }
        let found = SettlementOffer.offers(in: text, reader)
        // An address under the method of invoices is not what its name says.
        return scheme == nil ? found : found.filter { methods[$0.endpoint.kind] == method }
    }

    private static let methods: [SettlementEndpoint.Kind: String] = [
        .bitcoinAddress: "onchain", .bolt11: "lightning", .bolt12Offer: "lightning", .lightningAddress: "lightning",
        .lnurl: "lightning",
    ]
}
