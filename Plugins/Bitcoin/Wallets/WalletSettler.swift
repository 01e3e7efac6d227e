public import PaymentCore
import PaymentSettlement

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Pays from the payer's own wallet: LNbits, LND, Core Lightning or phoenixd. All of them pay Lightning invoices; an
/// ``OfferWallet`` pays offers (BOLT 12) as well, and a ``ChainWallet`` addresses on the chain.
///
/// ```swift
/// let wallet = LNbitsWallet(at: try HTTPURL(service: "https://lnbits.example"), key: Redacted(key), over: transport)
/// let settler = WalletSettler(
///     wallet, orders: try WalletOrders(path: "payments.orders"), reader: StandardsReader())
/// let outcome = try await router.pay("lightning:lnbc…", as: Payer(policy: .first(upTo: [limit]), settler: settler))
/// ```
///
/// **At most once.** An order is stored before the first byte leaves, and for each order one request to pay is sent,
/// ever. The orders allow one open or paid order for a payment hash, so an invoice is not requested under a
/// second name, and the wallet refuses a hash that it pays or has paid for another program.
///
/// **No false statement.** Paid is what the wallet's own record says, with a preimage that fits the payment hash, or
/// without one as a payment without proof. That nothing was sent is stated where the answer to the one request proves
/// it, or where the request is over and the node's own record is final. Without an answer it is stated only where the
/// node refuses expired invoices, has no record, and its chain has grown past the invoice's end. No clock decides it.
/// All else is in flight, for weeks where need be. An order that was refused is looked for again whenever it is asked
/// about, and becomes paid where the wallet says so. On the chain, paid means published.
public struct WalletSettler: PaymentSettler {
    /// The wallet.
    public let wallet: any LightningWallet
    let orders: any OrderStore
    let reader: any InstructionReader
    let network: String
    let feeLimit: FeeLimit
    let chainFeeLimit: FeeLimit
    let clock: any PaymentClock
    let services: PayService?
    let comment: @Sendable (Settlement) -> String?

    /// Creates a settler.
    ///
    /// - Parameters:
    ///   - wallet: the wallet that pays.
    ///   - orders: its orders, in the same place for as long as the wallet is used.
    ///   - reader: reads invoices, with their checksums and signatures: `StandardsReader()`.
    ///   - network: the network of the wallet's money: `mainnet`, `testnet`, `signet` or `regtest`.
    ///   - feeLimit: the most that a route may cost.
    ///   - chainFeeLimit: the most that a transaction on the chain may cost.
    ///   - services: the way to the services of Lightning addresses and LNURLs, which are asked for an invoice. Payees
    ///     choose these hosts: on Linux none is called in a private network. Nil pays invoices only.
    ///   - comment: returns the comment for the payee of an address (LUD-12), or nil. A service that does not take it,
    ///     or an invoice, is then not paid.
    ///   - clock: the clock by which invoices end.
    public init(
        _ wallet: any LightningWallet, orders: WalletOrders, reader: any InstructionReader, network: String = "mainnet",
        feeLimit: FeeLimit = .standard, chainFeeLimit: FeeLimit = .chain, services: (any HTTPTransport)? = nil,
        comment: @escaping @Sendable (Settlement) -> String? = { _ in nil },
        clock: any PaymentClock = SystemPaymentClock()
    ) {
        self.comment = comment
        self.services = services.map { PayService(transport: $0, reader: reader, network: network) }
        self.wallet = wallet
        self.orders = orders.store
        self.reader = reader
        self.network = network
        self.feeLimit = feeLimit
        self.chainFeeLimit = chainFeeLimit
        self.clock = clock
    }

    /// The permanent name of the orders.
    public var name: String { orders.name }

    /// Returns the most that a route, or a transaction on the chain, may cost.
    public func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? {
        guard let thousandths = Self.thousandths(amount) else { return nil }
        let limit = (kind == .bitcoinAddress ? chainFeeLimit : feeLimit).limit(for: thousandths)
        let units = amount.exponent == 11 ? limit : limit / 1000 + (limit % 1000 == 0 ? 0 : 1)
        return try? Money(minorUnits: UInt128(units), currency: amount.currency, exponent: amount.exponent)
    }

    /// Notes a name in the orders.
    ///
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func register(_ name: String) async throws { try await orders.register(name) }

    /// Returns true for invoices of the wallet's network, for what such invoices are made for, and for addresses on its
    /// chain, as far as the wallet can pay them.
    public func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool {
        switch kind {
        case .bolt11: network == self.network
        case .bolt12Offer: wallet is any OfferWallet && network == nil
        case .bitcoinAddress: wallet is any ChainWallet && network == self.network
        case .lightningAddress, .lnurl: services != nil && network == nil
        default: false
        }
    }

    // MARK: Asking

    /// Returns the order of a name, whatever it is for, with what is known of it now; nil when nothing was ever ordered
    /// under it.
    ///
    /// - Throws: any error, when the orders cannot be read or the wallet does not answer.
    public func order(named name: String) async throws -> SettlementOrder? {
        if let order = try await orders.order(named: name, at: clock.now) { return try await report(order) }
        guard try await orders.isRegistered(name) else { return nil }
        return SettlementOrder(name: name, endpoint: nil, amount: nil, state: .registered)
    }

    /// Returns the order of an invoice, under any name, and without one what the wallet knows of the invoice.
    ///
    /// - Throws: any error, when the wallet does not answer, or knows another invoice of the same payment hash.
    public func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        // What cannot be paid here was not paid here. Of a service every order makes another invoice.
        guard let hash = endpoint.paymentHash, canSettle(endpoint.kind, on: endpoint.network) else { return nil }
        if let order = try await orders.order(for: hash, at: clock.now) {
            try Self.require(order, isFor: endpoint.text)
            let report = try await report(order)
            if case .nothingSent = report.state { return nil }
            return report
        }
        guard let offer = SettlementOffer.offer(endpoint, reader) else { return nil }
        var amount: Money?
        if case .fixed(let money) = offer.amount { amount = money }
        let invoice = WalletInvoice(
            text: endpoint.text, paymentHash: hash, amount: amount.flatMap(Self.thousandths) ?? 0,
            isAmountless: amount == nil, feeLimit: 0)
        let state: SettlementState
        switch try await record(of: invoice, in: account()) {
        case .none, .failed: return nil
        case .inFlight: state = .inFlight(retryAfter: Self.pause)
        case .paid(let proof, _): state = .settled(proof)
        }
        // An order that was refused after its request had left is the one that was paid.
        if case .settled = state, let refused = try await orders.requested(for: hash),
            (try? Self.require(refused, isFor: endpoint.text)) != nil
        {
            let report = try await report(refused)
            if case .settled = report.state { return report }
        }
        return SettlementOrder(name: nil, endpoint: endpoint, amount: amount, state: state)
    }

    /// Returns the wallet's part of an order, such as the invoice and the payee's message; nil when nothing was ever
    /// ordered under the name.
    ///
    /// - Parameter name: ``/PaymentCore/Settlement/key``.
    /// - Throws: any error, when the orders cannot be read or the wallet does not answer.
    public func walletOrder(named name: String) async throws -> WalletOrder? {
        guard try await order(named: name) != nil else { return nil }
        return try await orders.order(named: name, at: clock.now)
    }
}
