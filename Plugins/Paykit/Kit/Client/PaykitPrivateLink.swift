public import PaymentRecurring

/// A private link with an app of a user (Protocol 12): requests for payments, proofs and receipts, left for the other
/// side on the homeservers of both. The two sides need not be online at the same time.
///
/// ```swift
/// let link = try await client.privateLink(with: friend)
/// try await link.poll()
/// for request in try await link.requests() where request.phase == .proposed { try await link.accept(request.id) }
/// let proof = try await link.pay(request.id, with: settler, check: check)
/// try await link.poll()
/// ```
///
/// Only ``poll()`` sends anything: call it regularly, and after each of the other methods. Errors are ``PaykitError``.
public struct PaykitPrivateLink: Sendable {
    /// The status of a link. After a change of the peer's key compare ``PaykitPrivateLink/safetyNumber(of:)`` with the
    /// peer, then call ``PaykitPrivateLink/trust(_:)``.
    public typealias Status = PaykitLinkStatus

    /// The peer.
    public let peer: PubkyKey
    /// The peer's app.
    public let app: PaykitReceiverPath
    let client: PaykitClient

    /// Receives the peer's messages, and sends those that wait. Failures are retried at the next call.
    @discardableResult
    public func poll() async throws -> Status {
        try await use { flow, _, session in try await flow.poll(peer, app, session) }
    }

    // MARK: The peer's key

    /// Returns the key of the peer's app that this link trusts: the first one that it has shown, until another is
    /// confirmed; nil before the first ``poll()``. It is as certain as the peer's homeserver, until
    /// ``safetyNumber(of:)`` was compared.
    public func trustedKey() async throws -> PubkyKey? {
        try await use { flow, party, _ in try await flow.peerKeys(party)?.trusted }
    }

    /// Returns 60 digits in twelve groups that are the same at the peer's, if `key` is their app's and they see this
    /// app's: compare them in person or by telephone.
    ///
    /// - Throws: ``PaykitError``.
    public func safetyNumber(of key: PubkyKey) async throws -> String {
        try await use { flow, party, _ in flow.safetyNumber(with: key, party) }
    }

    /// Trusts the key that the peer's app shows now: after `Status.keyChanged`, once the user has compared it.
    /// Endpoints that the peer has sent before are no longer paid. Their requests are paid at endpoints that they send
    /// from now on.
    ///
    /// - Throws: ``PaykitError``, of the type `peerNotFound` when the app shows another key.
    public func trust(_ key: PubkyKey) async throws {
        try await use { flow, party, _ in try await flow.trust(key, party) }
    }

    // MARK: Requests

    /// Returns all requests between the two, of either side, in their order of arrival.
    public func requests() async throws -> [PaykitPrivateLinkRequest] {
        try await use { flow, _, _ in try await flow.requests(with: peer, app).map { PaykitPrivateLinkRequest($0) } }
    }

    /// Accepts a request: it may be paid.
    ///
    /// - Throws: ``PaykitError``.
    public func accept(_ id: String) async throws {
        try await use { flow, party, _ in try await flow.accept(id, party) }
    }

    /// Rejects a request.
    ///
    /// - Throws: ``PaykitError``.
    public func reject(_ id: String, reason: String? = nil) async throws {
        try await use { flow, party, _ in try await flow.reject(id, reason: reason, party) }
    }

    /// Cancels a request, from either side. A payment in flight is made anyway.
    ///
    /// - Throws: ``PaykitError``.
    public func cancel(_ id: String, reason: String? = nil) async throws {
        try await use { flow, party, _ in try await flow.cancel(id, reason: reason, party) }
    }

    // MARK: Money

    /// Pays a request, once, and has the proof sent. A repeated call after a crash returns the result. A request that
    /// waits for an answer is thereby accepted. A router that pays it (``paymentLink(of:)``) joins the same payment.
    /// `settler` makes the payment. `check` reads and checks the peer's endpoints; its chain is the settler's.
    ///
    /// - Returns: the proof of payment.
    /// - Throws: ``PaykitError``: `methodNotSupported` when the peer has not sent an endpoint yet; with the failure
    ///   `paymentInDoubt` when the settler does not know the outcome.
    @discardableResult
    public func pay(
        _ id: String, with settler: any PaymentSettler, check: PaykitEndpointCheck
    ) async throws -> PaykitProof {
        try await use { flow, party, _ in try await flow.pay(id, party, with: settler, check: check) }
    }

