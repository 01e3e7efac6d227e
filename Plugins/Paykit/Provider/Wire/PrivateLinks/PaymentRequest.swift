import PaymentCrypto

/// The terms of a requested payment. They never change: other terms are another request.
package struct PaymentTerms: Sendable, Hashable {
    package let amount: PrivateLinkAmount
    package let reference: String
    /// The end of the time to accept it, by the payer's clock.
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

package struct PrivateLinkRecurrence: Sendable, Hashable {
    package typealias Unit = PaykitRecurrenceUnit

    package let every: UInt32
    package let unit: Unit
    package let start: PrivateLinkTime
    /// The moment that periods are counted from.
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

/// A unit of the interval of a recurring request, in UTC. In a month without the day, its last day counts.
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

/// A moment in messages of private links: RFC 3339, ending in `Z`. Its text is sent back unchanged.
package struct PrivateLinkTime: Sendable, Hashable {
    private let time: RFC3339

    package var text: String { time.text }
    // Computed: Swift 6.3.1 breaks the stack if 128 bits are passed on it to an asynchronous function (`.ci/canary`).
    /// Nanoseconds since 1970, so that two spellings of a moment compare.
    package var nanoseconds: Int128 { Int128(time.seconds) * 1_000_000_000 + Int128(time.nanoseconds) }
    /// Whole seconds since 1970.
    package var seconds: Int64 { time.seconds }

    package var isWhole: Bool { time.nanoseconds == 0 }

    package init?(_ text: String) {
        guard let time = RFC3339(text) else { return nil }
        self.time = time
    }

    package init(seconds: Int64) { time = RFC3339(seconds: seconds) }
}

extension PrivateLinkTime: Comparable {
    package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
}

/// The period of one payment of several. It is the payment's name.
package struct BillingPeriod: Sendable, Hashable {
    package let start: PrivateLinkTime
    package let end: PrivateLinkTime

    package init(start: PrivateLinkTime, end: PrivateLinkTime) throws(WireDefect) {
        guard start < end else { throw WireDefect("a period ends before it begins") }
        self.start = start
        self.end = end
    }

    init(_ json: JSONValue) throws(WireDefect) {
        var object = try ClosedObject(json)
        let (start, end) = (try object.time("starts_at"), try object.time("ends_at"))
        try object.end()
        try self.init(start: start, end: end)
    }

    var json: OrderedJSON { .object([("starts_at", .string(start.text)), ("ends_at", .string(end.text))]) }

    /// Returns true if it is the same period, in whatever spelling.
    package func isSame(as other: BillingPeriod) -> Bool {
        start.nanoseconds == other.start.nanoseconds && end.nanoseconds == other.end.nanoseconds
    }
}

extension ClosedObject {
    mutating func time(_ name: String) throws(WireDefect) -> PrivateLinkTime {
        guard let time = PrivateLinkTime(try text(name)) else { throw WireDefect("the member '\(name)' is no time") }
        return time
    }

    mutating func nullableTime(_ name: String) throws(WireDefect) -> PrivateLinkTime? {
        guard let value = try nullable(name) else { return nil }
        guard let time = value.string.flatMap(PrivateLinkTime.init) else {
            throw WireDefect("the member '\(name)' is no time")
        }
        return time
    }
}

/// The state of a payment request, by the events of both directions of a link (Protocol 12.6). The order of events
/// between the two directions is not known.
package struct RequestState: Sendable, Hashable {
    package typealias Phase = PaykitRequestPhase

    package enum Side: Sendable {
        case payer
        case payee
    }

    package let request: PrivateLinkMessage.PaymentRequest
    package private(set) var phase = Phase.proposed
    package private(set) var isAccepted = false
    /// The sides that cancelled; empty before.
    package private(set) var cancelledBy: Set<Side> = []
    package private(set) var proofs: [PrivateLinkMessage.PaymentProof] = []

    package init(_ request: PrivateLinkMessage.PaymentRequest) { self.request = request }

    /// Returns true if it can no longer be accepted at `now`, by the payer's clock. No event reports it.
    package func isExpired(at now: PrivateLinkTime) -> Bool {
        guard phase == .proposed, let end = request.terms.expiresAt else { return false }
        return now > end
    }

    /// Processes an event of one side, in its order. Returns true if it counts; other events change nothing.
    package mutating func take(_ message: PrivateLinkMessage, from side: Side) -> Bool {
        switch message {
        case .acceptance(let head): return head.requestID == request.head.requestID && side == .payer && accept()
        case .rejection(let head, _):
            guard head.requestID == request.head.requestID, side == .payer, phase == .proposed else { return false }
            phase = .rejected
            return true
        case .cancellation(let head, _):
            guard head.requestID == request.head.requestID, phase != .rejected,
                cancelledBy.insert(side).inserted
            else { return false }
            phase = .cancelled
            return true
        case .proof(let proof):
            guard side == .payer, isAccepted, proof.mismatch(with: request) == nil, phase != .rejected,
                !proofs.contains(where: { isSamePayment($0, proof) })
            else { return false }
            proofs.append(proof)
            if phase == .accepted { phase = .proven }
            return true
        default: return false
        }
    }

    /// Removes the proof of a period's payment. The request stays as it is.
    mutating func forget(_ period: BillingPeriod) {
        proofs.removeAll { $0.period.map { $0.isSame(as: period) } ?? false }
    }

    private mutating func accept() -> Bool {
        // It may cross the payee's cancellation. After the payer's own it has no effect.
        guard !isAccepted, phase == .proposed || phase == .cancelled && !cancelledBy.contains(.payer) else {
            return false
        }
        isAccepted = true
        if phase == .proposed { phase = request.terms.recurrence == nil ? .accepted : .active }
        return true
    }

    private func isSamePayment(_ first: PrivateLinkMessage.PaymentProof, _ second: PrivateLinkMessage.PaymentProof)
        -> Bool
    {
        switch (first.period, second.period) {
        case (nil, nil): true
        case (let first?, let second?): first.isSame(as: second)
        default: false
        }
    }
}

/// The phase of a request for a payment over a private link.
@nonexhaustive
public enum PaykitRequestPhase: String, Sendable, Hashable {
    /// The payer has not answered.
    case proposed
    /// It may be paid.
    case accepted
    /// It may be paid repeatedly.
    case active
    /// The payer has rejected it.
    case rejected
    /// Either side has cancelled it.
    case cancelled
    /// It is paid, by the payer's claim.
    case proven
}
