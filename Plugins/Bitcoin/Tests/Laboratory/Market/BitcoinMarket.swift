import BitcoinProvider
import BitcoinSandbox
import BitcoinWallets
package import PaymentCore
import PaymentCrypto
import PaymentRouting
package import PaymentSimulation
import PaymentStandards
package import PaymentTesting
import Synchronization
import TestSupport

/// The payer's own Lightning wallet: a node with the face of LNbits, LND, Core Lightning or phoenixd, and invoices that
/// are paid from it through a file of orders. The node's own list of payments is the truth.
///
/// Some payments are in flight for a day, come back, have no proof, or are made by another program of the payer's. Each
/// process opens the file for itself, and its lock, its requests and its clock end with it.
package final class BitcoinMarket: Market {
    /// - Parameters:
    ///   - mistake: a mistake of the wallet or the settler; nil for none.
    ///   - losesOrders: true if no process has the orders of another: each one's file is gone when it ends, or each one
    ///     has another settler.
    package static func maker(
        share: Int = 1, _ mistake: WalletMistake? = nil, losesOrders: Bool = false
    ) -> MarketMaker {
        MarketMaker(share: share) { BitcoinMarket($0, mistake, losesOrders: losesOrders) }
    }

    package let provider: any PaymentProvider = BitcoinProvider(reader: StandardsReader())
    package let readers: [any InstructionReader] = [StandardsReader()]
    private let world: SimulatedWorld
    private let mistake: WalletMistake?
    private let face: SimulatedNode.Face
    private let node: WalletNode
    private let address: PayeeService
    private let folder = ScratchFolder(isInMemory: true)
    /// True if the payer's devices have one file of orders.
    private let sharesOrders: Bool
    private let losesOrders: Bool
    private let hasOneName: Bool
    /// The settlers of the processes that live.
    private let settlers = Mutex<[Int: any PaymentSettler]>([:])
    private let opening = AsyncMutex()

    private init(_ world: SimulatedWorld, _ mistake: WalletMistake?, losesOrders: Bool) {
        self.world = world
        self.mistake = mistake
        let losesOrders = losesOrders || mistake == .trustsLoss
        self.losesOrders = losesOrders
        let random = SeededRandomSource(seed: world.seed ^ 0x0B17)
        face = random.pick(SimulatedNode.Face.allCases)
        sharesOrders = random.happens(0.7) && !losesOrders
        hasOneName = !losesOrders || world.seed % 2 == 0
        node = WalletNode(face, in: world, random)
        address = PayeeService(node)
        world.connect(node, to: OwnWallet.host)
        world.connect(address, to: PayeeService.host)
    }

    // MARK: Payments

    package func makePayment(_ number: Int, _ random: SeededRandomSource) async -> MarketPayment {
        node.begin(on: RouterTasks.executor)
        guard !random.happens(0.2) else {
            return MarketPayment(
                reference: PaymentReference(provider: BitcoinProvider.id, id: PayeeService.name),
                links: ["lightning:\(PayeeService.name)"], isEndless: true, isForgotten: losesOrders)
        }
        let plan = NodePlan.drawn(random)
        let amount: UInt64? = random.happens(0.1) ? nil : UInt64(1000 + 100 * number) * 1000
        let lifetime: UInt64 = random.happens(0.3) ? 60 + UInt64(random.below(7200)) : 10 * 365 * 86_400
        let invoice = node.invoice(amount, plan, lifetime: lifetime)
        if plan.hasRival { race(for: invoice, after: .milliseconds(random.below(30_000))) }
        return MarketPayment(
            reference: PaymentReference(provider: BitcoinProvider.id, id: invoice.hash),
            links: [
                "lightning:\(invoice.text)", "LIGHTNING:\(invoice.text.uppercased())",
                "bitcoin:?lightning=\(invoice.text)",
            ], isEndless: plan.isEndless || !sharesOrders, isForAll: true, isForgotten: losesOrders)
    }

    /// Has another program, which knows nothing of the orders, pay an invoice from the same wallet.
    private func race(for invoice: SimulatedInvoice, after delay: Duration) {
        let wallet = OwnWallet.wallet(face, over: DirectTransport(service: node))
        let clock = world.clock
        let wanted = WalletInvoice(
            text: invoice.text, paymentHash: invoice.hash, amount: invoice.amount ?? PayeeService.amount * 1000,
            isAmountless: invoice.amount == nil, feeLimit: 100_000)
        Task(executorPreference: RouterTasks.executor) {
            try? await clock.sleep(for: delay)
            _ = await wallet.pay(wanted)
        }
    }

    package func equip(_ payer: inout Payer) {
        payer.settler = ProcessSettler(
            node: node, hasOneName: hasOneName, feeLimit: mistake == .hidesFees ? nil : .standard,
            number: { self.process()?.orders }, current: { try await self.settler() })
        payer.amountChooser = { _ in try Money(minorUnits: UInt128(PayeeService.amount), currency: .satoshi) }
    }

    /// A payment to a payee has a reference that begins with the payee's.
    package func identity(of reference: String) -> String { String(reference.prefix { $0 != "/" }) }

    package func isPayee(_ payment: PaymentReference) -> Bool { payment.id == PayeeService.name }

    // MARK: Processes

    /// The process that acts and the number of its orders; nil if it has ended.
    private func process() -> (process: SimulatedProcess, orders: Int)? {
        guard let doer = Acting.doer, let process = world.process(doer.process), !process.isDead else { return nil }
        return (process, losesOrders ? process.number : sharesOrders ? 0 : doer.device)
    }

    /// The settler of the process that acts.
    private func settler() async throws -> (any PaymentSettler, SimulatedProcess, orders: Int) {
        // A process opens its orders once.
        await opening.take()
        defer { opening.end() }
        guard let (process, orders) = process() else { throw OwnWallet.Ended() }
        let number = process.number
        if let known = settlers.withLock({ $0[number] }) { return (known, process, orders) }
        let settler = try await OwnWallet.settler(face, process, world, node, orders: orders, in: folder, mistake)
        settlers.withLock { $0[number] = settler }
        process.atEnd { [weak self] in self?.settlers.withLock { $0[number] = nil } }
        return (settler, process, orders)
    }

    // MARK: Truth

    package func captures(of payment: PaymentReference) async -> Int {
        node.mostPayments { $0.provider == payment.provider && identity(of: $0.id) == payment.id }
    }

    package func isPaid(_ payment: PaymentReference) async -> Bool {
        node.hasArrived(Self.isInvoice(of: payment))
    }

    package func isPaidByOthers(_ payment: PaymentReference) async -> Bool {
        node.isPaidByOthers(Self.isInvoice(of: payment))
    }

    /// True for the invoice of a payment, and for each one that the payee's service made where that is paid.
    private static func isInvoice(of payment: PaymentReference) -> (WalletNode.Known) -> Bool {
        { payment.id == PayeeService.name ? $0.isToPayee : $0.hash == payment.id }
    }

    package func wasCaptured(_ attempt: PaymentAttempt) async -> Bool { node.payments(by: attempt) > 0 }

    package func untruth(in receipt: PaymentReceipt, of payment: PaymentReference) async -> String? {
        guard let proof = receipt.transactionID.flatMap(Hex.decode) else {
            return receipt.unproven != nil && node.hasProofless ? nil : "has no proof"
        }
        let hash = Hex.encode(Digest.sha256.hash(proof))
        guard let invoice = node.known(hash) else { return "has the proof of no invoice" }
        if payment.id != PayeeService.name, hash != payment.id { return "has the proof of another invoice" }
        let amount = invoice.amount ?? PayeeService.amount * 1000
        return receipt.amount.flatMap(WalletNode.thousandths) == amount ? nil : "states \(receipt)"
    }

    package var breaches: [String] { node.breaches }

    /// An unpaid invoice can be paid by another attempt.
    package var canBePaidAfterRefusal: Bool { true }

    /// No request of a router moves money here: the settler's do.
    package func payment(movedBy request: HTTPRequest) -> String? { nil }
}
