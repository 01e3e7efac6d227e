import PaymentCrypto

/// A message between the two sides of a private channel (Protocol 5.5). Three dialects are read, one is written.
package enum ChannelMessage: Sendable, Hashable {
    /// Endpoints for the other side alone.
    case offer([Offer])
    case accept([String])
    case decline(reason: String)
    /// Asks for the terms of a payment.
    case requestReceipt(PaykitReceiptRecord)
    /// Provides the terms of a payment.
    case confirmReceipt(PaykitReceiptRecord)
    case acknowledgement
    case error(code: String, message: String)
    /// One side's view of a subscription (Protocol 6.3).
    case subscription(JSONValue)
    case ping
    case pong

    package struct Offer: Sendable, Hashable {
        package let endpoint: PaykitEndpoint
        /// Seconds since 1970; nil if no time is given.
        package let expiresAt: Int64?

        package init(_ endpoint: PaykitEndpoint, expiresAt: Int64? = nil) {
            self.endpoint = endpoint
            self.expiresAt = expiresAt
        }
    }

    /// A written form of messages. A peer's dialect is known from its messages.
    package enum Dialect: String, Sendable, CaseIterable {
        /// The native library's: users as lists of numbers. Written if the peer's dialect is not known.
        case native
        /// The mobile library's: users as texts, nothing left out.
        case mobile
        /// Flat, as some apps write it.
        case flat
    }

    // MARK: Reading

    package static func read(_ bytes: [UInt8]) throws(WireDefect) -> (message: ChannelMessage, dialect: Dialect) {
        guard let json = try? JSONValue(parsing: bytes), let type = json["type"]?.string else {
            throw WireDefect("a message is not JSON with a type")
        }
        if type == SubscriptionView.type { return (.subscription(json), .native) }
        if let flat = try flat(type, json) { return (flat, .flat) }
        let payload = json["payload"] ?? .null
        return (try nested(type, payload), dialect(of: type, payload))
    }

    private static func nested(_ type: String, _ payload: JSONValue) throws(WireDefect) -> ChannelMessage {
        switch type {
        case "OfferPrivateEndpoint": return .offer([try offer(payload)])
        case "OfferPrivateEndpoints":
            guard let methods = payload["methods"]?.array, methods.count <= 100 else {
                throw WireDefect("an offer has no list of methods")
            }
            var offers: [Offer] = []
            for method in methods { offers.append(try offer(method)) }
            return .offer(offers)
        case "AcceptPrivateEndpoints":
            guard let methods = payload["method_ids"]?.array else { throw WireDefect("an acceptance has no methods") }
            return .accept(methods.compactMap(\.string))
        case "DeclinePrivateEndpoints": return .decline(reason: payload["reason"]?.string ?? "")
        case "RequestReceipt": return .requestReceipt(try PaykitReceiptRecord(payload["provisional_receipt"] ?? .null))
        case "ConfirmReceipt": return .confirmReceipt(try PaykitReceiptRecord(payload["receipt"] ?? .null))
        case "Ack": return .acknowledgement
        case "Error": return try error(payload, "code", "message")
        default: throw WireDefect("a message has a type that is not known")
        }
    }

    private static func flat(_ type: String, _ json: JSONValue) throws(WireDefect) -> ChannelMessage? {
        switch type {
        case "request_receipt": return .requestReceipt(try PaykitReceiptRecord(json))
        case "confirm_receipt":
            return .confirmReceipt(
                try PaykitReceiptRecord(json, creation: json["confirmed_at"] == nil ? "created_at" : "confirmed_at"))
        case "private_endpoint_offer": return .offer([try offer(json)])
        case "error":
            return try error(
                json, json["code"] == nil ? "error_code" : "code", json["message"] == nil ? "error_message" : "message")
        case "ping": return .ping
        case "pong": return .pong
        default: return nil
        }
    }

    private static func offer(_ json: JSONValue) throws(WireDefect) -> Offer {
        guard let method = json["method_id"]?.string, PaykitEndpoint.isMethod(method),
            let endpoint = json["endpoint"]?.string, !endpoint.isEmpty,
            endpoint.utf8.count <= EndpointFile.maximumLength
        else { throw WireDefect("an offer names no method and endpoint") }
        return Offer(PaykitEndpoint(methodID: method, endpoint: endpoint), expiresAt: json["expires_at"]?.int64)
    }

    private static func error(_ json: JSONValue, _ code: String, _ message: String) throws(WireDefect) -> ChannelMessage
    {
        guard let code = json[code]?.string else { throw WireDefect("an error has no code") }
        return .error(code: code, message: json[message]?.string ?? "")
    }

    /// The mobile library writes users as texts, and null for members that the native one leaves out.
    private static func dialect(of type: String, _ payload: JSONValue) -> Dialect {
        let receipt = payload["provisional_receipt"] ?? payload["receipt"]
        return receipt?["payer"]?.string != nil ? .mobile : .native
    }
}

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

/// The record that payer and payee keep of a payment agreed over a channel (Protocol 5.5).
package struct PaykitReceiptRecord: Sendable, Hashable {
    package var id: String
    package var payer: PubkyKey
    package var payee: PubkyKey
    package var methodID: String
    /// Decimal text in the currency's own unit; nil if it is open.
    package var amount: String?
    package var currency: String?
    /// Seconds since 1970.
    package var createdAt: Int64
    /// Further data of both sides, with the payee's invoice.
    package var metadata: JSONValue

    package init(
        id: String, payer: PubkyKey, payee: PubkyKey, methodID: String, amount: String? = nil, currency: String? = nil,
        createdAt: Int64, metadata: JSONValue = [:]
    ) {
        self.id = id
        self.payer = payer
        self.payee = payee
        self.methodID = methodID
        self.amount = amount
        self.currency = currency
        self.createdAt = createdAt
        self.metadata = metadata
    }

    /// Reads a receipt. Users may be lists of numbers or texts in any form that a key has.
    init(_ json: JSONValue, creation: String = "created_at") throws(WireDefect) {
        func text(_ name: String) throws(WireDefect) -> String {
            guard let text = json[name]?.string, !text.isEmpty else { throw WireDefect("a receipt has no \(name)") }
            return text
        }
        func user(_ name: String) throws(WireDefect) -> PubkyKey {
            guard let key = json[name]?.user else { throw WireDefect("a receipt's \(name) is no user") }
            return key
        }
        guard let time = json[creation]?.int64 else { throw WireDefect("a receipt has no \(creation)") }
        self.init(
            id: try text("receipt_id"), payer: try user("payer"), payee: try user("payee"),
            methodID: try text("method_id"), amount: json["amount"]?.string, currency: json["currency"]?.string,
            createdAt: time, metadata: json["metadata"] ?? [:])
    }
}
