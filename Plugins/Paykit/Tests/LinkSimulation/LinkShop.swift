import PaykitProvider
import PaymentCore
import PaymentCrypto
import Synchronization

/// The simulated bank: invoices, and their payers. It never forgets and never crashes; its clients do.
final class LinkBank: Sendable {
    private struct State {
        /// Preimages by payment hash.
        var invoices: [String: String] = [:]
        /// The hash and the number of payments of each order, by its name.
        var orders: [String: (hash: String, times: Int)] = [:]
        /// The number of payments of each request, by its id.
        var paid: [String: Int] = [:]
        var paidInvoices: [String: Int] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// Creates an invoice without an amount: a text that only looks like an invoice.
    func invoice() -> String {
        state.withLock { state in
            state.count += 1
            let preimage = Digest.sha256.hash(Array("preimage \(state.count)".utf8))
            let hash = Hex.encode(Digest.sha256.hash(preimage))
            state.invoices[hash] = Hex.encode(preimage)
            return Self.text(Digest.sha256.hash(preimage))
        }
    }

    /// An invoice without an issuer: its hash, and zeros for its time and signature.
    private static func text(_ hash: [UInt8]) -> String {
        let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l")
        var field = ""
        var (rest, count) = (0, 0)
        for byte in hash + [0] {
            (rest, count) = ((rest << 8 | Int(byte)) & 0xFFFF, count + 8)
            while count >= 5 {
                count -= 5
                field.append(alphabet[rest >> count & 31])
            }
        }
        return "lnbcrt1qqqqqqqpp5" + field.prefix(52) + String(repeating: "q", count: 110)
    }

    var preimages: [String] { state.withLock { Array($0.invoices.values) } }
    func isPaid(_ invoice: String) -> Bool { state.withLock { $0.paidInvoices[Self.hash(invoice)] != nil } }
    func isPaid(hash: String) -> Bool { state.withLock { $0.paidInvoices[hash] != nil } }
    func times(_ request: String) -> Int { state.withLock { $0.paid[request] ?? 0 } }
    /// Invoices that were paid more than once.
    var doubled: Int { state.withLock { $0.paidInvoices.values.count { $0 > 1 } } }
    /// The number of payments of all kinds.
    var payments: Int { state.withLock { $0.paidInvoices.values.reduce(0, +) } }

    /// The proof of an order; nil if it was never started.
    func proof(of order: PrivateLinkOrder) -> PaykitProof? {
        state.withLock { state in state.orders[order.key].flatMap { Self.proof($0.hash, state) } }
    }

    /// Pays an order; nil if it cannot be paid. The same order again is the same payment.
    func pay(_ order: PrivateLinkOrder) -> PaykitProof? {
        state.withLock { state in
            if let known = state.orders[order.key] { return Self.proof(known.hash, state) }
            let hash = Self.hash(order.endpoint.endpoint)
            // As with real invoices, a second payment finds the invoice paid.
            guard state.invoices[hash] != nil, state.paidInvoices[hash] == nil else { return nil }
            state.orders[order.key] = (hash, 1)
            state.paid[order.requestID, default: 0] += 1
            state.paidInvoices[hash, default: 0] += 1
            return Self.proof(hash, state)
        }
    }

    private static func proof(_ hash: String, _ state: State) -> PaykitProof? {
        state.invoices[hash].map { .preimage($0, paymentHash: hash) }
    }

    static func hash(_ invoice: String) -> String { InvoiceHash.read(invoice) ?? "" }
}

/// The payer's wallet: it may stop before and after it has paid, and not report the result.
struct SimulatedLinkWallet: PrivateLinkWallet {
    let bank: LinkBank
    let fate: LinkFate
    let line: LinkLine

    func outcome(of order: PrivateLinkOrder) async throws -> ChannelCheckout.Settlement? {
        try stop(20)
        return bank.proof(of: order).map { .paid($0) }
    }

    func settle(_ order: PrivateLinkOrder) async throws -> ChannelCheckout.Settlement {
        try stop(60)
        if fate.happens(60) { return .notPaid("no route") }
        guard let proof = bank.pay(order) else { return .notPaid("the invoice was paid before") }
        try stop(100)
        return .paid(proof)
    }

    private func stop(_ thousandths: UInt64) throws {
        guard fate.happens(thousandths) else { return }
        if fate.number(below: 2) == 0 { line.die() }
        throw Crash()
    }
}

/// A wallet's store, on a disk that can fail before and after a write.
final class LinkDisk: SealedStateStore {
    private let states = Mutex<[String: SealedState]>([:])
    private let backup = Mutex<[String: SealedState]>([:])
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
    func lose() { states.withLock { $0 = [:] } }

    /// Loses the channels alone, as where they are left out of a backup.
    func loseChannels() {
        states.withLock { states in states = states.filter { !$0.key.hasSuffix("/channel") } }
    }

    /// Makes a backup in place of the one before.
    func backUp() { backup.withLock { backup in backup = states.withLock { $0 } } }

    /// Puts the backup back. The program that finds it is another one.
    func restore() {
        let earlier = backup.withLock { $0 }
        guard !earlier.isEmpty else { return }
        states.withLock { $0 = earlier }
        programs.withLock { $0 += 1 }
    }

    /// The program that uses the store.
    var program: String { "program \(programs.withLock { $0 })" }

    func states(named name: String) async throws -> [String: SealedState] {
        guard !line.isDead else { throw Crash() }
        return states.withLock { $0.filter { $0.key == name || $0.key.hasPrefix(name + "/") } }
    }

    func keep(_ new: [String: SealedState], removing names: [String]) async throws -> Bool {
        guard !line.isDead else { throw Crash() }
        let text = new.values.map { String(decoding: $0.sealed, as: UTF8.self) }.joined()
        for secret in secrets() where text.contains(secret) {
            found.withLock { _ = $0.insert("the store can read what is said privately") }
        }
        try stop()
        let isKept = states.withLock { states in
            guard new.allSatisfy({ $0.value.number == (states[$0.key]?.number ?? 0) + 1 }) else { return false }
            states.merge(new) { $1 }
            for name in names { states[name] = nil }
            return true
        }
        try stop()
        return isKept
    }

    private func stop() throws {
        guard fate.happens(15) else { return }
        line.die()
        throw Crash()
    }
}
