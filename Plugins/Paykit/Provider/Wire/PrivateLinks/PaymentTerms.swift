import PaymentCrypto

/// An amount in messages of private links: decimal, in the asset's major unit (Protocol 12.5).
package struct PrivateLinkAmount: Sendable, Hashable {
    package let value: String
    /// Such as `btc`. Case counts.
    package let asset: String

    package init(_ value: String, _ asset: String) throws(WireDefect) {
        guard EndpointPayload.isAmount(value) else { throw WireDefect("an amount is no decimal number") }
        guard !asset.isEmpty, !asset.hasControlCharacters else { throw WireDefect("an amount has no asset") }
        self.value = value
        self.asset = asset
    }

    init(_ json: JSONValue) throws(WireDefect) {
        var object = try ClosedObject(json)
        let (value, asset) = (try object.text("value"), try object.text("asset"))
        try object.end()
        try self.init(value, asset)
    }

    var json: OrderedJSON { .object([("value", .string(value)), ("asset", .string(asset))]) }
}

/// A unit of the interval of a recurring request, in UTC; a day that a month lacks is its last.
@nonexhaustive
public enum PaykitRecurrenceUnit: String, Sendable, Hashable, CaseIterable {
    /// 60 seconds.
    case minute
    /// 3,600 seconds.
    case hour
    /// 86,400 seconds.
    case day
    /// Seven days.
    case week
    /// A month of the calendar.
    case month
    /// A year of the calendar.
    case year
}

package struct PrivateLinkRecurrence: Sendable, Hashable {
    package typealias Unit = PaykitRecurrenceUnit

    package let every: UInt32
    package let unit: Unit
    package let start: PrivateLinkTime
    /// The start from which periods are counted.
    package let anchor: PrivateLinkTime
    package let end: PrivateLinkTime?

    package init(
        every: UInt32, _ unit: Unit, start: PrivateLinkTime, anchor: PrivateLinkTime, end: PrivateLinkTime?
    ) throws(WireDefect) {
        guard every >= 1 else { throw WireDefect("something recurs after no time") }
        if let end, end <= start { throw WireDefect("a recurrence ends before it begins") }
        self.every = every
        self.unit = unit
        self.start = start
        self.anchor = anchor
        self.end = end
    }

    init(_ json: JSONValue) throws(WireDefect) {
        var object = try ClosedObject(json)
        guard let every = try object.value("every").uint64.flatMap({ UInt32(exactly: $0) }),
            let unit = Unit(rawValue: try object.text("unit"))
        else { throw WireDefect("how often something recurs cannot be read") }
        let (start, anchor) = (try object.time("starts_at"), try object.time("anchor"))
        let end = try object.nullableTime("ends_at")
        try object.end()
        try self.init(every: every, unit, start: start, anchor: anchor, end: end)
    }

    var json: OrderedJSON {
        .object([
            ("every", .number(every)), ("unit", .string(unit.rawValue)), ("starts_at", .string(start.text)),
            ("anchor", .string(anchor.text)), ("ends_at", end.map { .string($0.text) } ?? .null),
        ])
    }
}

/// The terms of a requested payment. They never change: other terms are another request.
package struct PaymentTerms: Sendable, Hashable {
    package let amount: PrivateLinkAmount
    package let reference: String
    /// The time until which it can be accepted, by the payer's clock.
    package let expiresAt: PrivateLinkTime?
    package let recurrence: PrivateLinkRecurrence?
    package let identifiers: [PaykitIdentifier]
    package let metadata: [String: JSONValue]

    package init(
        _ amount: PrivateLinkAmount, reference: String, expiresAt: PrivateLinkTime? = nil,
        recurrence: PrivateLinkRecurrence? = nil, identifiers: [PaykitIdentifier], metadata: [String: JSONValue] = [:]
    ) {
        self.amount = amount
        self.reference = reference
        self.expiresAt = expiresAt
        self.recurrence = recurrence
        self.identifiers = identifiers
        self.metadata = metadata
    }

    init(_ json: JSONValue) throws(WireDefect) {
        var object = try ClosedObject(json)
        amount = try PrivateLinkAmount(object.value("amount"))
        reference = try object.reference()
        expiresAt = try object.nullableTime("proposal_expires_at")
        recurrence = try object.nullable("recurrence").map { value throws(WireDefect) in
            try PrivateLinkRecurrence(value)
        }
        guard let list = try object.value("accepted_payment_endpoint_identifiers").array, !list.isEmpty else {
            throw WireDefect("a request accepts no way to pay")
        }
        var identifiers: [PaykitIdentifier] = []
        for entry in list {
            guard let identifier = entry.string.flatMap({ PaykitIdentifier($0) }) else {
                throw WireDefect("a request accepts what is no way to pay")
            }
            identifiers.append(identifier)
        }
        self.identifiers = identifiers
        if let value = try object.optional("metadata") {
            guard let members = value.object else { throw WireDefect("the member 'metadata' is no object") }
            metadata = members
        } else {
            metadata = [:]
        }
        try object.end()
    }

    var json: OrderedJSON {
        .object([
            ("amount", amount.json), ("payment_reference", .string(reference)),
            ("proposal_expires_at", expiresAt.map { .string($0.text) } ?? .null),
            ("recurrence", recurrence?.json ?? .null),
            ("accepted_payment_endpoint_identifiers", .array(identifiers.map { .string($0.text) })),
            ("metadata", .value(.object(metadata))),
        ])
    }
}
