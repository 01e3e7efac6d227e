import PaykitPubky
import PaymentCore

extension ChannelMessage {
    /// Returns the message's JSON; nil if the dialect has no form for it.
    package func wire(_ dialect: Dialect = .native) -> [UInt8]? {
        (dialect == .flat ? flatText : nestedText(dialect)).map { Array($0.utf8) }
    }

    private func nestedText(_ dialect: Dialect) -> String? {
        func text(_ type: String, _ payload: String?) -> String {
            OrderedJSON.object([("type", OrderedJSON.string(type)), ("payload", payload)])
        }
        switch self {
        case .offer(let offers):
            if offers.count == 1, let offer = offers.first, dialect == .mobile || offer.expiresAt == nil {
                return text("OfferPrivateEndpoint", Self.text(of: offer, isBare: true))
            }
            guard dialect == .native else { return nil }
            let methods = OrderedJSON.array(offers.map { Self.text(of: $0, isBare: false) })
            return text("OfferPrivateEndpoints", OrderedJSON.object([("methods", methods)]))
        case .accept(let methods):
            guard dialect == .native else { return nil }
            let list = OrderedJSON.array(methods.map(OrderedJSON.string))
            return text("AcceptPrivateEndpoints", OrderedJSON.object([("method_ids", list)]))
        case .decline(let reason):
            guard dialect == .native else { return nil }
            return text("DeclinePrivateEndpoints", OrderedJSON.object([("reason", OrderedJSON.string(reason))]))
        case .requestReceipt(let receipt):
            return text("RequestReceipt", OrderedJSON.object([("provisional_receipt", receipt.text(dialect))]))
        case .confirmReceipt(let receipt):
            return text("ConfirmReceipt", OrderedJSON.object([("receipt", receipt.text(dialect))]))
        case .acknowledgement: return text("Ack", dialect == .mobile ? "null" : nil)
        case .error(let code, let message):
            return text(
                "Error",
                OrderedJSON.object([("code", OrderedJSON.string(code)), ("message", OrderedJSON.string(message))]))
        case .subscription(let view): return dialect == .native ? view.text : nil
        case .ping, .pong: return nil
        }
    }

    private var flatText: String? {
        func text(_ type: String, _ members: [(name: String, value: String?)]) -> String {
            OrderedJSON.object([("type", OrderedJSON.string(type))] + members)
        }
        switch self {
        case .offer(let offers):
            guard offers.count == 1, let offer = offers.first else { return nil }
            return text(
                "private_endpoint_offer",
                [
                    ("method_id", OrderedJSON.string(offer.endpoint.methodID)),
                    ("endpoint", OrderedJSON.string(offer.endpoint.endpoint)),
                    ("expires_at", offer.expiresAt.map { "\($0)" } ?? "null"),
                ])
        case .requestReceipt(let receipt):
            return text("request_receipt", receipt.flatMembers + [("created_at", "\(receipt.createdAt)")])
        case .confirmReceipt(let receipt):
            return text(
                "confirm_receipt",
                receipt.flatMembers + [("confirmed_at", "\(receipt.createdAt)"), ("signature", "null")])
        case .error(let code, let message):
            return text("error", [("code", OrderedJSON.string(code)), ("message", OrderedJSON.string(message))])
        case .ping: return text("ping", [])
        case .pong: return text("pong", [])
        case .accept, .decline, .acknowledgement, .subscription: return nil
        }
    }

    private static func text(of offer: Offer, isBare: Bool) -> String {
        OrderedJSON.object([
            ("method_id", OrderedJSON.string(offer.endpoint.methodID)),
            ("endpoint", OrderedJSON.string(offer.endpoint.endpoint)),
            ("expires_at", isBare ? nil : offer.expiresAt.map { "\($0)" } ?? "null"),
        ])
    }
}

extension PaykitReceiptRecord {
    fileprivate func text(_ dialect: ChannelMessage.Dialect) -> String {
        let isNative = dialect == .native
        func user(_ key: PubkyKey) -> String {
            isNative ? OrderedJSON.numbers(key.bytes) : OrderedJSON.string(key.text)
        }
        func optional(_ text: String?) -> String? { text.map { OrderedJSON.string($0) } ?? (isNative ? nil : "null") }
        return OrderedJSON.object([
            ("receipt_id", OrderedJSON.string(id)), ("payer", user(payer)), ("payee", user(payee)),
            ("method_id", OrderedJSON.string(methodID)), ("amount", optional(amount)), ("currency", optional(currency)),
            ("created_at", "\(createdAt)"), ("metadata", metadata.text),
        ])
    }

    fileprivate var flatMembers: [(name: String, value: String?)] {
        [
            ("receipt_id", OrderedJSON.string(id)), ("payer", OrderedJSON.string(payer.text)),
            ("payee", OrderedJSON.string(payee.text)), ("method_id", OrderedJSON.string(methodID)),
            ("amount", amount.map { OrderedJSON.string($0) } ?? "null"),
            ("currency", currency.map { OrderedJSON.string($0) } ?? "null"),
        ]
    }
}
