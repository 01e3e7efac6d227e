import PaymentCore

/// Somebody else has ended the attempt: whoever brought the payer's return or a notification.
struct AttemptHasEnded: Error {}

/// How attempts end, and whose word about it is believed.
extension AttemptEngine {
    /// Whether the outcome says that no money moved, for good.
    static func claimsNoEffect(_ outcome: PaymentOutcome) -> Bool {
        if case .succeeded = outcome { false } else { outcome.isFinal }
    }

    /// Asks for the status, a few times, after an ending that leaves the payment's fate open.
    ///
    /// - Parameter claimed: what the provider made of it: told instead of the status when both say that no money moved.
    func settle(
        _ attempt: PaymentAttempt, after failure: PaymentError, claimed: PaymentOutcome? = nil,
        in context: ProviderContext
    ) async -> PaymentOutcome {
        var delay = Duration.milliseconds(500)
        for turn in 0..<5 where !Task.isCancelled {
            if turn > 0 {
                do { try await effects.clock.sleep(for: delay) } catch { break }
                delay = min(delay * 2, .seconds(5))
            }
            if let word = await finalStatus(of: attempt, in: context) {
                return Self.claimsNoEffect(word) ? claimed ?? word : word
            }
        }
        let message = failure.code == .cancelled ? "stopped while the payment was under way" : failure.message
        return .unknown(UnknownOutcome(reference: attempt.reference, message: message))
    }

    /// What may be stored when a message says `outcome` of `attempt`: that money moved, always; that none did, only as
    /// far as the service's status says so, when anything was sent for the attempt. Nil when it is not known.
    func confirmed(_ outcome: PaymentOutcome, of attempt: PaymentAttempt) async throws -> PaymentOutcome? {
        guard Self.claimsNoEffect(outcome), let before = try await now(attempt), before.mayHaveMovedMoney else {
            return outcome
        }
        let context = effects.context(for: descriptor, payer: payer, steps: NoAttempt(provider: descriptor.id))
        guard let word = await finalStatus(of: attempt, in: context) else { return nil }
        guard Self.claimsNoEffect(word) else { return word }
        // What was sent meanwhile is not in the status yet.
        guard let after = try await now(attempt), after.entries.count == before.entries.count else { return nil }
        return outcome
    }

    /// What is told of an attempt that a message would have ended.
    func unconfirmed(_ attempt: PaymentAttempt) -> PaymentOutcome {
        .unknown(
            UnknownOutcome(
                reference: attempt.reference,
                message: "money may have moved, and the service's status does not tell yet; ask again later"))
    }

    private func finalStatus(of attempt: PaymentAttempt, in context: ProviderContext) async -> PaymentOutcome? {
        guard let outcome = try? await status(of: attempt, in: context), outcome.isFinal else { return nil }
        if let elsewhere = try? await paidElsewhere(outcome, attempt) { return elsewhere }
        return try? checked(outcome, attempt)
    }

    /// What became of an attempt whose payment is paid in another currency, while none of the requests that it sent was
    /// accepted: somebody else has paid, or the payer with another device.
    private func paidElsewhere(_ outcome: PaymentOutcome, _ attempt: PaymentAttempt) async throws -> PaymentOutcome? {
        guard case .succeeded(let receipt) = outcome, receipt.reference == attempt.reference, attempt.refund == nil,
            let paid = receipt.amount, !paid.currency.denotesSame(as: attempt.option.amount.currency),
            let history = try await now(attempt), !history.hasAcceptedMutation
        else { return nil }
        return .declined(
            DeclineReason(
                .paidElsewhere, "the payment is paid already, with \(paid) instead of \(attempt.option.amount)"))
    }

    private func now(_ attempt: PaymentAttempt) async throws -> AttemptHistory? {
        try await journaled { try await journal.history(of: attempt.id) }
    }

    /// The ending of `attempt` that somebody else has stored.
    func stored(_ attempt: PaymentAttempt) async -> PaymentOutcome? {
        guard let history = try? await now(attempt), effects.isSound(history) else { return nil }
        return history.outcome.flatMap { $0.isFinal ? $0 : nil }
    }

