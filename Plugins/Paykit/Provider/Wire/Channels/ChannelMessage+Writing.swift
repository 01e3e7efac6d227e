extension ChannelMessage {
    /// Returns the message's JSON; nil if the dialect has no form for it.
    package func wire(_ dialect: Dialect = .native) -> [UInt8]? {
        (dialect == .flat ? flat : nested(dialect))?.bytes
    }

    private func nested(_ dialect: Dialect) -> OrderedJSON? {
        func message(_ type: String, _ payload: OrderedJSON?) -> OrderedJSON {
            .object([("type", .string(type)), ("payload", payload)])
        }
        switch self {
        case .offer(let offers):
            if offers.count == 1, let offer = offers.first, dialect == .mobile || offer.expiresAt == nil {
                return message("OfferPrivateEndpoint", .object(Self.members(of: offer, isBare: true)))
            }
            guard dialect == .native else { return nil }
            let methods = OrderedJSON.array(offers.map { .object(Self.members(of: $0, isBare: false)) })
            return message("OfferPrivateEndpoints", .object([("methods", methods)]))
        case .accept(let methods):
            guard dialect == .native else { return nil }
            return message("AcceptPrivateEndpoints", .object([("method_ids", .array(methods.map { .string($0) }))]))
        case .decline(let reason):
            guard dialect == .native else { return nil }
            return message("DeclinePrivateEndpoints", .object([("reason", .string(reason))]))
        case .requestReceipt(let receipt):
            return message("RequestReceipt", .object([("provisional_receipt", receipt.json(dialect))]))
        case .confirmReceipt(let receipt):
            return message("ConfirmReceipt", .object([("receipt", receipt.json(dialect))]))
        case .acknowledgement: return message("Ack", dialect == .mobile ? .null : nil)
        case .error(let code, let text):
            return message("Error", .object([("code", .string(code)), ("message", .string(text))]))
        case .subscription(let view): return dialect == .native ? .value(view) : nil
        case .ping, .pong: return nil
        }
    }

    private var flat: OrderedJSON? {
        func message(_ type: String, _ members: OrderedJSON.Members) -> OrderedJSON {
            .object([("type", .string(type))] + members)
        }
        switch self {
        case .offer(let offers):
            guard offers.count == 1, let offer = offers.first else { return nil }
            return message("private_endpoint_offer", Self.members(of: offer, isBare: false))
        case .requestReceipt(let receipt):
            return message("request_receipt", receipt.members(.flat) + [("created_at", .number(receipt.createdAt))])
        case .confirmReceipt(let receipt):
            return message(
                "confirm_receipt",
                receipt.members(.flat) + [("confirmed_at", .number(receipt.createdAt)), ("signature", .null)])
        case .error(let code, let text): return message("error", [("code", .string(code)), ("message", .string(text))])
        case .ping: return message("ping", [])
        case .pong: return message("pong", [])
        case .accept, .decline, .acknowledgement, .subscription: return nil
        }
    }

    private static func members(of offer: Offer, isBare: Bool) -> OrderedJSON.Members {
        [
            ("method_id", .string(offer.endpoint.methodID)), ("endpoint", .string(offer.endpoint.endpoint)),
            ("expires_at", isBare ? nil : offer.expiresAt.map { .number($0) } ?? .null),
        ]
    }
}

extension PaykitReceiptRecord {
    fileprivate func json(_ dialect: ChannelMessage.Dialect) -> OrderedJSON {
        .object(members(dialect) + [("created_at", .number(createdAt)), ("metadata", .value(metadata))])
    }

    /// Returns the members that are the same in every message, in the dialect's form.
    fileprivate func members(_ dialect: ChannelMessage.Dialect) -> OrderedJSON.Members {
        let isNative = dialect == .native
        func user(_ key: PubkyKey) -> OrderedJSON { isNative ? .numbers(key.bytes) : .string(key.text) }
        func optional(_ text: String?) -> OrderedJSON? { text.map { .string($0) } ?? (isNative ? nil : .null) }
        return [
            ("receipt_id", .string(id)), ("payer", user(payer)), ("payee", user(payee)),
            ("method_id", .string(methodID)), ("amount", optional(amount)), ("currency", optional(currency)),
        ]
    }
}
