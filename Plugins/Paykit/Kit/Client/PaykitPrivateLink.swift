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
    /// What the peer has sent to be paid before is paid no more; their requests are, at what they send from now on.
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

    /// Cancels a request, from either side. A payment in flight is made all the same.
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

    /// Returns the link by which a router pays a request of the peer's, once and within its limits, at a
    /// `PaykitProvider` created with ``PaykitClient/linkPayments(chain:)``; nil for a request of this side.
    ///
    /// Paying a request that waits for an answer accepts it. A recurring one is paid by its
    /// ``plan(for:paysByItself:provider:policy:)``.
    public func paymentLink(of request: PaykitPrivateLinkRequest) -> String? {
        guard !request.isOwn else { return nil }
        return PaykitRequestURL(request.id, from: peer, app: app, recurs: request.recurs)?.text
    }

    /// Returns the plan by which a `RecurringScheduler` has a router pay an accepted recurring request: each period
    /// once, within the limits of the router or with the payer's approval.
    ///
    /// ```swift
    /// try await scheduler.add(link.plan(for: request.id, paysByItself: true))
    /// ```
    ///
    /// `paysByItself` is true if a period may be paid without a question. `provider` is the id under which the Paykit
    /// provider is registered. `policy` is the handling of periods that were missed.
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
