public import PaymentCore
import PaymentCrypto

extension ProviderContext {
    /// Pays through the payer's settler, in a durable step of the core: once for each attempt, whatever happens in
    /// between.
    ///
    /// The settler first registers the attempt's name, and the step is stored with the settler's own name. From then on
    /// the settler is asked what it has begun under that name. It pays only if it reports that it has begun nothing,
    /// also after an interruption. An earlier payment under this name is found, whatever endpoint it paid, and never
    /// made again. A payment that was begun with another settler, or with a settler that has lost the name, stays open.
    /// The proof of an invoice is checked against its payment hash. Review everything before this: the money cannot be
    /// recalled.
    ///
    /// - Parameters:
    ///   - attempt: the attempt whose option is paid: its amount, under a key that follows from the attempt's.
    ///   - endpoint: the destination of the money.
    /// - Returns: the proof, now or from an earlier run.
    /// - Throws: ``PaymentError``: ``PaymentError/Code/notSettled`` when the settler reports that nothing was sent,
    ///   which is reliable; phase `maybeSent` when money may have moved.
    public func settle(
        _ attempt: PaymentAttempt, to endpoint: SettlementEndpoint
    ) async throws -> SettlementProof {
        try await settle(attempt, to: endpoint) {}.proof
    }

    /// Does the same, with a last check before the settler is asked to pay.
    ///
    /// - Parameter check: runs each time before the settler is asked to pay, when the journal has the step and the
    ///   settler reports that it has sent nothing. If it throws, the settler is not asked. Throw
    ///   ``PaymentError/Code/notSettled``, with a phase before anything was sent, if it never will be.
    /// - Returns: the proof, and the endpoint that was paid: the first that was requested under the attempt's name.
    package func settle(
        _ attempt: PaymentAttempt, to endpoint: SettlementEndpoint,
        unless check: @escaping @Sendable () async throws -> Void
    ) async throws -> (proof: SettlementProof, endpoint: SettlementEndpoint) {
        let settlement = Settlement(
            key: SettlementFlow.name(for: attempt.idempotencyKey), endpoint: endpoint, amount: attempt.option.amount)
        let settling = Settling(
            settlement: settlement, settler: payer.settler, clock: clock, check: check,
            ensureInCharge: { try await ensureInCharge() })
        // A payment that an earlier run has begun is resumed only by the settler that began it.
        if await !hasRun(StepKind.settlementName) { try await settling.register() }
        let paid = try await durable(StepKind.settlementName, .settlement(by: payer.settler?.name ?? "")) {
            try await settling.run()
        }
        // A stored proof is checked like a new one.
        try settling.check(paid)
        return (paid.proof, paid.endpoint ?? endpoint)
    }
}

extension SettlingProvider {
    /// Asks the payer's settler about an attempt, by the name of the earlier request to pay.
    ///
    /// - Throws: ``PaymentError``, when the settler does not answer, or does not know the name.
    public func settlement(of attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        guard let settler = context.payer.settler else {
            throw PaymentError(.payer, "the payer has no settler to ask", retry: .later)
        }
        let name = SettlementFlow.name(for: attempt.idempotencyKey)
        let order: SettlementOrder?
        do { order = try await settler.order(named: name) } catch {
            throw PaymentError.settlerUnanswered(error, hasAsked: true)
        }
        guard let order else { throw Settling.lost(settler) }
        switch order.state {
        case .settled(let proof):
            guard let endpoint = order.endpoint else {
                throw PaymentError(.integrity, "the settler does not say what it has paid", phase: .maybeSent)
            }
            try Settling.check(proof, at: endpoint)
            try order.requireAmount(attempt.option.amount)
            return .succeeded(
                PaymentReceipt(reference: attempt.reference, amount: attempt.option.amount, proof: proof))
        case .nothingSent(let reason):
            return .declined(
                DeclineReason(.refused, "the payer's settler sent nothing: \(reason ?? "it does not say why")"))
        case .settledElsewhere:
            return .declined(DeclineReason(.paidElsewhere, "the invoice was paid by another payment"))
        case .inFlight(let wait): return .pending(retryAfter: wait)
        case .registered:
            throw PaymentError(.payer, "the payer's settler was not asked to pay yet", retry: .later)
        }
    }
}

