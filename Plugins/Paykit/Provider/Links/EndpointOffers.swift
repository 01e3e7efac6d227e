import PaymentSettlement

enum EndpointOffers {
    typealias Offer = (endpoint: PaykitEndpoint, offer: SettlementOffer)

    /// Returns the offers in the endpoint's text; none when it is not sound. The method decides an ambiguous coin.
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
        // The names of generation 3 say more than the kind: the form, and the chain.
        guard PaykitIdentifier(endpoint.methodID)?.allows(text) ?? true else { return [] }
        if isBare, let scheme {
            let found = SettlementOffer.offers(in: scheme + text, reader)
            if !found.isEmpty { return found }
        }
        let found = SettlementOffer.offers(in: text, reader)
        // An address under the method of invoices contradicts its method.
        return scheme == nil ? found : found.filter { $0.endpoint.kind.method == method }
    }
}

extension SettlementEndpoint {
    /// Returns the title of an option that pays it, for people. `rest` is the end of the title, such as `, as asked
    /// for`.
    func title(_ rest: String = "") -> String {
        (kind == .bitcoinAddress ? "Bitcoin, on the chain" : "Bitcoin, over Lightning") + rest
    }
}

extension PaykitEndpointCheck {
    /// Returns an endpoint as a settler is asked to pay it; nil where it cannot, or where it asks for another amount.
    func settlement(
        of endpoint: PaykitEndpoint, _ amount: Money, by settler: any PaymentSettler
    ) -> SettlementEndpoint? {
        EndpointOffers.offers(of: endpoint, reader).first {
            $0.takes(amount) && settler.canSettle($0.endpoint.kind, on: $0.endpoint.network)
        }?.endpoint
    }
}
