public import PaykitProvider
public import PaymentCore
public import PaymentRecurring

/// A private link with an app of somebody (Protocol 12): requests for payments, what proves them, and receipts, left
/// for each other on both homeservers. Neither has to be there when the other is.
///
/// ```swift
/// let link = try await client.privateLink(with: friend)
/// try await link.poll()
/// for request in try await link.requests() where request.phase == .proposed { try await link.accept(request.id) }
/// let proof = try await link.pay(request.id, with: wallet)
/// try await link.poll()
/// ```
///
/// Nothing is sent but by ``poll()``: call it now and then, and after each of the others. Errors are ``PaykitError``.
public struct PaykitPrivateLink: Sendable {
    /// How far a link is.
    @nonexhaustive
    public enum Status: Sendable, Hashable {
        /// The peer has not answered yet.
        case linking
        /// What the peer has left cannot be read: it is of an earlier link, or in a form that is newer than what is
        /// known here.
        case unreadable
        /// What is said arrives.
        case linked
    }

    /// With whom.
    public let peer: PubkyKey
    /// With which app of theirs.
    public let app: PaykitReceiverPath
    let client: PaykitClient

    /// Hears what the peer has said, and says what is to be said. What fails is done at the next call.
    ///
    /// - Throws: ``PaykitError``.
    @discardableResult
    public func poll() async throws -> Status {
        switch try await client.poll(peer, app) {
        case .linking: .linking
        case .unreadable: .unreadable
        case .linked: .linked
        }
    }

    // MARK: Requests

    /// Returns all requests between the two, of either side, in the order in which they came.
    ///
    /// - Throws: ``PaykitError``.
    public func requests() async throws -> [PaykitPrivateLinkRequest] {
        try await client.withLinks { flow throws(PaykitNetworkError) in
            try await flow.requests(with: peer, app).map { PaykitPrivateLinkRequest($0) }
        }
    }

    /// Asks for a payment. What is asked for cannot be changed; other terms are another request.
    ///
    /// - Parameters:
    ///   - amount: in bitcoin.
    ///   - reference: what it is for: 1 to 256 characters. The peer, and nobody else, reads it. Whoever asks again
    ///     after a crash looks first whether there is a request with this reference.
    ///   - methods: how it may be paid: identifiers such as `btc-lightning-bolt11`.
    ///   - endpoints: where this peer alone is to pay, made for this payment; nil to have them pay what is published.
    /// - Returns: the request's id.
    /// - Throws: ``PaykitError``.
    @discardableResult
    public func ask(
        for amount: Money, reference: String, methods: [String], at endpoints: [PaykitEndpoint]? = nil
    ) async throws -> String {
        try await client.withLinks { flow throws(PaykitNetworkError) in
            let terms: PaymentTerms
            do {
                let identifiers = methods.compactMap { PaykitIdentifier($0) }
                guard amount.currency == .satoshi, !identifiers.isEmpty, identifiers.count == methods.count else {
                    throw PaykitNetworkError(
                        .validationFailed, "a request is for bitcoin, in ways named as 'btc-lightning-bolt11' is")
                }
                terms = PaymentTerms(
                    try PrivateLinkAmount(amount.decimalText, "btc"), reference: reference, identifiers: identifiers)
            } catch let failure as PaykitNetworkError { throw failure } catch {
                throw PaykitNetworkError(.validationFailed, "\(error)")
            }
            return try await flow.ask(for: terms, at: endpoints, flow.party(peer, app))
        }
    }

    /// Tells the peer where they alone are to pay from now on.
    ///
    /// - Throws: ``PaykitError``.
    public func offer(_ endpoints: [PaykitEndpoint]) async throws {
        try await client.withLinks { flow throws(PaykitNetworkError) in
            try await flow.offer(endpoints, flow.party(peer, app))
        }
    }

    /// Says yes to a request: it may be paid.
    ///
    /// - Throws: ``PaykitError``.
    public func accept(_ id: String) async throws {
        try await client.withLinks { flow throws(PaykitNetworkError) in try await flow.accept(id, flow.party(peer, app))
        }
    }

