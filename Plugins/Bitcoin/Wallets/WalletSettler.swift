public import PaymentCore
import PaymentCrypto
import PaymentSettlement

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A settler that pays from the payer's own wallet: LNbits, LND, Core Lightning or phoenixd. All of them pay Lightning
/// invoices; an ``OfferWallet`` pays offers (BOLT 12) as well, and a ``ChainWallet`` addresses on the chain.
///
/// ```swift
/// let wallet = LNbitsWallet(at: try HTTPURL(service: "https://lnbits.example"), key: Redacted(key), over: transport)
/// let settler = WalletSettler(
///     wallet, orders: try await WalletOrders(path: "payments.orders"), reader: StandardsReader())
/// let outcome = try await router.pay("lightning:lnbc…", as: Payer(policy: .first(upTo: [limit]), settler: settler))
/// ```
///
/// **At most once.** An order is stored before the first byte leaves. For each order one request to pay is sent, ever.
/// The orders allow one open or paid order for a payment hash, so an invoice is not requested under a second name, and
/// the wallet refuses a hash that it pays or has paid for another program.
///
/// **No false statement.** A payment is paid if the wallet's own record says so, with a preimage that fits the payment
/// hash, or without one as a payment without proof. Nothing was sent if the answer to the one request proves it, or if
/// the request is over and the node's own record is final. Without an answer, nothing was sent only if the node refuses
/// expired invoices, has no record, and its chain has grown past the invoice's end. No clock decides it. All else is in
/// flight, for weeks if need be. An order that was refused is looked up again whenever it is asked about, and becomes
/// paid if the wallet says so. On the chain, paid means published.
public struct WalletSettler: PaymentSettler {
    /// The wallet.
    public let wallet: any LightningWallet
    let orders: WalletOrders
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
    ///   - clock: the clock that determines the end of invoices.
    public init(
        _ wallet: any LightningWallet, orders: WalletOrders, reader: any InstructionReader, network: String = "mainnet",
        feeLimit: FeeLimit = .standard, chainFeeLimit: FeeLimit = .chain, services: (any HTTPTransport)? = nil,
        comment: @escaping @Sendable (Settlement) -> String? = { _ in nil },
        clock: any PaymentClock = SystemPaymentClock()
    ) {
        self.comment = comment
        self.services = services.map { PayService(transport: $0, reader: reader, network: network) }
        self.wallet = wallet
        self.orders = orders
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

    /// Returns the order of a name with its present state, whatever it is for; nil when nothing was ever ordered under
    /// the name.
    ///
    /// - Throws: any error, when the orders cannot be read or the wallet does not answer.
    public func order(named name: String) async throws -> SettlementOrder? {
        if let order = try await orders.order(named: name, at: clock.now) { return try await report(order) }
        guard try await orders.isRegistered(name) else { return nil }
        return SettlementOrder(name: name, endpoint: nil, amount: nil, state: .registered)
    }

    /// Returns the order of an invoice, under any name; without an order, the wallet's own record of the invoice.
    ///
    /// - Throws: any error, when the wallet does not answer, or knows another invoice of the same payment hash.
    public func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        // An endpoint that cannot be paid here was not paid here. A service makes another invoice for every order.
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

// MARK: - Invoices

/// The invoice of a settlement: read from its text, or made by the service of an address.
extension WalletSettler {
    enum Reading {
        case invoice(WalletInvoice, until: Date?)
        /// An address or offer whose service or node makes an invoice over this amount, in thousandths of a satoshi.
        case maker(UInt64)
        /// An address on the chain, with the amount in satoshi.
        case address(UInt64, any ChainWallet)
        case unusable(String)
    }

    /// Reads the settlement's invoice again from its own text.
    func read(_ settlement: Settlement) -> Reading {
        let endpoint = settlement.endpoint
        guard canSettle(endpoint.kind, on: endpoint.network) else {
            return .unusable("\(wallet.name) does not pay \(endpoint.kind) here; it is on \(network)")
        }
        if endpoint.kind != .bolt11 {
            guard SettlementOffer.offer(endpoint, reader)?.takes(settlement.amount) == true,
                let amount = Self.thousandths(settlement.amount)
            else { return .unusable("\(endpoint.kind) cannot be paid this amount") }
            guard endpoint.kind == .bitcoinAddress, let chain = wallet as? any ChainWallet else {
                return .maker(amount)
            }
            guard comment(settlement) == nil else { return .unusable("an address takes no comment; leave it out") }
            return amount % 1000 == 0
                ? .address(amount / 1000, chain) : .unusable("the chain has no amounts below a satoshi")
        }
        guard comment(settlement) == nil else { return .unusable("an invoice takes no comment; leave it out") }
        guard let hash = endpoint.paymentHash, let offer = SettlementOffer.offer(endpoint, reader),
            offer.takes(settlement.amount), let amount = Self.thousandths(settlement.amount)
        else { return .unusable("the invoice does not ask for this payment") }
        var isAmountless = true
        if case .fixed = offer.amount { isAmountless = false }
        return .invoice(
            WalletInvoice(
                text: endpoint.text, paymentHash: hash, amount: amount, isAmountless: isAmountless,
                feeLimit: feeLimit.limit(for: amount)), until: offer.expiresAt)
    }

    /// Has an invoice made. It is the only one that its order pays.
    func made(
        _ settlement: Settlement, over amount: UInt64
    ) async throws(PaymentError) -> (WalletInvoice, Date?, ServiceMessage?) {
        if settlement.endpoint.kind == .bolt12Offer, let wallet = wallet as? any OfferWallet {
            guard comment(settlement) == nil else {
                throw PaymentError(.payer, "comments are not sent to the node of an offer; leave it out")
            }
            let made = try await OfferInvoice(
                wallet.invoice(of: settlement.endpoint.text, over: amount), of: settlement.endpoint.text, over: amount,
                on: network, feeLimit: feeLimit.limit(for: amount), reader)
            return (made.invoice, made.expiresAt, nil)
        }
        guard let services else { throw PaymentError(.payer, "services are not asked for invoices here") }
        let made = try await services.invoice(of: settlement.endpoint, over: amount, comment: comment(settlement))
        let invoice = WalletInvoice(
            text: made.endpoint.text, paymentHash: made.endpoint.paymentHash ?? "", amount: amount,
            isAmountless: false, feeLimit: feeLimit.limit(for: amount))
        return (invoice, made.expiresAt, made.successAction.map { ServiceMessage(host: made.host, text: $0.text) })
    }

    static func thousandths(_ money: Money) -> UInt64? {
        guard money.currency == .satoshi, let units = Int64(exactly: money.minorUnits).map(UInt64.init) else {
            return nil
        }
        switch money.exponent {
        case 8: return units <= UInt64(Int64.max) / 1000 ? units * 1000 : nil
        case 11: return units
        default: return nil
        }
    }
}

// MARK: - Paying

/// The paying of an order: stored first, and requested once.
extension WalletSettler {
    /// Pays an invoice, at most once.
    ///
    /// - Throws: any error, when the outcome of the payment cannot be determined.
    public func settle(_ settlement: Settlement) async throws -> SettlementState {
        if let order = try await orders.order(named: settlement.key, at: clock.now) {
            return try await state(of: order)
        }
        let (invoice, end, message): (WalletInvoice, Date?, ServiceMessage?)
        switch read(settlement) {
        case .invoice(let read, let until): (invoice, end, message) = (read, until, nil)
        case .maker(let amount):
            do throws(PaymentError) {
                (invoice, end, message) = try await made(settlement, over: amount)
            } catch {
                return try await refuse(settlement.key, nil, because: error.message)
            }
        case .address(let amount, let wallet): return try await transfer(settlement, over: amount, from: wallet)
        case .unusable(let reason): return try await refuse(settlement.key, nil, because: reason)
        }
        if let other = try await orders(for: invoice) { return try await leave(invoice, to: other, settlement.key) }
        let account: WalletAccount
        var isForeign = false
        do throws(PaymentError) {
            account = try await self.account()
            switch try await record(of: invoice, in: account) {
            case .paid, .inFlight: isForeign = true
            case .none, .failed: break
            }
            if !isForeign, let objection = try await wallet.objection(to: invoice) {
                return try await refuse(settlement.key, .invoice(invoice), because: objection)
            }
        } catch {
            // No order has begun under this name, and after this none can.
            return try await refuse(settlement.key, .invoice(invoice), because: error.message)
        }
        guard !isForeign else { return try await leave(invoice, toOthersUnder: settlement.key) }
        var waits = 0
        while true {
            // Not every wallet checks the invoice's end.
            if let end, end <= clock.now {
                return try await refuse(
                    settlement.key, .invoice(invoice),
                    because: "the invoice has expired by this device's clock; ask for a new one")
            }
            let order = WalletOrder(
                name: settlement.key, wallet: account.id, payment: .invoice(invoice), placedAt: clock.now,
                state: .sending, message: message)
            switch try await orders.begin(order, alone: wallet.conduct.takesTurns) {
            case .known(let order): return try await leave(invoice, to: order, settlement.key)
            case .begun(let request):
                return try await finish(request, await orders.send(request) { [wallet] in await wallet.pay(invoice) })
            case .busy:
                waits += 1
                guard waits <= Self.turns, (try? await clock.sleep(for: Self.pause)) != nil else {
                    return try await refuse(
                        settlement.key, .invoice(invoice),
                        because:
                            "\(wallet.name) is still busy with another payment of this wallet; pay again in a minute")
                }
            }
        }
    }

    /// The number of pauses that a payment waits for another one at a wallet that takes turns.
    private static let turns = 35

    /// Notes the answer to the one request of an order.
    func finish(_ request: OrderRequest, _ answer: WalletAnswer) async throws -> SettlementState {
        let name = request.name
        try await orders.end(request, isDealtWith: answer == .dealtWith, now: clock.now)
        // This is the order's only request: if it has sent nothing, nothing was sent.
        if case .sentNothing(let reason) = answer { try await orders.refuse(name, because: reason) }
        guard let order = try await orders.order(named: name, at: clock.now) else {
            throw PaymentError(.payer, "the order is gone from the stored ones", phase: .maybeSent, retry: .later)
        }
        return try await state(of: order)
    }

    /// Promises that nothing is ever sent under a name, unless it was requested already.
    ///
    /// - Parameter name: ``/PaymentCore/Settlement/key``.
    /// - Returns: ``/PaymentCore/SettlementState/nothingSent(reason:)``, which is the promise; or the state of an
    ///   order of this name.
    /// - Throws: any error, when the outcome of an order of this name cannot be determined.
    public func abandon(_ name: String) async throws -> SettlementState {
        try await refuse(name, nil, because: "it was abandoned")
    }

    /// Ends an order whose request is over by a person's decision that it has sent nothing, for a wallet that cannot
    /// prove it. If the wallet says that the payment is in flight, the order is not ended. If it says later that it
    /// paid, the order becomes paid.
    ///
    /// - Parameters:
    ///   - name: ``/PaymentCore/Settlement/key``.
    ///   - evidence: what the person has seen, such as the record of the node behind a server.
    /// - Returns: the state of the order.
    /// - Throws: any error, when it cannot be stored, or when the name has no order.
    public func end(_ name: String, because evidence: String) async throws -> SettlementState {
        if case .invoice(let invoice)? = try await orders.order(named: name, at: clock.now)?.payment,
            let account = try? await account(), case .inFlight? = try? await record(of: invoice, in: account)
        {
            return .inFlight(retryAfter: Self.pause)
        }
        try await orders.refuse(name, because: evidence)
        guard let order = try await orders.order(named: name, at: clock.now) else {
            throw PaymentError(.payer, "there is no order of this name")
        }
        return try await state(of: order)
    }

    /// Ends a name whose invoice the wallet has paid, or is paying, by no order that was known at the first look.
    private func leave(_ invoice: WalletInvoice, toOthersUnder name: String) async throws -> SettlementState {
        // An order is stored before its request: another process may have placed one in the meantime.
        if let placed = try await orders(for: invoice) { return try await leave(invoice, to: placed, name) }
        // One that was refused after its request had left was paid after all.
        if let refused = try await orders.requested(for: invoice.paymentHash),
            case .settled = try await state(of: refused)
        {
            return try await leave(invoice, to: refused, name)
        }
        // A registered name without an order was never requested. Any other may be this payment, whose order was lost.
        guard try await orders.isRegistered(name) else {
            throw PaymentError(
                .payer,
                "\(wallet.name) has paid this invoice, or is paying it, without an order: look into the wallet before "
                    + "you pay again", phase: .maybeSent)
        }
        return try await refuse(
            name, .invoice(invoice),
            because: "\(wallet.name) has paid this invoice, or is paying it, for another program or device")
    }

    /// Ends a name whose invoice another name has ordered.
    private func leave(_ invoice: WalletInvoice, to order: WalletOrder, _ name: String) async throws -> SettlementState
    {
        guard order.name != name else { return try await state(of: order) }
        try Self.require(order, isFor: invoice.text)
        return try await refuse(name, .invoice(invoice), because: Self.elsewhere)
    }

    func refuse(
        _ name: String, _ payment: WalletOrder.Payment?, because reason: String
    ) async throws(PaymentError) -> SettlementState {
        do {
            let order = WalletOrder(
                name: name, payment: payment, placedAt: clock.now,
                state: .refused(reason: reason, wasRequested: false))
            return try await state(of: orders.refuse(order))
        } catch { throw Self.open(error) }
    }

    private func orders(for invoice: WalletInvoice) async throws(PaymentError) -> WalletOrder? {
        do { return try await orders.order(for: invoice.paymentHash, at: clock.now) } catch { throw Self.open(error) }
    }

    private static func open(_ error: any Error) -> PaymentError {
        error as? PaymentError
            ?? PaymentError(.payer, "the orders failed: \(error)", retry: .later, cause: error)
    }
}

// MARK: - The state of an order

/// The state of an order by the wallet's records.
extension WalletSettler {
    /// The pause before a payment in flight is asked for again.
    static let pause = Duration.seconds(2)

    /// The pause before an order is asked for again that ends by the growth of the chain.
    static let blockPause = Duration.seconds(600)

    /// The number of blocks until a request whose connection has ended counts as carried out, if the node has a final
    /// record of its payment. They take an hour: no proxy holds a request that long, and no clock can fake them.
    static let restingBlocks: UInt64 = 6

    /// The reason of a name whose invoice another name has ordered.
    static let elsewhere = "another payment has ordered the invoice"

    /// Throws if an order was made for another invoice of the same payment hash: its proof would pass for this one's.
    static func require(_ order: WalletOrder, isFor text: String) throws(PaymentError) {
        if case .invoice(let invoice)? = order.payment, invoice.text == text { return }
        throw PaymentError(
            .integrity,
            "another invoice of the same payment hash was ordered; ask the payee for a new invoice")
    }

    func report(_ order: WalletOrder) async throws -> SettlementOrder {
        let (endpoint, thousandths): (SettlementEndpoint?, UInt64?) =
            switch order.payment {
            case .invoice(let invoice): (invoice.endpoint(on: network), invoice.amount)
            case .transaction(let transaction):
                (
                    SettlementEndpoint(.bitcoinAddress, text: transaction.address, network: network),
                    transaction.amount * 1000
                )
            case nil: (nil, nil)
            }
        return SettlementOrder(
            name: order.name, endpoint: endpoint,
            amount: try thousandths.map { try Money(minorUnits: UInt128($0), currency: .satoshi, exponent: 11) },
            state: try await state(of: order))
    }

    func state(of order: WalletOrder) async throws -> SettlementState {
        switch order.state {
        case .paid(let proof, _): return .settled(proof)
        case .refused(let reason, let wasRequested):
            return try await state(ofRefused: order, reason, wasRequested: wasRequested)
        case .sending, .asked: break
        }
        guard let payment = order.payment, let owner = order.wallet else {
            throw PaymentError(.integrity, "an order is stored without a payment", phase: .maybeSent)
        }
        let account = try await account()
        guard account.id == owner else {
            throw PaymentError(
                .payer, "this payment was ordered at another wallet (\(owner)); ask that one what became of it",
                phase: .maybeSent, retry: .later)
        }
        switch payment {
        case .invoice(let invoice): return try await state(of: invoice, order, account)
        case .transaction(let transaction): return try await state(of: transaction, order, account)
        }
    }

    /// Asks the wallet for the outcome of an invoice whose request is out, or is over.
    private func state(
        of invoice: WalletInvoice, _ order: WalletOrder, _ account: WalletAccount
    ) async throws -> SettlementState {
        let reason: String
        let blocks: UInt64?
        switch try await record(of: invoice, in: account) {
        case .inFlight: return .inFlight(retryAfter: Self.pause)
        case .paid(let proof, let fee): return try await settle(order, proof, fee: fee)
        case .none:
            reason = "\(wallet.name) has no record of the payment"
            // A request that reaches the node after the invoice's end is refused by it.
            blocks = wallet.conduct.refusesExpired ? lifetime(of: invoice) : nil
        case .failed(let text, isFinal: true): (reason, blocks) = (text, Self.restingBlocks)
        case .failed(let text, _):
            guard case .asked = order.state else { return .inFlight(retryAfter: Self.pause) }
            throw PaymentError(
                .payer,
                "\(wallet.name) says that the payment failed, which it may still correct (\(text)). Ask again later, "
                    + "and look at its node before you end this payment or pay in another way",
                phase: .maybeSent, retry: .later)
        }
        guard case .asked(_, let isDealtWith, _) = order.state else { return .inFlight(retryAfter: Self.pause) }
        if !isDealtWith, try await !isOver(order, account, after: blocks) {
            return .inFlight(retryAfter: Self.blockPause)
        }
        try await orders.refuse(order.name, because: reason)
        return .nothingSent(reason: reason)
    }

    /// Returns true if the chain has grown by so many blocks since the end of an order's request was first seen.
    func isOver(_ order: WalletOrder, _ account: WalletAccount, after blocks: UInt64?) async throws -> Bool {
        guard case .asked(_, _, let seen) = order.state, let blocks, let height = account.height else { return false }
        guard let seen else {
            try await orders.note(height: height, for: order.name)
            return false
        }
        return height >= seen && height - seen >= blocks
    }

    /// The number of blocks until an invoice has expired, whatever this device's clock says: twice the average number
    /// in its whole lifetime, and a day's. Nil for an invoice that does not state its lifetime.
    private func lifetime(of invoice: WalletInvoice) -> UInt64? {
        lifetimeSeconds(invoice).map { 144 + $0 / 300 }
    }

    private func lifetimeSeconds(_ invoice: WalletInvoice) -> UInt64? {
        guard let link = try? PaymentLink("lightning:" + invoice.text),
            case .instruction(let instruction) = reader.read(link)
        else { return nil }
        guard invoice.isOffered else { return instruction.fields["expirySeconds"]?.uint64 }
        return OfferInvoice.lifetime(instruction)
    }

    // MARK: Ends

    /// Ends an order as paid.
    func settle(_ order: WalletOrder, _ proof: SettlementProof, fee: UInt64?) async throws -> SettlementState {
        try await orders.settle(order.name, proof, fee: fee)
        guard case .paid(let stored, _)? = try await orders.order(named: order.name, at: clock.now)?.state else {
            throw PaymentError(
                .payer, "what the wallet has paid could not be stored with the order; ask again", phase: .maybeSent,
                retry: .later)
        }
        return .settled(stored)
    }

    /// Returns the state of an order that was refused: paid by another name, or paid after all. An order that was
    /// refused after its request had left is looked up again. If the wallet does not answer, the refusal stands.
    private func state(
        ofRefused order: WalletOrder, _ reason: String, wasRequested: Bool
    ) async throws -> SettlementState {
        let hash = order.payment?.id
        let other: WalletOrder? =
            if let hash { try await orders.order(for: hash, at: clock.now) } else { nil }
        if reason == Self.elsewhere, let other, case .settled? = try? await state(of: other) {
            return .settledElsewhere(name: other.name)
        }
        // The wallet's record of an invoice that another name has ordered is about that one.
        guard wasRequested, other == nil, let account = try? await account(), account.id == order.wallet else {
            return .nothingSent(reason: reason)
        }
        switch order.payment {
        case .invoice(let invoice):
            guard case .paid(let proof, let fee)? = try? await record(of: invoice, in: account) else { break }
            return try await settle(order, proof, fee: fee)
        case .transaction(let transaction):
            guard let wallet = wallet as? any ChainWallet,
                case .published? = try? await wallet.record(of: transaction)
            else { break }
            return try await settle(order, .transaction(transaction.id), fee: transaction.fee * 1000)
        case nil: break
        }
        return .nothingSent(reason: reason)
    }
}

// MARK: - The wallet

/// The wallet of a settler: its account on the settler's network, and its record of an invoice.
extension WalletSettler {
    /// A wallet's record whose preimage was checked.
    enum CheckedRecord {
        case none
        case inFlight
        case paid(SettlementProof, fee: UInt64?)
        case failed(reason: String, isFinal: Bool)
    }

    func account() async throws(PaymentError) -> WalletAccount {
        let account = try await wallet.account()
        guard account.network == nil || account.network == network else {
            throw PaymentError(
                .payer, "\(wallet.name) is on \(account.network ?? "another network"), and the payment on \(network)")
        }
        return account
    }

    /// Returns the wallet's record, with a preimage that fits, or none.
    func record(
        of invoice: WalletInvoice, in account: WalletAccount
    ) async throws(PaymentError) -> CheckedRecord {
        switch try await wallet.record(of: invoice, in: account) {
        case .none: return .none
        case .inFlight: return .inFlight
        case .failed(let reason, let isFinal): return .failed(reason: reason, isFinal: isFinal)
        case .paid(let text, let fee):
            // Wallets write zeros for a preimage that they do not have.
            guard let text, !text.allSatisfy({ $0 == "0" }) else {
                return .paid(.unproven(paymentHash: invoice.paymentHash), fee: fee)
            }
            guard let preimage = Hex.decode(text), preimage.count == 32,
                Hex.encode(Digest.sha256.hash(preimage)) == invoice.paymentHash
            else {
                throw PaymentError(
                    .integrity,
                    "\(wallet.name) says that it paid, but its preimage does not fit the invoice: look into the "
                        + "wallet before you pay again", phase: .maybeSent)
            }
            return .paid(.preimage(Hex.encode(preimage)), fee: fee)
        }
    }
}
