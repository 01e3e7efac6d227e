/// A payment that one side of a link asked the other for, with the effects of all messages about it and everything that
/// was paid for it: one stored row.
///
/// A row has a bounded size, however often the request recurs: of the periods that are over, the latest are stored
/// whole, and those before as spans of time.
package struct PrivateLinkRequest: Sendable, Hashable {
    /// A message of either side, in the order that this side saw them. Within one direction it is the order of sending.
    package struct Entry: Sendable, Hashable, Codable {
        package let isOwn: Bool
        package let text: String
    }

    package private(set) var state: RequestState
    /// True if this side asked, and is to be paid.
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

    /// Returns nil if the entry is not a request.
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

    /// Reduces the oldest periods to their time, if there are too many.
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
        // Keeps the messages that the state is made of.
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
    /// The amount in bitcoin; nil for another asset, or if it is not a positive whole number of satoshis.
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

/// The requests of a link that are not over, and the latest of the others, in the order of their arrival. Each is a
/// stored row; the link's own state holds the numbers of the rows that belong to it.
package struct PrivateLinkRequests: Sendable, Hashable, Codable {
    struct Stored: Sendable, Hashable, Codable {
        let id: String
        let number: UInt64
    }

    enum Effect {
        case taken
        case ignored
        case full
    }

    package private(set) var rows: [PrivateLinkRequest] = []
    /// The rows that were dropped to make room since the state was read.
    private(set) var dropped: [PrivateLinkRequest] = []
    var stored: [Stored] = []

    private enum CodingKeys: String, CodingKey { case stored }

    /// The most requests of a link. A new one takes the place of the oldest that is over, or else of the oldest that
    /// waits for this side's answer.
    package static let most = 256

    package init() {}

    package subscript(id: String) -> PrivateLinkRequest? {
        get { rows.first { $0.id == id } }
        set {
            guard let newValue, let place = rows.firstIndex(where: { $0.id == id }) else { return }
            rows[place] = newValue
        }
    }

    mutating func take(_ message: PrivateLinkMessage, _ entry: PrivateLinkRequest.Entry) -> Effect {
        guard let id = message.requestID else { return .ignored }
        // What was dropped since the state was read is not stored yet.
        if self[id] == nil, let place = dropped.firstIndex(where: { $0.id == id }) {
            let row = dropped.remove(at: place)
            if !add(row) { dropped.append(row) }
        }
        if case .request = message {
            // The first counts: a second one of the same id has no effect, even with the same terms.
            guard self[id] == nil, let request = PrivateLinkRequest(entry) else { return .ignored }
            return add(request) ? .taken : .full
        }
        return self[id]?.take(message, entry) == true ? .taken : .ignored
    }

    /// Adds a row. Returns false if there is no room.
    mutating func add(_ request: PrivateLinkRequest) -> Bool {
        if rows.count >= Self.most {
            let place =
                rows.firstIndex { $0.isOver }
                ?? rows.firstIndex { !$0.isOwn && $0.state.phase == .proposed && $0.payments.isEmpty }
            guard let place else { return false }
            dropped.append(rows.remove(at: place))
        }
        rows.append(request)
        return true
    }

    mutating func fill(_ rows: [PrivateLinkRequest]) { self.rows = rows }

    mutating func settle(_ stored: [Stored]) { (self.stored, dropped) = (stored, []) }
}

/// A payment of a request, or of one period if it recurs.
package struct PrivateLinkPayment: Sendable, Hashable, Codable {
    package enum Stage: String, Sendable, Codable {
        /// The settler was asked, or is about to be: money may have moved.
        case paying
        case paid
        /// No money has moved: it may be tried again.
        case failed
    }

    package var stage: Stage
    package let identifier: String
    package let endpoint: String
    /// The amount, in satoshis: a peer may ask for another one under the same id, once its first request is forgotten.
    package let satoshis: String
    /// The list that the endpoint is from; nil if that was lost.
    package let list: Int?
    package var proof: String?
    /// The number of earlier attempts that sent nothing.
    package var number = 0
    /// True once the payer's settler is being asked to pay it: from then on only the settler's status counts.
    package var isHandedOver = false

    /// Throws if a request of the same name asks for another amount than was paid: it is another request.
    func require(_ amount: Money) throws(PaykitNetworkError) {
        guard "\(amount.minorUnits)" != satoshis else { return }
        throw PaykitNetworkError(
            .paymentRejected,
            "the payee has asked for another amount under this name before, and that is paid or being paid: have them ask "
                + "under a new one")
    }

    var reportedProof: PaykitProof? {
        guard stage == .paid, let proof, let json = try? JSONValue(parsing: proof) else { return nil }
        return PaykitProof(json)
    }
}

extension PrivateLinkRequest {
    /// Throws if a period was paid, or may have been, so long ago that its payment is not stored any more.
    func requireUnpaid(_ period: BillingPeriod?) throws(PaykitNetworkError) {
        switch past[period] {
        case nil: return
        case .paid?:
            throw PaykitNetworkError(
                .paymentRejected, "the period was paid, and its proof is not stored any more: look into the wallet")
        case .unknown?:
            throw PaykitNetworkError(
                .paymentRejected,
                "the period is so long ago that nothing is stored of it any more: look into the wallet before paying it"
            )
        }
    }
}

/// A receipt that this side issues: its random values are drawn once, so that each repetition is the same.
package struct IssuedReceipt: Sendable, Hashable, Codable {
    package let id: String
    package let eventID: String
    /// Base64url.
    package let key: String
    /// Base64url.
    package let nonce: String
    package let text: String
    /// True if its file was written, and the message to the peer is queued.
    package var isAnnounced = false
}
