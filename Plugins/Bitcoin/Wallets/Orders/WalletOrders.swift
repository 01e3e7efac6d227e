public import PaymentCore
import PaymentRouting
import PaymentStore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The orders of an application's wallets: which name asked for which payment, and the state of each.
///
/// They are records of a ``/PaymentCore/RecordStore``: in one SQLite file, shared safely by any number of tasks and
/// processes of one machine, or in a database that several machines share. A change is on the disk when its call returns.
/// The records hold invoices and preimages, and no key. Errors are ``/PaymentRouting/JournalError`` or
/// ``/PaymentCore/RecordError``; orders that cannot be read are an error, too.
///
/// - Warning: Never delete the orders, or replace them by an older copy, while a payment is open: they keep an invoice
///   from being requested twice.
public struct WalletOrders: Sendable {
    /// The time for which a sender counts as alive after each renewal of its lease.
    static let lease = Duration.seconds(600)
    /// The time for which a sender counts as alive if the store sees when its process ends: beyond any date.
    private static let lifelong = Duration.seconds(1 << 44)
    /// The time for which a look at a dead sender keeps others from the same.
    private static let look = Duration.seconds(30)

    private let records: any RecordStore
    private let id: String
    private let mark: OrderMark?
    private let lease: Duration?
    private let clock: any PaymentClock
    private let random: any RandomSource = SystemRandomSource()

    /// The permanent name of these orders, drawn when they were made.
    var name: String { "orders-" + id }

    /// Opens the orders in the SQLite file at `path` and checks its soundness.
    ///
    /// The sender of an order counts as alive for as long as its process lives. A file that is older than the last order
    /// that was ever begun at this place gets another permanent name. The file `path-mark` shows it.
    ///
    /// - Parameters:
    ///   - path: the location of the file; its folder has to exist.
    ///   - creating: true to create a file that does not exist.
    /// - Throws: ``/PaymentRouting/JournalError``; the file is as it was then.
    public init(path: String, creating: Bool = true) async throws {
        try await self.init(
            SQLiteRecords(path: path, creating: creating), mark: OrderMark(path: path + "-mark"), lease: nil)
    }

    /// Opens the orders in any store, such as `PostgresRecords`, which several machines share.
    ///
    /// No machine sees whether another's process lives. The sender of an order counts as alive for ten minutes by the
    /// store's clock, and renews this while its request is out. One that cannot renew it closes its request's connection
    /// before that time, and one that finds half of it over before its request sends nothing. If a machine died, others
    /// ask the wallet at once for the outcome of the payment, and end its request after that time. Only a process that is
    /// stopped for minutes in the moment between that look and its request could send it later.
    ///
    /// The times in orders are the callers'. A wrong clock of one machine can let a request leave within 15 seconds of
    /// another one without an answer, at a wallet that takes turns. In a store whose leases end by the callers' clocks, one
    /// that is minutes ahead can also let a living sender's request count as over. Neither ends an order: the wallet is
    /// asked for its outcome.
    ///
    /// A store that is put back from a backup keeps the name of its orders: end what was in progress before any new
    /// payment.
    ///
    /// - Throws: the store's failure, ``/PaymentRouting/JournalError`` in the stores of this package.
    public init(_ store: any RecordStore) async throws { try await self.init(store, lease: Self.lease) }

    /// - Parameters:
    ///   - mark: the mark by which an older copy is noticed; nil if nothing notices one.
    ///   - lease: the time for which a sender counts as alive after each renewal; nil if it needs none, because the store
    ///     sees whether its process lives.
    ///   - clock: the clock of this machine's senders.
    init(
        _ records: any RecordStore, mark: OrderMark? = nil, lease: Duration?,
        clock: any PaymentClock = SystemPaymentClock()
    ) async throws {
        (self.records, self.mark, self.lease, self.clock) = (records, mark, lease, clock)
        let known = try await records.record(OrderMemory.key).map(OrderMemory.init)
        let marked = try known.flatMap { known in try mark?.count(of: known.id) } ?? 0
        let new = random.hex(32)
        id = try await records.change([.record(OrderMemory.key)]) { found in
            var memory = try found[0].first.map(OrderMemory.init) ?? OrderMemory(id: new, count: 0)
            if let known, known.id == memory.id {
                guard memory.count < marked else { return RecordChange(memory.id) }
                // Names were registered with the former id. They may have been requested since.
                memory.id = new
            } else if memory.id != new {
                return RecordChange(memory.id)
            }
            return RecordChange([.put(OrderMemory.key, try memory.bytes())], memory.id)
        }
    }

