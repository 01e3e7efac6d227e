package import PaymentCore
import PaymentTesting
import PaymentWallet

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
