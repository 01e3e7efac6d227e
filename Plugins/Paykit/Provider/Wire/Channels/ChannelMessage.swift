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

    /// A form in which messages are written. A peer's dialect is known from its messages.
    package enum Dialect: String, Sendable, CaseIterable {
        /// The native library's: users as lists of numbers. Written where the peer's dialect is not known.
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

    /// The mobile library writes users as texts, and null where the native one leaves out.
    private static func dialect(of type: String, _ payload: JSONValue) -> Dialect {
        let receipt = payload["provisional_receipt"] ?? payload["receipt"]
        return receipt?["payer"]?.string != nil ? .mobile : .native
    }
}