    /// What can be told of an attempt that is said to have ended as `outcome`: once the payer's wallet may have sent
    /// the money by itself, nobody's word that none was paid is the last one.
    func believable(_ outcome: PaymentOutcome, of attempt: PaymentAttempt) async throws -> PaymentOutcome {
        if case .succeeded = outcome { return outcome }
        guard let history = try await now(attempt) else { return outcome }
        return Self.believable(outcome, after: history)
    }

    static func believable(_ outcome: PaymentOutcome, after history: AttemptHistory) -> PaymentOutcome {
        let transfers = history.walletTransfers
        guard !transfers.isEmpty else { return outcome }
        let word: String
        switch outcome {
        case .succeeded, .pending: return outcome
        case .unknown(let unknown): word = unknown.message
        case .declined, .cancelled, .expired: word = "the service says: \(outcome)"
        }
        let transactions = transfers.compactMap(\.self)
        let sent =
            transactions.isEmpty
            ? "the wallet may have sent the money, but never told the transaction"
            : "the wallet has sent the money (transaction \(transactions.joined(separator: ", ")))"
        return .unknown(
            UnknownOutcome(
                reference: history.attempt.reference, rawStatus: claimsNoEffect(outcome) ? outcome.description : nil,
                message: "\(sent); \(word); do not pay again, ask the payee"))
    }

    /// What can be told of a payment of which the service says `outcome`, while the attempt of `history` may be open: what
    /// goes on with it may have the wallet send money, whatever the service thinks by then.
    static func lasting(_ outcome: PaymentOutcome, after history: AttemptHistory) -> PaymentOutcome {
        let isUntouched = !history.mayHaveMovedMoney && history.outcome == nil
        guard claimsNoEffect(outcome), !history.isFinished, isUntouched else {
            return believable(outcome, after: history)
        }
        return .unknown(
            UnknownOutcome(
                reference: history.attempt.reference, rawStatus: outcome.description,
                message:
                    "the service says: \(outcome); but the attempt \(history.attempt.id) is open here and may still be "
                    + "gone on with; resume it, or recover, to end it"))
    }

    /// Stores that an attempt that has moved nothing is given up.
    ///
    /// - Throws: `failure` with another phase when it cannot be stored: whoever recovers the attempt goes on with it then,
    ///   and who was told that nothing was sent may have paid otherwise.
    func giveUp(_ attempt: PaymentAttempt, after failure: PaymentError) async throws {
        do { try await close(attempt, .abandoned(reason: failure.message)) } catch is AttemptHasEnded {
        } catch {
            throw PaymentError(
                failure.code,
                "\(failure.message); nothing was sent, but that could not be stored, so the attempt \(attempt.id) may "
                    + "still be gone on with: resume it before you pay otherwise",
                provider: descriptor.id, phase: .maybeSent, retry: .later, vendorCode: failure.vendorCode)
        }
    }

    /// Stores how an attempt ended.
    ///
    /// - Returns: the outcome, or the one that somebody else has stored before.
    func ended(_ attempt: PaymentAttempt, _ word: PaymentOutcome) async throws -> PaymentOutcome {
        let outcome = try await believable(word, of: attempt)
        do {
            try await close(attempt, .outcome(outcome))
            if outcome.isFinal { await hasEnded(attempt.reference, outcome) }
        } catch let failure as PaymentError
            where failure.code == .inUse && Self.claimsNoEffect(outcome)
        {
            // Somebody has taken the payment over, and may have paid it since.
            throw failure
        } catch is AttemptHasEnded {
            // A success is one, whoever was told so first; and what may have moved money here is not undone there.
            if case .succeeded = outcome { return outcome }
            if let stored = await stored(attempt), outcome.isFinal || !Self.claimsNoEffect(stored) { return stored }
        } catch {
            // The outcome is true even when it cannot be stored; the next look will ask the service again.
        }
        effects.log(
            PaymentEvent(
                provider: descriptor.id, attempt: attempt.id, kind: .outcome, message: outcome.description))
        return outcome
    }
}
