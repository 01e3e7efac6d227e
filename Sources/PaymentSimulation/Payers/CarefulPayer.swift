package import PaymentCore
import PaymentRouting
import PaymentTesting
import PaymentWallet
import Synchronization

/// A payer that can do everything and takes any option. Its wallet broadcasts to a simulated ``Chain``; it may never
/// answer, refuse, or fail after the transfer.
package final class CarefulPayer: PaymentSigner {
    private let world: SimulatedWorld
    private let device: Int
    private let wallet: Wallet
    private let base: (any PaymentSigner)?
    private let chain: Chain
    private let witness: Witness
    private let hangs: Hangs
    private let disk: SimulatedDisk

    /// Creates the payer of a device, by its number, with a wallet that broadcasts nothing and a chooser.
    package typealias Wallet = @Sendable (_ device: Int, any RandomSource, Payer.Chooser?) -> Payer

    /// - Parameter disk: the disk of the device.
    init(
        _ world: SimulatedWorld, device: Int, _ wallet: @escaping Wallet, chain: Chain, witness: Witness, hangs: Hangs,
        disk: SimulatedDisk
    ) {
        self.world = world
        self.disk = disk
        self.chain = chain
        self.witness = witness
        self.hangs = hangs
        self.device = device
        self.wallet = wallet
        base = wallet(device, world.random, nil).signer
    }

    /// A wallet for Ethereum's chains.
    static let development: Wallet = { device, _, chooser in
        wallets[device % wallets.count].payer(chooser: chooser, policy: .firstWhateverItCosts)
    }

    /// Created once, because keys are slow to compute.
    private static let wallets = [DevelopmentWallet(seed: 7), DevelopmentWallet(seed: 8)]

    /// The payer for payments. Its option is drawn.
    func payer(_ equip: (inout Payer) -> Void) -> Payer {
        let random = world.random
        var payer = wallet(device, random) { [witness] quote in
            witness.asks()
            let usable = quote.options.filter(\.unmet.isEmpty)
            return usable.isEmpty ? nil : random.pick(usable).id
        }
        payer.signer = self
        equip(&payer)
        return hanging(payer)
    }

    package func supports(method: String) -> Bool {
        method == "eth_sendTransaction" || base?.supports(method: method) == true
    }

    package func sign(_ request: SigningRequest) async throws -> String {
        guard request.method == "eth_sendTransaction" else {
            try await ponder("the wallet")
            guard let base else { throw WalletIsGone() }
            let signature = try await base.sign(request)
            witness.signatures.note(request)
            return signature
        }
        // Refused by the payer: then nothing has moved.
        if world.happens(world.faults.payerFails) {
            throw PaymentError(.payer, "the payer refused to sign", phase: .beforeSend)
        }
        if world.happens(world.faults.payerHangs) || isStuck { await hang("the wallet, before it sends") }
        await Reentry.happen("the wallet, before it sends")
        let (hash, transfer) = chain.broadcast(
            request.parameters[0] ?? request.parameters, on: request.account.chain.text)
        world.note("the wallet sends \(transfer.map { String($0.value) } ?? "an approval")")
        if let transfer { witness.broadcast(transfer) }
        await Reentry.happen("the wallet, after it has sent")
        if world.happens(world.faults.payerHangs) { await hang("the wallet, after it has sent") }
        if world.happens(world.faults.payerFails) { throw WalletIsGone() }
        return hash
    }

    /// An error: the wallet was closed; its transfer is in flight.
    private struct WalletIsGone: Error {}

    // MARK: Silence

    private var isStuck: Bool {
        guard let stuck = hangs.stuck, let attempt = Acting.attempt else { return false }
        return witness.name(of: attempt.reference) == stuck
    }

    private func hang(_ what: String) async {
        world.note("\(what) does not answer")
        await hangs.wait()
    }

    /// Never answers, or refuses, by chance.
    private func ponder(_ what: String) async throws {
        if world.happens(world.faults.payerHangs) || isStuck { await hang(what) }
        await Reentry.happen(what)
        if world.happens(world.faults.payerFails) { throw WalletIsGone() }
    }

    /// `payer`, each of whose parts may never answer.
    private func hanging(_ payer: Payer) -> Payer {
        var silent = payer
        if let choose = payer.chooser {
            silent.chooser = { quote in
                try await self.ponder("the chooser")
                return try await choose(quote)
            }
        }
        if let settler = payer.settler {
            silent.settler = AskedSettler(base: settler, disk: disk, witness: witness) { try await self.ponder($0) }
        }
        if let choose = payer.amountChooser {
            silent.amountChooser = { request in
                try await self.ponder("the payer, asked how much,")
                return try await choose(request)
            }
        }
        if let collect = payer.dataCollector {
            silent.dataCollector = { request in
                try await self.ponder("the form")
                return try await collect(request)
            }
        }
        if let browse = payer.browser {
            silent.browser = { page in
                try await self.ponder("the page")
                let back = try await browse(page)
                try await self.ponder("the page, after the payer's act,")
                return back
            }
        }
        if let launch = payer.appLauncher {
            silent.appLauncher = { app in
                try await self.ponder("the app")
                let back = try await launch(app)
                try await self.ponder("the app, after the payer's act,")
                return back
            }
        }
        if let show = payer.codeDisplay {
            silent.codeDisplay = { code in
                try await self.ponder("the code")
                try await show(code)
            }
        }
        return silent
    }
}

