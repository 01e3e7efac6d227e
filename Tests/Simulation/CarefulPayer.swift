import PaymentCore
import PaymentSandbox
import PaymentTesting
import PaymentWallet
import Synchronization

/// A payer who can do everything, takes any option, and counts the transactions that its wallet sends to the chain.
final class CarefulPayer: PaymentSigner {
    private static let wallet = DevelopmentWallet(seed: 7)

    private let world: SimulatedWorld
    private let wallet: SandboxWallet
    private let sent = Mutex<[String: Int]>([:])

    init(_ world: SimulatedWorld) {
        self.world = world
        wallet = SandboxWallet(Self.wallet, random: world.random)
    }

    /// The payer, as payments get it. Which option is taken is drawn.
    var payer: Payer {
        let random = world.random
        var payer = wallet.payer { quote in
            let usable = quote.options.filter(\.unmet.isEmpty)
            return usable.isEmpty ? nil : random.pick(usable).id
        }
        payer.signer = self
        return payer
    }

    /// The transactions that moved money more than once.
    var doubled: [String] { sent.withLock { sent in sent.keys.sorted().filter { sent[$0, default: 0] > 1 } } }

    func supports(method: String) -> Bool { wallet.supports(method: method) }

    func sign(_ request: SigningRequest) async throws -> String {
        // An approval moves nothing; a transfer is known by its amount, which no two payments have in common.
        let call = request.parameters[0] ?? request.parameters
        if request.method == "eth_sendTransaction", let value = call["value"]?.string {
            world.note("the wallet sends \(value)")
            sent.withLock { $0[value, default: 0] += 1 }
        }
        return try await wallet.sign(request)
    }
}
