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
                return text("OfferPrivateEndpoint", OrderedJSON.object(Self.members(of: offer, isBare: true)))
            }
            guard dialect == .native else { return nil }
            let methods = OrderedJSON.array(offers.map { OrderedJSON.object(Self.members(of: $0, isBare: false)) })
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
            return text("private_endpoint_offer", Self.members(of: offer, isBare: false))
        case .requestReceipt(let receipt):
            return text("request_receipt", receipt.members(.flat) + [("created_at", "\(receipt.createdAt)")])
        case .confirmReceipt(let receipt):
            return text(
                "confirm_receipt",
                receipt.members(.flat) + [("confirmed_at", "\(receipt.createdAt)"), ("signature", "null")])
        case .error(let code, let message):
            return text("error", [("code", OrderedJSON.string(code)), ("message", OrderedJSON.string(message))])
        case .ping: return text("ping", [])
        case .pong: return text("pong", [])
        case .accept, .decline, .acknowledgement, .subscription: return nil
        }
    }

    private static func members(of offer: Offer, isBare: Bool) -> [(name: String, value: String?)] {
        [
            ("method_id", OrderedJSON.string(offer.endpoint.methodID)),
            ("endpoint", OrderedJSON.string(offer.endpoint.endpoint)),
            ("expires_at", isBare ? nil : offer.expiresAt.map { "\($0)" } ?? "null"),
        ]
    }
}

extension PaykitReceiptRecord {
    fileprivate func text(_ dialect: ChannelMessage.Dialect) -> String {
        OrderedJSON.object(members(dialect) + [("created_at", "\(createdAt)"), ("metadata", metadata.text)])
    }

    /// Returns the members that are the same in every message, in the dialect's form.
    fileprivate func members(_ dialect: ChannelMessage.Dialect) -> [(name: String, value: String?)] {
        let isNative = dialect == .native
        func user(_ key: PubkyKey) -> String {
            isNative ? OrderedJSON.numbers(key.bytes) : OrderedJSON.string(key.text)
        }
        func optional(_ text: String?) -> String? { text.map { OrderedJSON.string($0) } ?? (isNative ? nil : "null") }
        return [
            ("receipt_id", OrderedJSON.string(id)), ("payer", user(payer)), ("payee", user(payee)),
            ("method_id", OrderedJSON.string(methodID)), ("amount", optional(amount)), ("currency", optional(currency)),
        ]
    }
}