    /// Returns the order of a name; nil when there is none.
    ///
    /// - Parameters:
    ///   - name: ``/PaymentCore/Settlement/key``.
    ///   - now: the time by the caller's clock.
    /// - Throws: ``/PaymentRouting/JournalError`` or ``/PaymentCore/RecordError``.
    public func order(named name: String, at now: Date) async throws -> WalletOrder? {
        guard let stored = try await stored(name) else { return nil }
        return try await living(stored, at: now)
    }
}

/// An order at a wallet: the name of a requested payment, the payment, and its outcome.
public struct WalletOrder: Sendable, Hashable {
    /// The knowledge about an order.
    @nonexhaustive
    public enum State: Sendable, Hashable {
        /// A living process is sending the request.
        case sending
        /// The request's connection has ended at this time, without an answer that ends the order. True if the request
        /// itself is over, and the wallet's records say what it started. The height is that of the wallet's chain when
        /// the order was first looked at after that, if it matters; no clock ends the order.
        case asked(since: Date, isDealtWith: Bool, height: UInt64?)
        /// Paid, with the preimage, which fits the payment hash, the transaction on the chain, or without a proof; and
        /// the fee in thousandths of a satoshi, if known.
        case paid(SettlementProof, fee: UInt64?)
        /// Nothing was sent under this name. True if its request had left: then the wallet is asked again whenever the
        /// order is. If it has paid after all, the order becomes paid.
        case refused(reason: String, wasRequested: Bool)
    }

    /// The name: ``/PaymentCore/Settlement/key``.
    public let name: String
    /// The wallet: ``WalletAccount/id``. Nil if the order was refused before a wallet was asked.
    public let wallet: String?
    /// The payment that was requested.
    @nonexhaustive
    public enum Payment: Sendable, Hashable {
        /// That of an invoice.
        case invoice(WalletInvoice)
        /// A transaction on the chain.
        case transaction(ChainTransaction)

        /// The one name that the wallet knows it by: the payment hash, or the transaction's id.
        var id: String {
            switch self {
            case .invoice(let invoice): invoice.paymentHash
            case .transaction(let transaction): transaction.id
            }
        }
    }

    /// The payment; nil for a name that was abandoned before there was one.
    public let payment: Payment?
    /// The time of its placement.
    public let placedAt: Date
    /// The knowledge about it.
    public let state: State
    /// The message of the payee's service for after the payment, unchanged; nil if there is none.
    let message: ServiceMessage?

    /// The message of the payee's service, once the payment is made.
    public var successAction: SuccessAction? {
        guard case .paid(let proof, _) = state, let message, let body = try? JSONValue(parsing: message.text) else {
            return nil
        }
        var preimage = ""
        if case .preimage(let text) = proof { preimage = text }
        return SuccessAction(body, from: message.host, preimage: preimage)
    }

    init(
        name: String, wallet: String? = nil, payment: Payment? = nil, placedAt: Date, state: State,
        message: ServiceMessage? = nil
    ) {
        self.message = message
        self.name = name
        self.wallet = wallet
        self.payment = payment
        self.placedAt = placedAt
        self.state = state
    }

    /// Returns it in another state.
    func with(_ state: State) -> WalletOrder {
        WalletOrder(
            name: name, wallet: wallet, payment: payment, placedAt: placedAt, state: state, message: message)
    }
}

/// A message that a payee's service has for a payer who has paid.
struct ServiceMessage: Sendable, Hashable {
    /// The host that made the invoice.
    let host: String
    /// The message as it was sent, in JSON.
    let text: String
}

// MARK: - Rules

/// The answer to the wish to begin an order.
enum OrderClaim: Sendable {
    /// The caller has it, and sends its request, once.
    case begun(OrderRequest)
    /// There is one of this name, or an open or paid one for this payment's id.
    case known(WalletOrder)
    /// Another order's request may still be carried out at this wallet.
    case busy
}

/// The rules of orders. All changes are atomic, whichever process makes them. Of all orders for one payment's id, one at
/// most is not refused.
///
/// An order is ``WalletOrder/State/sending`` while its sender counts as alive. When it is found dead, the request is over
/// from then on.
extension WalletOrders {
    // MARK: Names

    /// Notes a name, unless it is known.
    func register(_ name: String) async throws {
        let (key, value) = (Self.registration(name), Array(id.utf8))
        try await records.change([.record(key)]) { found in
            RecordChange(found[0].first?.value == value ? [] : [.put(key, value)], ())
        }
    }

    /// Returns true if a name was noted under the present id of the orders.
    func isRegistered(_ name: String) async throws -> Bool {
        try await records.record(Self.registration(name))?.value == Array(id.utf8)
    }

    private static func registration(_ name: String) -> RecordKey {
        RecordKey("wallet name", room: StoredOrder.digest(name))
    }

    // MARK: Reading