/// The cause of a ``PaymentError/Code/notSettled`` error: the invoice was paid by another payment.
struct SettledElsewhereError: Error {}

/// A finished settlement, as journals store it: the proof, and the endpoint if that differs from the settlement's.
private struct Paid: Sendable, Codable {
    let proof: SettlementProof
    var endpoint: SettlementEndpoint?

    private enum Member: String, CodingKey { case proof, endpoint }

    init(_ proof: SettlementProof, at endpoint: SettlementEndpoint? = nil) {
        (self.proof, self.endpoint) = (proof, endpoint)
    }

    init(from decoder: any Decoder) throws {
        if let proof = try? SettlementProof(from: decoder) {
            self.init(proof)
        } else {
            let members = try decoder.container(keyedBy: Member.self)
            self.init(
                try members.decode(SettlementProof.self, forKey: .proof),
                at: try members.decode(SettlementEndpoint.self, forKey: .endpoint))
        }
    }

    func encode(to encoder: any Encoder) throws {
        guard let endpoint else { return try proof.encode(to: encoder) }
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(proof, forKey: .proof)
        try members.encode(endpoint, forKey: .endpoint)
    }
}

/// One settlement, from the first question to the proof.
private struct Settling: Sendable {
    let settlement: Settlement
    let settler: (any PaymentSettler)?
    let clock: any PaymentClock
    let check: @Sendable () async throws -> Void
    let ensureInCharge: @Sendable () async throws -> Void

    /// Returns the settler, if it pays such endpoints.
    private func able() throws(PaymentError) -> any PaymentSettler {
        guard settlement.amount.minorUnits > 0 else {
            throw PaymentError(.integrity, "a payment of nothing is not handed to the settler")
        }
        let endpoint = settlement.endpoint
        guard let settler else {
            throw PaymentError(.payer, "the payer has no settler; pay or resume with the one that was used")
        }
        guard settler.canSettle(endpoint.kind, on: endpoint.network) else {
            throw PaymentError(.payer, "the payer's settler does not pay \(endpoint.kind); resume with one that does")
        }
        return settler
    }

    /// Has the settler note the name, before the journal states that it may have been asked to pay.
    func register() async throws {
        let settler = try able()
        do { try await settler.register(settlement.key) } catch {
            throw PaymentError.settlerUnanswered(error, hasAsked: false)
        }
    }

    func run() async throws -> Paid {
        let settler = try able()
        // This run has not asked for money to be sent yet, so a failed query has sent nothing.
        var order: SettlementOrder?
        do { order = try await settler.order(named: settlement.key) } catch {
            throw PaymentError.settlerUnanswered(error, hasAsked: false)
        }
        if case .registered? = order?.state { order = try await request(settler) }
        var waits = RetryPolicy.settling.waits()
        while let known = order {
            switch known.state {
            case .registered: throw Self.lost(settler)
            case .settled(let proof):
                let paid = Paid(proof, at: known.endpoint == settlement.endpoint ? nil : known.endpoint)
                try check(paid)
                try known.requireAmount(settlement.amount)
                return paid
            case .nothingSent(let reason):
                let reason = reason ?? "it does not say why"
                throw PaymentError(.notSettled, "the payer's settler sent nothing: \(reason)", phase: .answered)
            case .settledElsewhere:
                throw PaymentError(
                    .notSettled, "the invoice was paid before, by another payment; nothing was sent: ask for a new one",
                    phase: .answered, cause: SettledElsewhereError())
            case .inFlight(let wish):
                guard let wait = waits.next(askedFor: wish) else {
                    throw PaymentError(
                        .network, "the settlement is still in progress; resume the attempt later", phase: .maybeSent,
                        retry: wish.map { .after($0) } ?? .later)
                }
                do {
                    try await clock.sleep(for: wait)
                    order = try await settler.order(named: settlement.key)
                } catch { throw PaymentError.settlerUnanswered(error, hasAsked: true) }
            }
        }
        throw Self.lost(settler)
    }

