import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The opening and the run of attempts: every payment, capture and refund goes through `run`.
extension AttemptEngine {
    /// Opens an attempt at the payment of `quote` with `option`, and runs it.
    ///
    /// - Parameters:
    ///   - id: the id of the attempt; nil for a new one.
    ///   - key: the key by which the service or the settler recognises the attempt; nil for one that follows from the
    ///     payment where a settler pays it, and otherwise for a random one.
    func open(
        _ quote: PaymentQuote, _ option: PaymentMethodOption, as id: AttemptID? = nil, under key: String? = nil
    ) async throws -> PaymentOutcome {
        effects.emit(.chosen(option), at: descriptor.id, quote.reference)
        switch try await checkTime(of: quote.reference, until: quote.expiresAt, option) {
        case .enough:
            return try await open(
                quote.reference, option, as: id, under: key, until: quote.expiresAt, link: quote.link?.reveal())
        case .paymentEnded(let report): return try await state(report, of: quote.reference)
        case .priceEnded(let failure): throw failure
        }
    }

    /// Opens an attempt and runs it.
    func open(
        _ reference: PaymentReference, _ option: PaymentMethodOption, as id: AttemptID? = nil, under key: String? = nil,
        until end: Date? = nil, link: PaymentLink? = nil
    ) async throws -> PaymentOutcome {
        var key = key
        if key == nil { key = try await settledKey(["payment"] + reference.parts, of: reference) }
        let attempt = PaymentAttempt(
            id: id ?? newAttemptID(), reference: reference, option: option,
            idempotencyKey: key ?? effects.random.uuid(), startedAt: effects.clock.now, expiresAt: end)
        try await journal.inTurn {
            // Its callers may have heard that nothing was sent.
            guard !Task.isCancelled else { throw error(.cancelled, "stopped before anything was sent") }
            if reference.isPayment, await journal.steps.isPaymentEnded {
                throw error(.cancelled, "the payment ended while it was chosen how to pay")
            }
            try await journaled { try await journal.open(attempt) }
        }
        effects.emit(.began(option), of: attempt)
        return try await run(AttemptHistory(attempt: attempt), link)
    }

    /// Returns the key by which the payer's settler recognises an attempt, nil where a service does: it follows from
    /// what is paid and from the number of refusals of the settler and of people's decisions, each of which is final
    /// under its key. So a journal that was put back, and another device with the same settler, find what was begun.
    /// Services know keys of other payers, too, so theirs are random.
    ///
    /// - Parameter words: what is paid.
    func settledKey(_ words: [String], of payment: PaymentReference) async throws -> String? {
        guard serviceClient.isSettledByPayer, payment.isPayment else { return nil }
        let refusals = try await histories(of: payment).count { effects.isSound($0) && $0.hasSpentName }
        let text = (words + ["\(refusals)"]).joined(separator: "\n")
        return "settled-" + Hex.encode(Digest.sha256.hash(Array(text.utf8))).prefix(48)
    }

    /// Resumes an attempt that has sent nothing, unless its payment or its time is over, or another one is open at what
    /// may be the same payment: then the service's status, which may never be one that is understood, is not waited
    /// for.
    func resumeUnsent(_ history: AttemptHistory) async throws -> PaymentOutcome {
        if let payment = history.attempt.reference.cancelledPayment {
            let outcome = try await cancel(payment)
            return await storedEnding(of: history.attempt) ?? outcome
        }
        // Its end was lost in a crash.
        if Self.isCancellation(history.attempt) {
            let failure = error(.cancelled, "it was cancelled before anything was sent")
            try await close(history.attempt, .abandoned(reason: failure.message))
            throw failure
        }
        if let outcome = try await endAsDuplicate(history) { return outcome }
        let attempt = history.attempt
        switch try await checkTime(of: attempt.reference, until: attempt.expiresAt, attempt.option) {
        case .enough:
            if let report = try await ending(of: attempt) { return try await end(attempt, asUnsent: report) }
            return try await resume(history)
        case .paymentEnded(let report): return try await end(attempt, asUnsent: report)
        case .priceEnded(let failure):
            // The payment can still be paid, with another attempt.
            try await close(attempt, .abandoned(reason: failure.message))
            throw failure
        }
    }

    /// Returns the service's report if it has ended the payment since the attempt was opened: by another device, or by
    /// an attempt that this journal knew before it was restored from an older copy.
    private func ending(of attempt: PaymentAttempt) async throws -> CheckedReport? {
        guard attempt.reference.isPayment, !serviceClient.isSettledByPayer else { return nil }
        do {
            let report = try await serviceClient.status(of: attempt.reference)
            return report.isFinal ? report : nil
        } catch let error as PaymentError where error.phase == .answered {
            // Some services know a payment only once it was begun.
            return nil
        }
    }

