/// The interval at which a request over a private link is to be paid (Protocol 12.5).
public struct PaykitRecurrence: Sendable, Hashable {
    /// A unit of the interval.
    public typealias Unit = PaykitRecurrenceUnit

    /// The number of units from one payment to the next.
    public let every: UInt32
    /// The unit.
    public let unit: Unit
    /// The start of the first period, in whole seconds.
    public let start: Date
    /// The time from which no period begins; nil for no end.
    public let end: Date?

    /// Creates an interval. ``PaykitPrivateLink/ask(for:reference:methods:at:recurring:until:metadata:)`` checks it.
    public init(every: UInt32, _ unit: Unit, from start: Date, until end: Date? = nil) {
        self.every = every
        self.unit = unit
        self.start = start
        self.end = end
    }

    fileprivate var wire: PrivateLinkRecurrence {
        get throws {
            let made = try PrivateLinkRecurrence(
                every: every, unit, start: start.linkTime, anchor: start.linkTime, end: end?.linkTime)
            // What this side could not count, it could not receipt.
            _ = try made.schedule()
            return made
        }
    }
}

extension Date {
    fileprivate var linkTime: PrivateLinkTime { PrivateLinkTime(seconds: Int64(timeIntervalSince1970.rounded(.down))) }
}

/// The payee's side.
extension PaykitPrivateLink {
    /// Asks for a payment. Its terms cannot be changed; other terms are another request.
    ///
    /// - Parameters:
    ///   - amount: the amount in bitcoin, of each period where it recurs.
    ///   - reference: the purpose: 1 to 256 characters. Only the peer can read it. After a crash, look for a request
    ///     with this reference before asking again.
    ///   - methods: the accepted methods: identifiers such as `btc-lightning-bolt11`.
    ///   - endpoints: endpoints for this peer alone, made for this payment; nil to use the published ones. For each
    ///     later period others are sent by ``offer(_:)``.
    ///   - recurrence: the interval of the payments; nil for one payment.
    ///   - deadline: the time until which the request can be accepted, by the payer's clock; nil for no end.
    ///   - metadata: further data for the peer.
    /// - Returns: the request's id.
    /// - Throws: ``PaykitError``.
    @discardableResult
    public func ask(
        for amount: Money, reference: String, methods: [String], at endpoints: [PaykitEndpoint]? = nil,
        recurring recurrence: PaykitRecurrence? = nil, until deadline: Date? = nil, metadata: [String: JSONValue] = [:]
    ) async throws -> String {
        let terms: PaymentTerms
        do {
            let identifiers = methods.compactMap { PaykitIdentifier($0) }
            guard amount.currency == .satoshi, !identifiers.isEmpty, identifiers.count == methods.count else {
                throw PaykitNetworkError(
                    .validationFailed, "a request is for bitcoin, in ways named as 'btc-lightning-bolt11' is")
            }
            terms = PaymentTerms(
                try PrivateLinkAmount(amount.decimalText, "btc"), reference: reference, expiresAt: deadline?.linkTime,
                recurrence: try recurrence?.wire, identifiers: identifiers, metadata: metadata)
        } catch let failure as PaykitNetworkError { throw PaykitError(failure) } catch {
            throw PaykitError(PaykitNetworkError(.validationFailed, "\(error)"))
        }
        return try await use { flow, party, _ in try await flow.ask(for: terms, at: endpoints, party) }
    }

    /// Sends the peer the endpoints that they alone are to pay from now on.
    ///
    /// - Throws: ``PaykitError``.
    public func offer(_ endpoints: [PaykitEndpoint]) async throws {
        try await use { flow, party, _ in try await flow.offer(endpoints, party) }
    }

    /// Returns the payer's proof of payment of a request of this side; nil before. Only the wallet knows whether the
    /// payment has arrived. `id` is the request. `period` is one of its periods; nil for a request for one payment. Of
    /// a request that recurs the latest proofs are stored.
    ///
    /// - Throws: ``PaykitError``.
    public func proof(of id: String, period: RecurringPeriod? = nil) async throws -> PaykitProof? {
        let period = period.flatMap { BillingPeriod($0) }
        return try await use { flow, _, _ in
            let request = try await flow.requests(with: peer, app).first { $0.id == id }
            return request?.state.proofs.first {
                PrivateLinkRequest.key(id, $0.period) == PrivateLinkRequest.key(id, period)
            }.flatMap { PaykitProof($0) }
        }
    }

    /// Issues the receipt for a payment that has arrived. A repeated call issues the same receipt. `id` is the request.
    /// `period` is the period that was paid; nil for a request for one payment.
    ///
    /// - Throws: ``PaykitError``.
    public func issueReceipt(for id: String, period: RecurringPeriod? = nil) async throws {
        try await use { flow, party, session in
            _ = try await flow.issueReceipt(for: id, period: period.flatMap { BillingPeriod($0) }, party, session)
        }
    }

    /// Returns the ids of the receipts for a request that both sides have, or will have: the payee's statements.
    ///
    /// - Throws: ``PaykitError``.
    public func receipts(for id: String) async throws -> [String] {
        try await use { flow, party, _ in try await flow.receipts(for: id, party).map(\.id) }
    }
}