    private func stored(_ name: String) async throws -> StoredOrder? {
        try await records.record(StoredOrder.key(name)).map(StoredOrder.init)
    }

    /// Returns the order that is not refused for a payment's id; nil when there is none.
    func order(for id: String, at now: Date) async throws -> WalletOrder? {
        guard let stored = try await last(StoredOrder.open, of: id) else { return nil }
        return try await living(stored, at: now)
    }

    /// Returns the last order for a payment's id that was refused after its request had left; nil when there is none.
    func requested(for id: String) async throws -> WalletOrder? {
        try await last(StoredOrder.requested, of: id)?.order
    }

    private func last(_ mark: String, of payment: String) async throws -> StoredOrder? {
        let query = RecordQuery(
            StoredOrder.key("").room.kind, by: mark, of: StoredOrder.mark(payment), isReversed: true, limit: 1)
        return try await records.records(query).first.map(StoredOrder.init)
    }

    /// Returns an order. If its sender is gone, its request is over: its connection has ended with it.
    private func living(_ stored: StoredOrder, at now: Date) async throws -> WalletOrder? {
        guard case .sending = stored.order.state else { return stored.order }
        guard let sender = stored.sender else { throw JournalError.damagedOrders("an order has no sender") }
        let lease = OrderRequest.lease(of: sender, holder: random.hex(32), duration: Self.look)
        guard try await records.acquire(lease, at: now) else { return stored.order }
        return try await releasing(lease) {
            try await change(stored) { stored, _ in stored.ended(by: sender, isDealtWith: false, at: now) }
        }
    }

    /// Does something, and releases a lease after it. One that cannot be released ends by itself.
    private func releasing<Result>(_ lease: RecordLease, _ action: () async throws -> Result) async throws -> Result {
        let result: Result
        do { result = try await action() } catch {
            try? await records.release(lease)
            throw error
        }
        try? await records.release(lease)
        return result
    }

    // MARK: Beginning

    private enum Beginning: Sendable {
        /// The memory is nil if no mark is kept.
        case begun(OrderMemory?)
        case known(name: String)
        case busy
    }

    /// Stores an order, unless there is one of its name, or one that is not refused for its payment.
    ///
    /// - Parameter alone: true if it has to wait while another one at its wallet is sent, or was sent in the last 15
    ///   seconds without an answer.
    func begin(_ order: WalletOrder, alone: Bool) async throws -> OrderClaim {
        let now = order.placedAt
        var refused: String?
        while true {
            switch try await beginning(order, alone: alone) {
            case (.begun, let request?): return .begun(request)
            case (.known(let name), _):
                guard let known = try await self.order(named: name, at: now) else {
                    throw JournalError.damagedOrders("the order of a payment is gone")
                }
                guard case .refused = known.state, !name.isExactly(order.name) else { return .known(known) }
                // It was refused after the look at its claim. An order that was refused claims its payment no more.
                guard refused.map({ !$0.isExactly(name) }) ?? true else {
                    throw JournalError.damagedOrders("a refused order has a payment")
                }
                refused = name
            default: return .busy
            }
        }
    }

    private func beginning(
        _ order: WalletOrder, alone: Bool
    ) async throws -> (Beginning, OrderRequest?) {
        let (sender, now, key) = (random.hex(32), order.placedAt, StoredOrder.key(order.name))
        let stored = StoredOrder(order: order, sender: sender)
        if alone {
            // Each look ends the request of a sender that is gone.
            for turn in try await records.records([.room(stored.turn.room)])[0].map(OrderTurn.init)
            where turn.asked == nil { _ = try await self.order(named: turn.name, at: now) }
        }
        var ranges = [key, stored.claim, stored.turn].map(RecordRange.record)
        if alone { ranges[2] = .room(stored.turn.room) }
        // Without a mark, nothing keeps orders of different payments and wallets from beginning at once.
        if mark != nil { ranges.append(.record(OrderMemory.key)) }
        let decide: @Sendable ([[StoredRecord]]) throws -> RecordChange<Beginning> = { found in
            let memory = try found.count > 3 ? OrderMemory.read(found[3]) : nil
            if let known = try found[0].first.map(StoredOrder.init) {
                // Stored by this call, whose answer was lost, and taken for dead by no other.
                let isOwn = known.sender == sender && known.order.state == .sending
                return RecordChange(isOwn ? .begun(memory) : .known(name: order.name))
            }
            if let holder = found[1].first { return RecordChange(.known(name: try Self.name(holder))) }
            if alone, try found[2].map(OrderTurn.init).contains(where: { $0.isBusy(at: now) }) {
                return RecordChange(.busy)
            }
            let writes = try stored.writes(claimedBy: nil)
            guard var memory else { return RecordChange(writes, .begun(nil)) }
            memory.count += 1
            return RecordChange(writes + [.put(OrderMemory.key, try memory.bytes())], .begun(memory))
        }
        // The lease comes before the order, so a look is made first whether there is anything to begin.
        let look = try decide(await records.records(ranges)).answer
        guard case .begun = look else { return (look, nil) }
        let request = OrderRequest(
            order.name,
            lease: OrderRequest.lease(of: sender, holder: sender, duration: lease ?? Self.lifelong),
            clock: lease.map { _ in clock })
        // No other caller knows the room of this lease yet.
        guard try await records.acquire(request.lease, at: now) else { throw RecordError.leaseLost(request.lease.room) }
        do {
            let answer = try await records.change(ranges, decide)
            if case .begun(let memory) = answer {
                // Written before the request leaves: a copy without this order is older than the mark.
                if let memory { try mark?.write(memory.id, count: memory.count) }
                return (answer, request)
            }
            try? await records.release(request.lease)
            return (answer, nil)
        } catch {
            // If the order was stored, its request is over, and was never sent.
            try? await change(order.name) { stored, _ in
                stored.ended(by: sender, isDealtWith: true, at: now)
                    .map { _ in .refused(reason: "its request never left", wasRequested: true) }
            }
            try? await records.release(request.lease)
            throw error
        }
    }

