public import PaymentCore
import PaymentCrypto

extension ProviderContext {
    /// Has the payer's settler pay, in a durable step of the core: once for each attempt, whatever happens in between.
    ///
    /// The settler is first asked for its state of this payment. Only its own report that nothing was sent lets it pay,
    /// also after an interruption; an earlier payment is found and never made again. The proof of an invoice is checked
    /// against its payment hash. Review everything before this: the money cannot be recalled.
    ///
    /// - Parameters:
    ///   - attempt: the attempt whose option is paid: its amount, under a key that follows from the attempt's.
    ///   - endpoint: the destination of the money.
    /// - Returns: the proof, now or from an earlier run.
    /// - Throws: ``PaymentError``: ``PaymentError/Code/notSettled`` when the settler reports that nothing was sent,
    ///   which can be believed; phase `maybeSent` when money may have moved.
    public func settle(
        _ attempt: PaymentAttempt, to endpoint: SettlementEndpoint
    ) async throws -> SettlementProof {
        try await settle(attempt, to: endpoint) {}
    }

    /// The same, with a last check before the settler is asked to pay.
    ///
    /// - Parameter check: runs each time before the settler is asked to pay, when the journal has the step and the
    ///   settler reports that it has sent nothing. Where it throws, the settler is not asked:
    ///   ``PaymentError/Code/notSettled`` where it never will be, with a phase before anything was sent.
    package func settle(
        _ attempt: PaymentAttempt, to endpoint: SettlementEndpoint,
        unless check: @escaping @Sendable () async throws -> Void
    ) async throws -> SettlementProof {
        let settlement = SettlementFlow.settlement(of: attempt, to: endpoint)
        let settling = Settling(
            settlement: settlement, settler: payer.settler, clock: clock, check: check,
            ensureInCharge: { try await ensureInCharge() })
        let proof = try await durable(StepKind.settlementName, .settlement) { try await settling.run() }
        // A stored proof is checked like a new one.
        try settling.check(proof)
        return proof
    }
}

/// One settlement, from the first question to the proof.
private struct Settling: Sendable {
    let settlement: Settlement
    let settler: (any PaymentSettler)?
    let clock: any PaymentClock
    let check: @Sendable () async throws -> Void
    let ensureInCharge: @Sendable () async throws -> Void

    func run() async throws -> SettlementProof {
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
        var state: SettlementState
        // Before this run has asked for money to be sent, a failed query has sent nothing.
        do { state = try await settler.state(of: settlement) } catch {
            throw Self.unanswered(error, hasAsked: false)
        }
        var hasAsked = false
        var waits = RetryPolicy.settling.waits()
        while true {
            switch state {
            case .settled(let proof):
                try check(proof)
                return proof
            case .nothingSent(let reason):
                guard !hasAsked else {
                    let reason = reason ?? "it does not say why"
                    throw PaymentError(.notSettled, "the payer's settler sent nothing: \(reason)", phase: .answered)
                }
                guard !Task.isCancelled else {
                    throw PaymentError(.cancelled, "stopped before the settler was asked to pay")
                }
                try await check()
                // The settler may have taken hours to answer. A worker that has taken over by now may receive its final
                // state, and pay anew under another key.
                try await ensureInCharge()
                hasAsked = true
                do { state = try await settler.settle(settlement) } catch {
                    throw Self.unanswered(error, hasAsked: true)
                }
            case .inFlight(let wish):
                guard let wait = waits.next(askedFor: wish) else {
                    throw PaymentError(
                        .network, "the settlement is still in progress; resume the attempt later", phase: .maybeSent,
                        retry: wish.map { .after($0) } ?? .later)
                }
                do {
                    try await clock.sleep(for: wait)
                    state = try await settler.state(of: settlement)
                } catch { throw Self.unanswered(error, hasAsked: true) }
            }
        }
    }

    /// Checks a proof; one that proves nothing leaves the fate of the money open.
    func check(_ proof: SettlementProof) throws(PaymentError) {
        let isProof: Bool
        switch (proof, settlement.endpoint.paymentHash) {
        case (.preimage(let text), let hash?):
            isProof = isPreimage(text, of: hash)
        case (.preimage(let text), nil):
            isProof = settlement.endpoint.kind.isLightning && Hex.decode(text)?.count == 32
        // Lightning is proved by a preimage, and a chain by a transaction; neither by the other's proof.
        case (.transaction(let text), _):
            isProof =
                !settlement.endpoint.kind.isLightning && 1...256 ~= text.utf8.count
                && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
        }
        guard isProof else {
            throw PaymentError(
                .integrity,
                "the payer's settler says that it paid, but its proof does not fit the payment: look into the wallet "
                    + "before you pay again", phase: .maybeSent)
        }
    }

    private func isPreimage(_ text: String, of hash: String) -> Bool {
        guard let preimage = Hex.decode(text), preimage.count == 32 else { return false }
        return Hex.encode(Digest.sha256.hash(preimage)) == hash
    }

    /// Whatever phase a settler's error claims, only its state says that nothing was sent.
    private static func unanswered(_ error: any Error, hasAsked: Bool) -> PaymentError {
        let reason = (error as? PaymentError)?.message ?? "\(type(of: error))"
        return PaymentError(
            .payer, "the payer's settler did not say what became of the payment (\(reason))",
            phase: hasAsked ? .maybeSent : .beforeSend, retry: .later, cause: error)
    }
}