    /// Pays one period of a recurring request, once, and has the proof sent. `period` is a period of the request's
    /// ``PaykitPrivateLinkRequest/schedule``, which a `RecurringScheduler` can count. `settler` makes the payment.
    /// `check` reads and checks the peer's endpoints; its chain is the settler's.
    ///
    /// - Returns: the proof of payment.
    /// - Throws: as ``pay(_:with:check:)``.
    @discardableResult
    public func pay(
        period: RecurringPeriod, of id: String, with settler: any PaymentSettler, check: PaykitEndpointCheck
    ) async throws -> PaykitProof {
        try await use { flow, party, _ in
            try await flow.pay(id, period: BillingPeriod(period), party, with: settler, check: check)
        }
    }

    /// Returns the link for a router that pays a request of the peer's, once and within its limits, at a
    /// `PaykitProvider` created with ``PaykitClient/linkPayments(chain:)``; nil for a request of this side.
    ///
    /// Paying a request that waits for an answer accepts it. A recurring one is paid by its
    /// ``plan(for:paysByItself:provider:policy:)``.
    public func paymentLink(of request: PaykitPrivateLinkRequest) -> String? {
        guard !request.isOwn else { return nil }
        return PaykitRequestURL(request.id, from: peer, app: app, recurs: request.recurs)?.text
    }

    /// Returns the plan for a `RecurringScheduler` that has a router pay an accepted recurring request: each period
    /// once, within the limits of the router or with the payer's approval.
    ///
    /// ```swift
    /// try await scheduler.add(link.plan(for: request.id, paysByItself: true))
    /// ```
    ///
    /// `paysByItself` is true if a period may be paid without a question. `provider` is the id of the registered
    /// Paykit provider. `policy` is the handling of periods that were missed.
    ///
    /// - Returns: the plan; always of the same name for the same request.
    /// - Throws: ``PaykitError``.
    public func plan(
        for id: String, paysByItself: Bool, provider: ProviderID = PaykitProvider.id,
        policy: RecurringPolicy = RecurringPolicy()
    ) async throws -> RecurringPlan {
        try await use { flow, party, _ in
            guard let request = try await flow.requests(with: peer, app).first(where: { $0.id == id }) else {
                throw PaykitNetworkError(.notFound, "there is no request of this id on this link")
            }
            return try request.plan(party, paysByItself: paysByItself, provider: provider, policy: policy)
        }
    }

    func use<Value: Sendable>(
        _ work: @Sendable (PrivateLinkFlow, PrivateLinkParty, PubkySession) async throws -> Value
    ) async throws(PaykitError) -> Value {
        try await client.withLink(peer, app, work)
    }
}

/// A payment that one side of a private link asked the other for.
public struct PaykitPrivateLinkRequest: Sendable, Hashable, Identifiable {
    /// The phase of a request.
    public typealias Phase = PaykitRequestPhase

    /// The request's id.
    public let id: String
    /// True if this side asked for the payment.
    public let isOwn: Bool
    /// The amount in bitcoin; nil for another asset.
    public let amount: Money?
    /// The purpose, in the payee's words.
    public let reference: String
    /// The accepted methods, as identifiers.
    public let methods: [String]
    /// The phase.
    public let phase: Phase
    /// True if it is to be paid repeatedly.
    public let recurs: Bool
    /// The schedule of its periods, if it recurs; nil also if no schedule can express its recurrence.
    public let schedule: RecurringSchedule?

    init(_ request: PrivateLinkRequest) {
        id = request.id
        isOwn = request.isOwn
        amount = request.terms.amount.bitcoin
        reference = request.isOwn ? request.terms.reference : PeerText.shown(request.terms.reference)
        methods = request.terms.identifiers.map(\.text)
        recurs = request.terms.recurrence != nil
        schedule = request.terms.recurrence.flatMap { try? $0.schedule() }
        phase = request.state.phase
    }
}

/// The interval of payments for a request over a private link (Protocol 12.5).
public struct PaykitRecurrence: Sendable, Hashable {
    /// A unit of the interval.
    public typealias Unit = PaykitRecurrenceUnit

    /// The number of units from one payment to the next.
    public let every: UInt32
    /// The unit.
    public let unit: Unit
    /// The start of the first period, in whole seconds.
    public let start: Date
    /// The end: no period begins from then on; nil for no end.
    public let end: Date?

    /// Creates an interval. ``PaykitPrivateLink/ask(for:reference:methods:at:recurring:until:metadata:)`` checks it.
    public init(every: UInt32, _ unit: Unit, from start: Date, until end: Date? = nil) {
        self.every = every
        self.unit = unit
        self.start = start
        self.end = end
    }

