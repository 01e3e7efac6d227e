import PaymentCore

/// Payments without a question: chosen and reserved here, and settled with the attempt.
extension AttemptEngine {
    /// The result of looking for an option that may be paid without a question.
    enum Unasked {
        /// One is within the limits, and reserved for this attempt.
        case reserved(PaymentMethodOption, AttemptID)
        /// None is; the text gives the reason.
        case none(String)
    }

    /// Reserves the first option that the payer can fulfil and that is within the limits; nil where there are no
    /// limits.
    func reserveUnasked(_ quote: PaymentQuote) async throws -> Unasked? {
        guard let autoPay = effects.autoPay, autoPay.includes(descriptor.id) else { return nil }
        guard !payer.isAlwaysAsked else { return Unasked.none("a part of the text is not known") }
        guard let store = effects.spendings else {
            return Unasked.none("the journal keeps no account of what is spent; give the router one that does")
        }
        var objections: [String] = []
        for option in quote.options where option.unmet.isEmpty {
            if let objection = objection(to: option, of: quote) {
                objections.append(objection)
                continue
            }
            let id = newAttemptID()
            guard let most = option.most else {
                objections.append("'\(option.id)' costs a fee that cannot be added to its amount")
                continue
            }
            let spending = try await journaled {
                try await autoPay.spending(on: option, most, of: quote, by: id, at: effects.clock.now, in: store)
            }
            var verdict = try await reserve(spending, autoPay, store)
            // Permanent reservations are worth a look only where they may be in the way.
            if case .refused(.exceeded) = verdict {
                await settleOthers()
                verdict = try await reserve(spending, autoPay, store)
            }
            switch verdict {
            case .granted: return .reserved(option, id)
            case .refused(let refusal): objections.append("'\(option.id)' \(refusal)")
            }
        }
        return Unasked.none(objections.joined(separator: "; "))
    }

    /// Returns the reason for which an option is not even compared with the limits; nil when it is.
    private func objection(to option: PaymentMethodOption, of quote: PaymentQuote) -> String? {
        guard !option.isEstimate else {
            return "'\(option.id)' costs an estimated \(option.amount), which may become more"
        }
        guard !option.amount.isZero else { return "'\(option.id)' says that it costs nothing" }
        guard let policy = payer.policy else { return nil }
        var alone = quote
        alone.options = [option]
        if case .none(let why) = policy.choice(from: alone) { return why }
        return nil
    }

    private func reserve(
        _ spending: Spending, _ autoPay: AutoPay, _ store: any SpendingStore
    ) async throws -> SpendingVerdict {
        let worths = try await journaled { try await autoPay.worths(before: spending, in: store) }
        do { return try await store.reserve(spending, within: autoPay.limits, counting: worths) } catch {
            // The reservation may be stored all the same, and no attempt will ever need it.
            try? await store.release(spending.attempt)
            throw self.error(.journal, "what is spent could not be stored: \(error)", cause: error)
        }
    }

    /// Pays an option that is reserved for an attempt. Any failure to open the attempt releases the reservation.
    func openReserved(
        _ quote: PaymentQuote, _ option: PaymentMethodOption, _ id: AttemptID, under key: String? = nil
    ) async throws -> PaymentOutcome {
        let ending: Result<PaymentOutcome, any Error>
        do { ending = .success(try await open(quote, option, as: id, under: key)) } catch { ending = .failure(error) }
        await effects.settleSpending(of: id)
        return try ending.get()
    }

    /// Returns the payer for the run of an attempt. One with a reservation was chosen without a question, in whichever
    /// process: nothing that outlasts the payment is signed for it.
    func payer(of attempt: PaymentAttempt) async throws -> Payer {
        guard let signer = payer.signer, let spendings = effects.spendings,
            try await journaled({ try await spendings.spending(of: attempt.id) }) != nil
        else { return payer }
        var payer = payer
        payer.signer = UnaskedSigner(base: signer, provider: descriptor.id)
        return payer
    }

    func newAttemptID() -> AttemptID {
        intent?.attemptID(effects.random) ?? AttemptID(rawValue: "att_" + effects.random.hex(24))
    }
}

extension RouterEffects {
    /// The account of spendings without a question, which is a part of the journal.
    var spendings: (any SpendingStore)? { journal as? any SpendingStore }

    /// Brings a reservation in line with its attempt: paid or released when that has ended, released when there is none
    /// and none can be opened any more. A signature that was handed in counts as paid, whatever the service reported:
    /// limits bind a service that lies, too. Called by the holder of the payment's lease, or one that was; a failure is
    /// repaired by the next look.
    func settleSpending(of attempt: AttemptID) async {
        guard let spendings, let record = try? await spendings.spending(of: attempt), record.state == .reserved else {
            return
        }
        do {
            guard let history = try await journal.history(of: attempt) else {
                return try await spendings.release(attempt)
            }
            // A record that another writer has changed proves nothing.
            guard history.isFinished, isSound(history) else { return }
            let isPaid = history.authorities.signaturesEnd != nil || history.entries.contains(where: \.provesPayment)
            try await settleSpending(of: attempt, isPaid: isPaid)
        } catch {}
    }

    /// Settles the reservation of an attempt that has ended. A paid spending counts, also where it had been taken for
    /// unpaid before, and nothing releases it.
    ///
    /// - Throws: ``SpendingError`` where it has no reservation or a paid one, and any error of the storage.
    func settleSpending(of attempt: AttemptID, isPaid: Bool) async throws {
        if isPaid { try await spendings?.commit(attempt) } else { try await spendings?.release(attempt) }
    }
}
