/// A payment that one side of a link asked the other for, with the effects of all messages about it and everything that
/// was paid for it: one stored row.
///
/// A row has a bounded size, however often the request recurs: of the periods that are over, the latest are stored
/// whole, and those before as spans of time.
package struct PrivateLinkRequest: Sendable, Hashable {
    /// A message of either side, in the order in which this side saw them: within one direction, the order of sending.
    package struct Entry: Sendable, Hashable, Codable {
        package let isOwn: Bool
        package let text: String
    }

    package private(set) var state: RequestState
    /// True if this side asked, and so is to be paid.
    package let isOwn: Bool
    package private(set) var accesses: [ReceiptAccess] = []
    /// The messages that had an effect and are not folded into ``past``: the request comes first.
    package private(set) var log: [Entry]
    private var messages: [PrivateLinkMessage]
    /// The ids of the peer's messages among them.
    private(set) var heard: Set<String> = []

    /// The payments, by period (``key(_:_:)``).
    package internal(set) var payments: [String: PrivateLinkPayment] = [:]
    /// The receipts that this side has issued, by the same keys.
    package internal(set) var issued: [String: IssuedReceipt] = [:]
    /// The peer's opened receipts by id, as texts.
    package internal(set) var receipts: [String: String] = [:]
    /// The ids of announced receipts that are invalid.
    package internal(set) var spoilt: Set<String> = []
    /// True if it had ended when the peer's key changed: it is not repeated to the new one.
    package internal(set) var isUnrepeated = false
    package private(set) var past = PastPeriods()

    /// The most periods that are stored whole, besides those that are being paid.
    package static let mostPeriods = 32
    /// The most receipts that are announced for one payment: a valid one may follow invalid ones.
    private static let mostAccesses = 4

    package var id: String { state.request.head.requestID }
    package var terms: PaymentTerms { state.request.terms }

    /// Returns nil where the entry is no request.
    package init?(_ entry: Entry) {
        guard let message = MessageIntake.known(entry.text), case .request(let request) = message else { return nil }
        state = RequestState(request)
        isOwn = entry.isOwn
        (log, messages) = ([entry], [message])
        if !isOwn { heard = [request.head.eventID] }
    }

    package static func key(_ id: String, _ period: BillingPeriod?) -> String {
        // By the moment, because a peer may write it in another form.
        id + (period.map { "/\($0.start.nanoseconds)" } ?? "")
    }

    /// Returns the id in a key: ids have no slashes.
    static func id(inKey key: String) -> String { String(key.prefix { $0 != "/" }) }

    /// Returns the start of the period in a key, in nanoseconds since 1970.
    private static func time(inKey key: String) -> Int128 { Int128(key.dropFirst(id(inKey: key).count + 1)) ?? 0 }

    private func key(_ period: BillingPeriod?) -> String { Self.key(id, period) }

    /// Processes a message of either side. Returns true if it has an effect; other messages are not stored.
    @discardableResult
    package mutating func take(_ message: PrivateLinkMessage, _ entry: Entry) -> Bool {
        guard apply(message, entry) else { return false }
        log.append(entry)
        messages.append(message)
        fold()
        return true
    }

    private mutating func apply(_ message: PrivateLinkMessage, _ entry: Entry) -> Bool {
        let isPayee = entry.isOwn == isOwn
        switch message {
        case .receiptAccess(let access):
            // Only the payee can announce a receipt; the same receipt twice counts once.
            guard isPayee, !accesses.contains(where: { $0.receiptID == access.receiptID }),
                accesses(for: access.period).count < Self.mostAccesses, past[access.period] == nil
            else { return false }
            accesses.append(access)
        case .proof(let proof):
            guard past[proof.period] == nil, state.take(message, from: isPayee ? .payee : .payer) else { return false }
        default: guard state.take(message, from: isPayee ? .payee : .payer) else { return false }
        }
        if !entry.isOwn, let id = message.eventID { heard.insert(id) }
        return true
    }

    package func accesses(for period: BillingPeriod?) -> [ReceiptAccess] {
        accesses.filter { key($0.period) == key(period) }
    }

    mutating func setPayment(_ payment: PrivateLinkPayment?, _ key: String) {
        payments[key] = payment
        fold()
    }

    /// True if nothing will be paid for it any more.
    var isOver: Bool {
        [.rejected, .cancelled, .proven].contains(state.phase) && !payments.values.contains { $0.stage == .paying }
    }

    /// True if money was moved, received or asked of a wallet for it: its row is never deleted.
    var hasMoney: Bool { !payments.isEmpty || !issued.isEmpty || !state.proofs.isEmpty || !past.isEmpty }

    // MARK: Folding

    /// Reduces the oldest periods to their time, where there are too many.
    private mutating func fold() {
        guard terms.recurrence != nil else { return }
        let failed = payments.filter { $0.value.stage == .failed }.keys.sorted {
            Self.time(inKey: $0) < Self.time(inKey: $1)
        }
        for key in failed.dropLast(Self.mostPeriods) { payments[key] = nil }
        var periods: [String: BillingPeriod] = [:]
        for period in state.proofs.compactMap(\.period) + accesses.compactMap(\.period) {
            periods[key(period)] = period
        }
        guard periods.count > Self.mostPeriods else { return }
        let proven = Set(state.proofs.compactMap { $0.period.map { key($0) } })
        // What a payee only announces drops out before what was paid.
        let ordered = periods.filter { payments[$0.key]?.stage != .paying }.sorted {
            let isLess = (proven.contains($0.key), proven.contains($1.key))
            return isLess.0 == isLess.1 ? $0.value.start < $1.value.start : isLess.1
        }
        for (key, period) in ordered.prefix(periods.count - Self.mostPeriods) {
            if proven.contains(key) { past.insert(period) }
            for access in accesses where self.key(access.period) == key {
                receipts[access.receiptID] = nil
                spoilt.remove(access.receiptID)
            }
            accesses = accesses.filter { self.key($0.period) != key }
            (payments[key], issued[key]) = (nil, nil)
            state.forget(period)
        }
        // What remains is what the state was made of.
        let kept = zip(log, messages).filter { _, message in
            switch message {
            case .proof(let proof): state.proofs.contains { $0.head == proof.head }
            case .receiptAccess(let access): accesses.contains { $0.receiptID == access.receiptID }
            default: true
            }
        }
        (log, messages) = (kept.map(\.0), kept.map(\.1))
        heard = Set(kept.filter { !$0.0.isOwn }.compactMap(\.1.eventID))
    }
}