    /// Says no to a request.
    ///
    /// - Parameters:
    ///   - id: which.
    ///   - reason: for the peer; nil for none.
    /// - Throws: ``PaykitError``.
    public func reject(_ id: String, reason: String? = nil) async throws {
        try await client.withLinks { flow throws(PaykitNetworkError) in
            try await flow.reject(id, reason: reason, flow.party(peer, app))
        }
    }

    /// Calls a request off, from either side. A payment that is under way is made all the same.
    ///
    /// - Parameters:
    ///   - id: which.
    ///   - reason: for the peer; nil for none.
    /// - Throws: ``PaykitError``.
    public func cancel(_ id: String, reason: String? = nil) async throws {
        try await client.withLinks { flow throws(PaykitNetworkError) in
            try await flow.cancel(id, reason: reason, flow.party(peer, app))
        }
    }

    // MARK: Money

    /// Pays a request that was accepted, once, and has the proof sent. Called again after a crash, it says what became
    /// of it.
    ///
    /// - Parameters:
    ///   - id: which request.
    ///   - wallet: makes the payment.
    /// - Returns: what proves it.
    /// - Throws: ``PaykitError``: `methodNotSupported` when the peer has not said yet where to pay; with the failure
    ///   `paymentInDoubt` when the wallet does not know what became of it.
    @discardableResult
    public func pay(_ id: String, with wallet: any PaykitOrderWallet) async throws -> PaykitProof {
        try await client.payRequest(id, period: nil, peer, app, with: wallet)
    }

    /// Pays one period of a request that recurs, once, and has the proof sent.
    ///
    /// - Parameters:
    ///   - period: of the request's ``PaykitPrivateLinkRequest/schedule``, which a `RecurringScheduler` can count.
    ///   - id: which request.
    ///   - wallet: makes the payment.
    /// - Returns: what proves it.
    /// - Throws: as ``pay(_:with:)``.
    @discardableResult
    public func pay(
        period: RecurringPeriod, of id: String, with wallet: any PaykitOrderWallet
    ) async throws -> PaykitProof {
        try await client.payRequest(id, period: BillingPeriod(period), peer, app, with: wallet)
    }

    /// Returns the link by which a router pays a request of the peer's, once and within its limits, at a
    /// `PaykitProvider` that was given ``PaykitClient/linkPayments(chain:)``; nil for a request of one's own.
    ///
    /// A request that waits for an answer is accepted when it is paid. One that recurs is paid by its
    /// ``plan(for:paysByItself:provider:policy:)``.
    ///
    /// - Parameter request: which request.
    public func paymentLink(of request: PaykitPrivateLinkRequest) -> String? {
        guard !request.isOwn else { return nil }
        return PaykitRequestURL(request.id, from: peer, app: app, recurs: request.recurs)?.text
    }

    /// Returns the plan by which a `RecurringScheduler` has a router pay a request that recurs, and was accepted: each
    /// period once, within the limits of the router or when the payer has said yes.
    ///
    /// ```swift
    /// try await scheduler.add(link.plan(for: request.id, paysByItself: true))
    /// ```
    ///
    /// - Parameters:
    ///   - id: which request.
    ///   - paysByItself: whether a period may be paid without a question.
    ///   - provider: who pays: what the Paykit provider is registered as.
    ///   - policy: what becomes of periods that nobody was there to pay.
    /// - Returns: the plan; always of the same name for the same request.
    /// - Throws: ``PaykitError``.
    public func plan(
        for id: String, paysByItself: Bool, provider: ProviderID = PaykitProvider.id,
        policy: RecurringPolicy = RecurringPolicy()
    ) async throws -> RecurringPlan {
        try await client.withLinks { flow throws(PaykitNetworkError) in
            guard let request = try await flow.requests(with: peer, app).first(where: { $0.id == id }) else {
                throw PaykitNetworkError(.notFound, "there is no request of this id on this link")
            }
            return try request.plan(
                flow.party(peer, app), paysByItself: paysByItself, provider: provider, policy: policy)
        }
    }