    private static func name(_ claim: StoredRecord) throws(JournalError) -> String {
        guard let name = String(validating: claim.value, as: UTF8.self) else {
            throw .damagedOrders("the claim of a payment cannot be read")
        }
        return name
    }

    /// Sends the request of an order that has begun, for as long as no other process takes its sender for dead.
    func send(
        _ request: OrderRequest, _ send: @escaping @Sendable () async -> WalletAnswer
    ) async -> WalletAnswer { await request.keep(in: records, send) }

    // MARK: Changing

    /// Stores a refused order, unless there is one of its name.
    ///
    /// - Returns: the order that is now stored.
    func refuse(_ order: WalletOrder) async throws -> WalletOrder {
        let stored = StoredOrder(order: order, sender: nil)
        let key = StoredOrder.key(order.name)
        let known = try await records.change([.record(key)]) { found in
            if let known = try found[0].first.map(StoredOrder.init) { return RecordChange(known) }
            return RecordChange([try stored.put()], stored)
        }
        return try await living(known, at: order.placedAt) ?? order
    }

    /// Notes that a request is over. Does nothing if its sender was taken for dead.
    func end(_ request: OrderRequest, isDealtWith: Bool, now: Date) async throws {
        try await releasing(request.lease) {
            try await change(request.name) { stored, _ in
                stored.ended(by: request.lease.holder, isDealtWith: isDealtWith, at: now)
            }
        }
    }

    /// Notes the height of the chain with an order whose request is over, unless one is noted.
    func note(height: UInt64, for name: String) async throws {
        try await change(name) { stored, _ in stored.noted(height: height) }
    }

    /// Ends an order as paid, also one that was refused after its request had left, unless another one that is not
    /// refused is for its payment.
    func settle(_ name: String, _ proof: SettlementProof, fee: UInt64?) async throws {
        try await change(name) { stored, isClaimed in stored.paid(proof, fee: fee, isClaimed: isClaimed) }
    }

    /// Ends an order whose request is over as one that has sent nothing.
    func refuse(_ name: String, because reason: String) async throws {
        try await change(name) { stored, _ in stored.refused(because: reason) }
    }

    private func change(
        _ name: String, _ next: @escaping @Sendable (StoredOrder, _ isClaimed: Bool) -> WalletOrder.State?
    ) async throws {
        if let stored = try await stored(name) { _ = try await change(stored, next) }
    }

    /// Changes the state of an order. Its payment and its wallet never change, so its rooms are known before.
    ///
    /// - Parameter next: returns the next state, from the order and whether any order has its payment; nil to change
    ///   nothing.
    /// - Returns: the order as it is stored then.
    private func change(
        _ known: StoredOrder, _ next: @escaping @Sendable (StoredOrder, _ isClaimed: Bool) -> WalletOrder.State?
    ) async throws -> WalletOrder {
        let ranges = [StoredOrder.key(known.order.name), known.claim, known.turn].map(RecordRange.record)
        return try await records.change(ranges) { found in
            guard let record = found[0].first else { throw JournalError.damagedOrders("an order is gone") }
            var stored = try StoredOrder(record)
            let holder = try found[1].first.map(Self.name)
            guard let state = next(stored, holder != nil) else { return RecordChange(stored.order) }
            stored.order = stored.order.with(state)
            return RecordChange(try stored.writes(claimedBy: holder), stored.order)
        }
    }
}