    fileprivate var wire: PrivateLinkRecurrence {
        get throws {
            let made = try PrivateLinkRecurrence(
                every: every, unit, start: start.linkTime, anchor: start.linkTime, end: end?.linkTime)
            // Periods without a schedule could not be receipted.
            _ = try made.schedule()
            return made
        }
    }
}

extension Date {
    fileprivate var linkTime: PrivateLinkTime { PrivateLinkTime(seconds: Int64(timeIntervalSince1970.rounded(.down))) }
}

/// The payee's side.
extension PaykitPrivateLink {
    /// Asks for a payment. Its terms cannot be changed; other terms are another request.
    ///
    /// - Parameters:
    ///   - amount: the amount in bitcoin; of each period if the request recurs.
    ///   - reference: the purpose: 1 to 256 characters. Only the peer can read it. After a crash, look for a request
    ///     with this reference before asking again.
    ///   - methods: the accepted methods: identifiers such as `btc-lightning-bolt11`.
    ///   - endpoints: endpoints for this peer alone, made for this payment; nil to use the published ones. For each
    ///     later period others are sent by ``offer(_:)``.
    ///   - recurrence: the interval of the payments; nil for one payment.
    ///   - deadline: the time until which the request can be accepted, by the payer's clock; nil for no end.
    ///   - metadata: further data for the peer.
    /// - Returns: the request's id.
    /// - Throws: ``PaykitError``.
    @discardableResult
    public func ask(
        for amount: Money, reference: String, methods: [String], at endpoints: [PaykitEndpoint]? = nil,
        recurring recurrence: PaykitRecurrence? = nil, until deadline: Date? = nil, metadata: [String: JSONValue] = [:]
    ) async throws -> String {
        let terms: PaymentTerms
        do {
            let identifiers = methods.compactMap { PaykitIdentifier($0) }
            guard amount.currency == .satoshi, !identifiers.isEmpty, identifiers.count == methods.count else {
                throw PaykitNetworkError(
                    .validationFailed, "a request is for bitcoin, in ways named as 'btc-lightning-bolt11' is")
            }
            terms = PaymentTerms(
                try PrivateLinkAmount(amount.decimalText, "btc"), reference: reference, expiresAt: deadline?.linkTime,
                recurrence: try recurrence?.wire, identifiers: identifiers, metadata: metadata)
        } catch let failure as PaykitNetworkError { throw PaykitError(failure) } catch {
            throw PaykitError(PaykitNetworkError(.validationFailed, "\(error)"))
        }
        return try await use { flow, party, _ in try await flow.ask(for: terms, at: endpoints, party) }
    }

    /// Sends the peer the endpoints that they alone are to pay from now on.
    ///
    /// - Throws: ``PaykitError``.
    public func offer(_ endpoints: [PaykitEndpoint]) async throws {
        try await use { flow, party, _ in try await flow.offer(endpoints, party) }
    }

    /// Returns the payer's proof of payment of a request of this side; nil if none has come. Only the wallet knows
    /// whether the payment has arrived. `id` is the request. `period` is one of its periods; nil for a request for one
    /// payment. Of a request that recurs the latest proofs are stored.
    ///
    /// - Throws: ``PaykitError``.
    public func proof(of id: String, period: RecurringPeriod? = nil) async throws -> PaykitProof? {
        let period = period.flatMap { BillingPeriod($0) }
        return try await use { flow, _, _ in
            let request = try await flow.requests(with: peer, app).first { $0.id == id }
            return request?.state.proofs.first {
                PrivateLinkRequest.key(id, $0.period) == PrivateLinkRequest.key(id, period)
            }.flatMap { PaykitProof($0) }
        }
    }

    /// Issues the receipt for a payment that has arrived. A repeated call issues the same receipt. `id` is the request.
    /// `period` is the period that was paid; nil for a request for one payment.
    ///
    /// - Throws: ``PaykitError``.
    public func issueReceipt(for id: String, period: RecurringPeriod? = nil) async throws {
        try await use { flow, party, session in
            _ = try await flow.issueReceipt(for: id, period: period.flatMap { BillingPeriod($0) }, party, session)
        }
    }

    /// Returns the ids of the receipts for a request that both sides have, or will have: the payee's statements.
    ///
    /// - Throws: ``PaykitError``.
    public func receipts(for id: String) async throws -> [String] {
        try await use { flow, party, _ in try await flow.receipts(for: id, party).map(\.id) }
    }
}