extension PrivateLinkRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case log, payments, issued, receipts, spoilt, isUnrepeated, past
    }

    package init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: CodingKeys.self)
        let log = try row.decode([Entry].self, forKey: .log)
        guard let first = log.first, let request = Self(first) else {
            throw DecodingError.dataCorruptedError(forKey: .log, in: row, debugDescription: "no request")
        }
        self = request
        for entry in log.dropFirst() {
            guard let message = MessageIntake.known(entry.text), apply(message, entry) else {
                throw DecodingError.dataCorruptedError(forKey: .log, in: row, debugDescription: "no effect")
            }
            messages.append(message)
        }
        self.log = log
        payments = try row.decode([String: PrivateLinkPayment].self, forKey: .payments)
        issued = try row.decode([String: IssuedReceipt].self, forKey: .issued)
        receipts = try row.decode([String: String].self, forKey: .receipts)
        spoilt = try row.decode(Set<String>.self, forKey: .spoilt)
        isUnrepeated = try row.decode(Bool.self, forKey: .isUnrepeated)
        past = try row.decode(PastPeriods.self, forKey: .past)
    }
}

extension PrivateLinkAmount {
    /// The amount in bitcoin; nil for another asset, or where it is no positive whole number of satoshis.
    package var bitcoin: Money? {
        guard asset == "btc", let money = try? Money(decimal: plain, currency: .satoshi), money.minorUnits > 0 else {
            return nil
        }
        return money
    }

    /// The value as an ordinary decimal: only here `.5` and `10.` are amounts.
    private var plain: String {
        var text = value.hasPrefix(".") ? "0" + value : value
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }
}