    /// Returns what the payer says that proves a payment of a request of one's own; nil before. Only the wallet knows
    /// whether it has arrived.
    ///
    /// - Throws: ``PaykitError``.
    public func proof(of id: String) async throws -> PaykitProof? {
        try await client.withLinks { flow throws(PaykitNetworkError) in
            try await flow.requests(with: peer, app).first { $0.id == id }?.state.proofs.first.flatMap {
                PaykitProof($0)
            }
        }
    }

    /// Issues the receipt for a payment that has arrived. Called again, it is the same receipt.
    ///
    /// - Throws: ``PaykitError``.
    public func issueReceipt(for id: String) async throws { try await client.issueReceipt(for: id, peer, app) }

    /// Returns the ids of the receipts for a request that both sides hold, or will. They say what the payee said.
    ///
    /// - Throws: ``PaykitError``.
    public func receipts(for id: String) async throws -> [String] {
        try await client.withLinks { flow throws(PaykitNetworkError) in
            try await flow.receipts(for: id, flow.party(peer, app)).map(\.id)
        }
    }
}

/// A payment that one side of a private link asked the other for.
public struct PaykitPrivateLinkRequest: Sendable, Hashable, Identifiable {
    /// How far it has come.
    @nonexhaustive
    public enum Phase: String, Sendable, Hashable {
        /// The payer has not answered.
        case proposed
        /// It may be paid.
        case accepted
        /// It may be paid again and again.
        case active
        /// The payer has said no.
        case rejected
        /// Either side has called it off.
        case cancelled
        /// It is paid, as the payer says.
        case proven
    }

    /// The request's id.
    public let id: String
    /// Whether this side asked.
    public let isOwn: Bool
    /// How much, in bitcoin; nil for another asset.
    public let amount: Money?
    /// What it is for, in the payee's words.
    public let reference: String
    /// How it may be paid, as identifiers.
    public let methods: [String]
    /// How far it has come.
    public let phase: Phase
    /// Whether it is to be paid again and again.
    public let recurs: Bool
    /// When its periods are due, where it recurs; nil also where it does in a way that no schedule has.
    public let schedule: RecurringSchedule?

    init(_ request: PrivateLinkRequest) {
        id = request.id
        isOwn = request.isOwn
        amount = request.terms.amount.bitcoin
        reference = request.isOwn ? request.terms.reference : PeerText.shown(request.terms.reference)
        methods = request.terms.identifiers.map(\.text)
        recurs = request.terms.recurrence != nil
        schedule = request.terms.recurrence.flatMap { try? $0.schedule() }
        phase = Phase(rawValue: request.state.phase.rawValue) ?? .proposed
    }
}

/// What a wallet is to pay for a request.
public struct PaykitOrder: Sendable, Hashable {
    /// What the wallet keeps the payment under: it pays once under it, ever, whatever the endpoint.
    public let key: String
    /// Who is paid.
    public let payee: PubkyKey
    /// How much, in bitcoin.
    public let amount: Money
    /// Where.
    public let endpoint: PaykitEndpoint
}

/// A wallet that makes payments once, by name.
public protocol PaykitOrderWallet: Sendable {
    /// Returns what became of everything that was done under an order's key; nil when nothing was.
    ///
    /// - Parameter order: which payment.
    /// - Throws: when that is not known, as while a payment is under way: then nothing is paid.
    func outcome(of order: PaykitOrder) async throws -> PaykitSettlement?

    /// Pays an order, unless something was paid under its key: then that is the answer.
    ///
    /// - Parameter order: what to pay.
    /// - Returns: what became of it. What was not paid may be asked for again.
    /// - Throws: when nobody knows whether it has paid.
    func settle(_ order: PaykitOrder) async throws -> PaykitSettlement
}