// MARK: - Settler

/// A settler on a payer's device: it may never answer, or fail before or after the payment, and the witness sees every
/// request to pay.
struct AskedSettler: PaymentSettler {
    let base: any PaymentSettler
    let disk: SimulatedDisk
    let witness: Witness
    /// Never answers, or fails, by chance.
    let ponder: @Sendable (String) async throws -> Void

    var name: String { base.name }
    func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? {
        base.feeLimit(for: amount, to: kind)
    }
    func register(_ name: String) async throws { try await base.register(name) }
    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool { base.canSettle(kind, on: network) }

    func order(named name: String) async throws -> SettlementOrder? {
        try await ponder("the settler's memory")
        return try await base.order(named: name)
    }

    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        try await ponder("the settler's memory")
        return try await base.order(paying: endpoint)
    }

    func abandon(_ name: String) async throws -> SettlementState {
        try await ponder("the settler, before it abandons")
        return try await base.abandon(name)
    }

    func settle(_ settlement: Settlement) async throws -> SettlementState {
        // The money leaves at the sender's next moment, whatever the caller waits for in between.
        let attempt = Acting.attempt
        // A process that was stopped since its last look may request payments that others have ended: only the settler
        // can refuse that.
        let isCovered = disk.durableHistories.contains { history in
            history.attempt.id == attempt?.id && history.authorities.settler != nil
        }
        if !isCovered { witness.breach("a settlement began before its step was durable") }
        try await ponder("the settler")
        witness.settles()
        let state = try await base.settle(settlement)
        try await ponder("the settler, after it was asked,")
        return state
    }
}

// MARK: - Silence

/// The unanswered questions to payers. All are released at the end of the history: wallets that were left open are
/// found again, and their work is completed after all.
final class Hangs: Sendable {
    private struct State {
        var waiting: [OneShot<Void>] = []
        var isOver = false
        var stuck: PaymentReference?
    }

    private let state = Mutex(State())

    /// Waits for the end of the history.
    func wait() async {
        let pending = OneShot<Void>()
        let isOver = state.withLock { state in
            if !state.isOver { state.waiting.append(pending) }
            return state.isOver
        }
        if isOver { return }
        await pending.value()
    }

    /// Makes every question about a payment wait from now on.
    func stick(_ payment: PaymentReference) { state.withLock { $0.stuck = payment } }

    /// The payment about which every question waits.
    var stuck: PaymentReference? { state.withLock { $0.isOver ? nil : $0.stuck } }

    /// The number of waiting questions.
    var count: Int { state.withLock { $0.waiting.count } }

    /// Releases everything; from now on nothing waits.
    func release() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isOver = true
            return state.waiting
        }
        for pending in waiting { pending.finish(()) }
    }
}

// MARK: - Chain

/// A simulated chain with balances. A wallet's broadcast moves its coins at once, whatever status a service reports.
final class Chain: Sendable {
    /// Coins that went from one account to another.
    struct Transfer: Sendable, Hashable {
        let from: String
        let to: String
        /// The chain, by its CAIP-2 name.
        let chain: String
        /// Minor units.
        let value: UInt128
        let hash: String
    }

    private struct State {
        var balances: [String: Int128] = [:]
        var transfers: [Transfer] = []
    }

    private let random: SeededRandomSource
    private let state = Mutex(State())

    init(random: SeededRandomSource) { self.random = random }

    /// Sends the transaction of an `eth_sendTransaction` call. One without a value, such as an approval, moves nothing.
    func broadcast(_ call: JSONValue, on chain: String) -> (hash: String, transfer: Transfer?) {
        let hash = "0x" + random.hex(64)
        guard let from = call["from"]?.string, let to = call["to"]?.string,
            let value = call["value"]?.string.flatMap({ UInt128($0.dropFirst(2), radix: 16) }), value > 0
        else { return (hash, nil) }
        let transfer = Transfer(from: from, to: to, chain: chain, value: value, hash: hash)
        state.withLock { state in
            state.balances["\(chain):\(from)", default: 0] -= Int128(value)
            state.balances["\(chain):\(to)", default: 0] += Int128(value)
            state.transfers.append(transfer)
        }
        return (hash, transfer)
    }

    /// The gain of an account, in minor units; negative for a loss.
    func balance(of account: String, on chain: String) -> Int128 {
        state.withLock { $0.balances["\(chain):\(account)"] ?? 0 }
    }

    /// Every transfer so far, oldest first.
    var transfers: [Transfer] { state.withLock { $0.transfers } }
}