    static func lost(_ settler: any PaymentSettler) -> PaymentError {
        PaymentError(
            .payer,
            "the payer's settler (\(settler.name)) does not know the payment that it was asked for; look into the wallet "
                + "before you pay again",
            phase: .maybeSent, retry: .later)
    }

    /// Asks the settler to pay, which it has not begun yet.
    private func request(_ settler: any PaymentSettler) async throws -> SettlementOrder {
        guard !Task.isCancelled else {
            throw PaymentError(.cancelled, "stopped before the settler was asked to pay")
        }
        try await check()
        // The settler may have taken hours to answer. A worker that has taken over by now may receive its final state,
        // and pay again under another key.
        try await ensureInCharge()
        do {
            return SettlementOrder(
                name: settlement.key, endpoint: settlement.endpoint, amount: settlement.amount,
                state: try await settler.settle(settlement))
        } catch { throw PaymentError.settlerUnanswered(error, hasAsked: true) }
    }

    /// Checks a proof. A proof that proves nothing leaves the fate of the money open.
    func check(_ paid: Paid) throws(PaymentError) {
        try Self.check(paid.proof, at: paid.endpoint ?? settlement.endpoint)
    }

    static func check(_ proof: SettlementProof, at endpoint: SettlementEndpoint) throws(PaymentError) {
        let isProof: Bool
        switch (proof, endpoint.paymentHash) {
        case (.preimage(let text), let hash?):
            isProof = isPreimage(text, of: hash)
        // The settler has fetched the invoice, and checks by its hash.
        case (.preimage(let text), nil), (.unproven(let text), nil):
            isProof = endpoint.kind.isLightning && Hex.decode(text)?.count == 32
        // The wallet's own record, of this invoice.
        case (.unproven(let text), let hash?): isProof = text == hash
        // Lightning is proved by a preimage only, and a chain by a transaction only.
        case (.transaction(let text), _):
            isProof =
                !endpoint.kind.isLightning && 1...256 ~= text.utf8.count
                && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
        }
        guard isProof else {
            throw PaymentError(
                .integrity,
                "the payer's settler says that it paid, but its proof does not fit the payment: look into the wallet "
                    + "before you pay again", phase: .maybeSent)
        }
    }

    private static func isPreimage(_ text: String, of hash: String) -> Bool {
        guard let preimage = Hex.decode(text), preimage.count == 32 else { return false }
        return Hex.encode(Digest.sha256.hash(preimage)) == hash
    }
}

extension SettlementOrder {
    /// Throws if another amount was paid under this name: that is another payment.
    package func requireAmount(_ expected: Money) throws(PaymentError) {
        guard let paid = amount, !paid.isWorth(expected) else { return }
        throw PaymentError(
            .integrity,
            "the payer's settler has paid another amount under this name (\(paid) instead of \(expected)): look into the "
                + "wallet before you pay again", phase: .maybeSent)
    }
}

extension Money {
    /// Returns true if both are the same value, whatever their exponents.
    fileprivate func isWorth(_ other: Money) -> Bool {
        let (coarse, fine) = exponent <= other.exponent ? (self, other) : (other, self)
        var units = coarse.minorUnits
        for _ in coarse.exponent..<fine.exponent {
            let (product, isOver) = units.multipliedReportingOverflow(by: 10)
            guard !isOver else { return false }
            units = product
        }
        return currency == other.currency && units == fine.minorUnits
    }
}