    /// Ends an attempt that had sent nothing when the service was asked: a visitor may have sent something since.
    func end(_ attempt: PaymentAttempt, asUnsent report: CheckedReport) async throws -> PaymentOutcome {
        let now = try await history(of: attempt) ?? AttemptHistory(attempt: attempt)
        return try await end(attempt, as: report.checked(against: now, isUnsent: true))
    }

    /// Starts or resumes an attempt: has the provider take its steps, checks the reported outcome, and stores the end.
    func run(_ history: AttemptHistory, _ link: PaymentLink? = nil) async throws -> PaymentOutcome {
        if let outcome = try await endAsDuplicate(history) { return outcome }
        try await endAsSecondRefund(history)
        let attempt = history.attempt
        let steps = StepLog(history, replayWindow: descriptor.replayWindow, journal: journal, effects: effects)
        let context = effects.context(
            for: descriptor, payer: try await payer(of: attempt), steps: steps, about: attempt.reference,
            attempt: attempt.id,
            journal: journal,
            link: link)
        do {
            let report = try await serviceClient.perform(attempt, in: context).checked(against: attempt)
            if report.deniesPayment, await steps.mayHaveMovedMoney {
                let doubt = self.error(.network, "money may have moved; ask the service for its status")
                // Where our request was answered, the provider may have a more precise reason for the refusal.
                let reason = await steps.hasUnresolvedMutation ? nil : report
                return try await end(
                    attempt, as: await settle(attempt, after: doubt, claimed: reason, in: context))
            }
            return try await end(attempt, as: report)
        } catch {
            if await steps.hasEndedElsewhere, let outcome = await storedEnding(of: attempt),
                await steps.agrees(with: outcome)
            {
                return outcome
            }
            let failure = PaymentError(thrown: error, at: descriptor.id)
            // The worker that took the payment over settles it; asking here as well would only repeat that.
            if failure.code == .inUse { throw failure }
            let mayHaveMovedMoney = await steps.mayHaveMovedMoney
            guard mayHaveMovedMoney || failure.phase == .maybeSent else {
                try await abandon(attempt, after: failure)
                throw failure.code == .optionChanged ? await changedOption(failure, steps) : failure
            }
            return try await end(attempt, as: await settle(attempt, after: failure, in: context))
        }
    }

    /// Resumes an attempt that was begun before.
    func resume(_ history: AttemptHistory, _ link: PaymentLink? = nil) async throws -> PaymentOutcome {
        effects.emit(.continued(history.attempt.option), of: history.attempt)
        return try await run(history, link)
    }

    // MARK: Time

    private enum TimeLeft {
        case enough
        /// The service reports that the payment has ended.
        case paymentEnded(CheckedReport)
        /// Only the option's price is no longer valid, or there is no service that could end the payment.
        case priceEnded(PaymentError)
    }

    /// Returns whether a payment can still be paid with `option`, as of now.
    ///
    /// This device's clock alone decides nothing final: another device may have paid, and the clock may be wrong. So
    /// the service is asked about a payment whose time is over here.
    ///
    /// - Throws: ``PaymentError``, `unusableOption`, when the service has not ended such a payment.
    private func checkTime(
        of payment: PaymentReference, until end: Date?, _ option: PaymentMethodOption
    ) async throws -> TimeLeft {
        let now = effects.clock.now
        if let end, end <= now, serviceClient.isSettledByPayer {
            return .priceEnded(error(.unusableOption, "the payment's time is over by this device's clock"))
        }
        if let end, end <= now {
            let report = try await serviceClient.status(of: payment)
            guard !report.isFinal else { return .paymentEnded(report) }
            throw error(
                .unusableOption,
                "the payment's time is over by this device's clock, but its service has not ended it (\(report)); check "
                    + "the clock, or ask again later")
        }
        if let end = option.expiresAt, end <= now {
            return .priceEnded(
                error(.unusableOption, "the price of this option has expired; quote again for a new one"))
        }
        return .enough
    }
}

extension AttemptHistory {
    /// True if the settler, or a person in its place, has said of the attempt's name there that nothing was sent: the
    /// next attempt has another one. Before that, all attempts at the payment have the same.
    var hasSpentName: Bool {
        if case .declined(let reason)? = outcome, reason.code == .decided { return true }
        return authorities.settlerHasRefused
    }
}
