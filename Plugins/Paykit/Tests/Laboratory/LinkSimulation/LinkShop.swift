import Foundation
import PaykitProvider
import PaymentCore
import PaymentCrypto
import PaymentSecp256k1
import PaymentStandards
import Synchronization
import TestSupport

/// The simulated bank: invoices, and their payers. It never forgets and never crashes; its clients do.
final class LinkBank: Sendable {
    private struct State {
        /// Preimages by payment hash.
        var invoices: [String: String] = [:]
        /// The payments by name.
        var orders: [String: SettlementOrder] = [:]
        var registered: Set<String> = []
        /// The number of payments of each request, by its id.
        var paid: [String: Int] = [:]
        var paidInvoices: [String: Int] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// Creates an invoice without an amount.
    func invoice() -> String {
        state.withLock { state in
            state.count += 1
            func secret(_ name: String) -> [UInt8] { Digest.sha256.hash(Array("\(name) \(state.count)".utf8)) }
            let preimage = secret("preimage")
            let hash = Digest.sha256.hash(preimage)
            state.invoices[Hex.encode(hash)] = Hex.encode(preimage)
            let draft = Bolt11Draft(
                .regtest, amountMsat: nil, paymentHash: hash, paymentSecret: secret("payment"),
                purpose: .words("a request"), timestamp: 1_800_000_000, lifetime: 10 * 365 * 86_400)
            guard let text = try? draft.text(signedBy: Secp256k1PrivateKey(secret("node"))) else {
                preconditionFailure("a hash is a private key")
            }
            return text
        }
    }

    var preimages: [String] { state.withLock { Array($0.invoices.values) } }
    func isPaid(_ invoice: String) -> Bool { state.withLock { $0.paidInvoices[Self.hash(invoice)] != nil } }
    func isPaid(hash: String) -> Bool { state.withLock { $0.paidInvoices[hash] != nil } }
    func times(_ request: String) -> Int { state.withLock { $0.paid[request] ?? 0 } }
    /// Invoices that were paid more than once.
    var doubled: Int { state.withLock { $0.paidInvoices.values.count { $0 > 1 } } }
    /// The number of payments of all kinds.
    var payments: Int { state.withLock { $0.paidInvoices.values.reduce(0, +) } }

    func order(named name: String) -> SettlementOrder? {
        state.withLock { state in
            state.orders[name]
                ?? (state.registered.contains(name)
                    ? SettlementOrder(name: name, endpoint: nil, amount: nil, state: .registered) : nil)
        }
    }

    func register(_ name: String) { state.withLock { _ = $0.registered.insert(name) } }

    func order(paying endpoint: SettlementEndpoint) -> SettlementOrder? {
        state.withLock { state in
            state.orders.values.first { order in
                if case .settled = order.state { order.endpoint?.text == endpoint.text } else { false }
            }
        }
    }

    /// Pays for a request, once for each name.
    func settle(_ settlement: Settlement, for request: String) -> SettlementState {
        state.withLock { state in
            if let known = state.orders[settlement.key] { return known.state }
            let hash = Self.hash(settlement.endpoint.text)
            var result = SettlementState.nothingSent(reason: "the invoice was paid before")
            // As with real invoices, a second payment finds the invoice paid.
            if let preimage = state.invoices[hash], state.paidInvoices[hash] == nil {
                state.paid[request, default: 0] += 1
                state.paidInvoices[hash, default: 0] += 1
                result = .settled(.preimage(preimage))
            }
            state.orders[settlement.key] = SettlementOrder(
                name: settlement.key, endpoint: settlement.endpoint, amount: settlement.amount, state: result)
            return result
        }
    }

    /// Ends a name, unless something was paid under it.
    func abandon(_ name: String, _ reason: String) -> SettlementState {
        state.withLock { state in
            let known = state.orders[name]
            let order =
                known ?? SettlementOrder(name: name, endpoint: nil, amount: nil, state: .nothingSent(reason: reason))
            state.orders[name] = order
            return order.state
        }
    }

