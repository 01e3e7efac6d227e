import PaymentCrypto

/// The JSON of a subscription, as the native library writes it (Protocol 6.1): keys as lists of numbers.
extension PaykitSubscription {
    /// The JSON text, its members in the library's order.
    package var text: String { json.text }

    var json: OrderedJSON {
        .object([
            ("subscription_id", .string(id)), ("subscriber", .numbers(subscriber.bytes)),
            ("provider", .numbers(provider.bytes)), ("terms", terms.json), ("metadata", .value(metadata)),
            ("created_at", .number(createdAt)), ("starts_at", .number(startsAt)),
            ("ends_at", endsAt.map { .number($0) } ?? .null),
        ])
    }

    /// Reads a subscription; keys may be lists of numbers or texts in any form that a key has.
    package init(_ json: JSONValue) throws(WireDefect) {
        guard let id = json["subscription_id"]?.string, let createdAt = json["created_at"]?.int64,
            let startsAt = json["starts_at"]?.int64
        else { throw WireDefect("a subscription has no name or no dates") }
        var end: Int64?
        if let value = json["ends_at"], !value.isNull {
            // An end that cannot be read does not mean no end.
            guard let number = value.int64 else { throw WireDefect("a subscription's end is no number") }
            end = number
        }
        let terms = try PaykitSubscriptionTerms(json["terms"] ?? .null)
        let (subscriber, provider) = (try json.user("subscriber"), try json.user("provider"))
        do throws(PaykitSubscriptionDefect) {
            try self.init(
                id: id, subscriber: subscriber, provider: provider, terms: terms,
                metadata: json["metadata"] ?? [:], createdAt: createdAt, startsAt: startsAt, endsAt: end)
        } catch { throw WireDefect(error.description) }
    }
}

extension PaykitSubscriptionTerms {
    fileprivate var json: OrderedJSON {
        .object([
            ("amount", .string(amount)), ("currency", .string(currency)), ("frequency", frequency.json),
            ("method", .string(methodID)), ("max_amount_per_period", maximumPerPeriod.map { .string($0) } ?? .null),
            ("description", .string(description)),
        ])
    }

    fileprivate init(_ json: JSONValue) throws(WireDefect) {
        func text(_ name: String) throws(WireDefect) -> String {
            guard let text = json[name]?.string else { throw WireDefect("a subscription's terms have no \(name)") }
            return text
        }
        var most: String?
        if let value = json["max_amount_per_period"], !value.isNull { most = try text("max_amount_per_period") }
        self.init(
            amount: try text("amount"), currency: try text("currency"),
            frequency: try PaykitFrequency(json["frequency"] ?? .null), methodID: try text("method"),
            maximumPerPeriod: most, description: try text("description"))
    }
}

extension JSONValue {
    /// The key in a list of numbers, or in a text in any form that a key has; nil for anything else.
    var user: PubkyKey? {
        numbers(PubkyKey.byteCount).flatMap { try? PubkyKey(bytes: $0) } ?? string.flatMap { try? PubkyKey($0) }
    }

    func user(_ name: String) throws(WireDefect) -> PubkyKey {
        guard let key = self[name]?.user else { throw WireDefect("the \(name) is no user") }
        return key
    }
}