/// Private links with other generation 3 apps.
extension PaykitClient {
    /// Publishes on the homeserver that this app accepts private links. It requires
    /// ``PaykitClientConfiguration/receiver`` and ``PaykitClientConfiguration/receiverSecret``.
    public func publishReceiver() async throws {
        try await signedIn { session in try await links(session).publishMarker(session) }
    }

    /// Removes the publication that ``publishReceiver()`` has made.
    public func removeReceiver() async throws {
        try await signedIn { session in try await links(session).removeMarker(session) }
    }

    /// Returns the link with an app of a user. Nothing is sent before it is polled. `app` is the user's app; nil for
    /// the only one that accepts links. If several accept them, nil is the only one that already has a link.
    ///
    /// - Throws: ``PaykitError``, of the type `methodNotSupported` when they have none; with the failure
    ///   `validationFailed` when there are several to choose from.
    public func privateLink(with pubkey: String, app: PaykitReceiverPath? = nil) async throws -> PaykitPrivateLink {
        try await signedIn { session in
            let peer = try Self.key(pubkey)
            let flow = try links(session)
            let only: PaykitReceiverPath
            if let app { only = app } else { only = try await flow.peerReceiver(of: peer) }
            return PaykitPrivateLink(peer: peer, app: only, client: self)
        }
    }

    /// Returns the means for a `PaykitProvider` to pay the requests that arrive over this client's links: the same app,
    /// and the same store. It requires a session, as links do. `chain` is the chain that the payer's settler is on.
    ///
    /// - Throws: ``PaykitError``.
    public func linkPayments(chain: PaykitEndpointCheck.Network = .mainnet) async throws -> PaykitLinkPayments {
        try await signedIn { session in
            guard let receiver = configuration.receiver, let secret = configuration.receiverSecret else {
                throw Self.noReceiver
            }
            return try PaykitLinkPayments(
                as: session.user, receiver: receiver, secret: secret, store: store, chain: chain)
        }
    }

    private static let noReceiver = PaykitNetworkError(
        .notInitialized,
        "private links need the app's own receiver path and a secret of 32 bytes: set receiver and receiverSecret")

    // MARK: Internals

    func links(_ session: PubkySession) throws(PaykitNetworkError) -> PrivateLinkFlow {
        guard let receiver = configuration.receiver, let secret = configuration.receiverSecret,
            let keys = try? PrivateLinkKeys(secret: secret)
        else { throw Self.noReceiver }
        return PrivateLinkFlow(
            session.user, as: receiver, keys, reader, store: store, clock: clock, random: random,
            process: linkProcess)
    }

    func withLink<Value: Sendable>(
        _ peer: PubkyKey, _ app: PaykitReceiverPath,
        _ work: @Sendable (PrivateLinkFlow, PrivateLinkParty, PubkySession) async throws -> Value
    ) async throws(PaykitError) -> Value {
        try await signedIn { session in
            let flow = try links(session)
            return try await work(flow, flow.party(peer, app), session)
        }
    }
}

extension PrivateLinkRequest {
    /// Returns the plan for a scheduler that has a router pay a recurring request. Throws ``PaykitNetworkError``,
    /// `validationFailed`, if it does not recur, was not accepted, or has no schedule.
    package func plan(
        _ party: PrivateLinkParty, paysByItself: Bool, provider: ProviderID, policy: RecurringPolicy
    ) throws(PaykitNetworkError) -> RecurringPlan {
        guard !isOwn, let recurrence = terms.recurrence,
            let link = PaykitRequestURL(id, from: party.peer, app: party.peerReceiver, recurs: true)
        else {
            throw PaykitNetworkError(.validationFailed, "only a request of the peer's that recurs is paid by a plan")
        }
        try require(
            state.phase == .active, .validationFailed,
            "the request is \(state.phase.rawValue): accept it before it is planned")
        guard let amount = terms.amount.bitcoin else {
            throw PaykitNetworkError(.validationFailed, "the request is not for an amount of bitcoin")
        }
        let order = RecurringOrder(link: link.text, paysByItself: paysByItself)
        do {
            return try RecurringPlan(
                id: RecurringPlan.ID(rawValue: party.planName(id)), provider: provider, amount: amount,
                schedule: recurrence.schedule(), policy: policy, details: order.details)
        } catch { throw PaykitNetworkError(.validationFailed, "the request cannot be planned: \(error)") }
    }
}