    static func hash(_ invoice: String) -> String {
        guard let link = try? PaymentLink(invoice), case .instruction(let found) = StandardsReader().read(link) else {
            return ""
        }
        return found.fields["paymentHash"]?.string ?? ""
    }
}

/// The payer's settler for a request: it may stop before and after it has paid, and not report the result.
struct SimulatedLinkSettler: PaymentSettler {
    let bank: LinkBank
    let fate: LinkFate
    let line: LinkLine
    let request: String

    /// The check of the endpoints that it pays.
    static let check = PaykitEndpointCheck(StandardsReader(), network: .regtest)

    let name = "bank"

    func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? { nil }

    func register(_ name: String) async throws {
        try stop(20)
        bank.register(name)
        try stop(20)
    }

    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool {
        kind == .bolt11 && network == "regtest"
    }

    func order(named name: String) async throws -> SettlementOrder? {
        try stop(20)
        return bank.order(named: name)
    }

    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        try stop(20)
        return bank.order(paying: endpoint)
    }

    func settle(_ settlement: Settlement) async throws -> SettlementState {
        try stop(60)
        if fate.happens(60) { return bank.abandon(settlement.key, "no route") }
        let state = bank.settle(settlement, for: request)
        try stop(100)
        return state
    }

    func abandon(_ name: String) async throws -> SettlementState {
        try stop(20)
        let state = bank.abandon(name, "abandoned")
        try stop(20)
        return state
    }

    private func stop(_ thousandths: UInt64) throws {
        guard fate.happens(thousandths) else { return }
        if fate.number(below: 2) == 0 { line.die() }
        throw Crash()
    }
}

/// A wallet's store, on a disk that can fail before and after a write.
final class LinkDisk: ForwardingRecords {
    private let memory = InMemoryRecords()
    private let backup = Mutex(InMemoryRecords.Content())
    private let programs = Mutex(1)
    private let fate: LinkFate
    private let line: LinkLine
    private let secrets: @Sendable () -> [String]
    private let found = Mutex<Set<String>>([])

    init(_ fate: LinkFate, _ line: LinkLine, secrets: @escaping @Sendable () -> [String]) {
        self.fate = fate
        self.line = line
        self.secrets = secrets
    }

    var breaches: Set<String> { found.withLock { $0 } }

    /// Loses the device, and everything that was stored on it.
    func lose() { memory.content = InMemoryRecords.Content() }

    /// Loses the channels alone.
    func loseChannels() { memory.content.remove { $0.name == "channel" } }

    /// Makes a backup in place of the one before.
    func backUp() { backup.withLock { $0 = memory.content } }

    /// Puts the backup back. The program that finds it is another one.
    func restore() {
        let earlier = backup.withLock { $0 }
        guard !earlier.isEmpty else { return }
        memory.content = earlier
        programs.withLock { $0 += 1 }
    }

    /// The program that uses the store.
    var program: String { "program \(programs.withLock { $0 })" }

    var base: any RecordStore {
        get throws {
            guard !line.isDead else { throw Crash() }
            return memory
        }
    }

    func transact(
        _ ranges: [RecordRange], under lease: RecordLease?, at now: Date,
        _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> [RecordWrite]
    ) async throws {
        let base = try base
        try stop()
        try await base.transact(ranges, under: lease, at: now) { [self] records in
            let writes = try decide(records)
            examine(writes)
            return writes
        }
        try stop()
    }

    private func examine(_ writes: [RecordWrite]) {
        let secrets = secrets()
        for case .put(_, let value, _) in writes {
            let text = String(decoding: value, as: UTF8.self)
            guard secrets.contains(where: text.contains) else { continue }
            found.withLock { _ = $0.insert("the store can read what is said privately") }
        }
    }

    private func stop() throws {
        guard fate.happens(15) else { return }
        line.die()
        throw Crash()
    }
}
