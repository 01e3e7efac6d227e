import PaymentCore

/// Asking again until a charge is decided, for a bounded time.
///
/// The time is what was waited, not what a clock on the wall says, which somebody may set back meanwhile.
struct SettlementPoll: Sendable {
    let provider: ProviderID
    let clock: any PaymentClock
    let limit: Duration
    /// How long a question that is not answered takes.
    var timeout = Duration.seconds(30)
    /// Told once, when the first answer leaves it open.
    var hasToWait: @Sendable () -> Void = {}

    private static let policy = RetryPolicy(retries: .max, firstDelay: .seconds(1), longestDelay: .seconds(5))

    /// Asks until the charge is decided or the limit has passed; at least once.
    ///
    /// - Returns: the last answer.
    /// - Throws: ``PaymentError`` of phase `maybeSent` when the last question was not answered.
    func settle(
        _ ask: () async throws(CitconCallError) -> CitconService.Answer
    ) async throws -> TransactionFields {
        var waited = Duration.zero
        var waits = Self.policy.waits()
        var isFirst = true
        while true {
            var wish: Duration?
            do throws(CitconCallError) {
                let transaction = try await ask().transaction
                if transaction.state?.isSettled == true || waited >= limit { return transaction }
            } catch {
                if case .transport(let failure) = error, failure.reason == .timedOut { waited += timeout }
                guard error.isPassing, waited < limit else { throw ErrorTable.afterSending(error, at: provider) }
                if case .refused(let refusal) = error { wish = refusal.retry.wait }
            }
            if isFirst { hasToWait() }
            isFirst = false
            // A service that asks for more patience than the policy has is asked once more, at the limit.
            let next = min(waits.next(askedFor: wish) ?? limit, max(limit - waited, .milliseconds(1)))
            try await clock.sleep(for: next)
            waited += next
        }
    }
}

extension CitconCallError {
    /// Whether the same question may be answered later.
    var isPassing: Bool {
        switch self {
        case .refused(let refusal): refusal.status == 429 || (500..<600).contains(refusal.status)
        case .transport(let error): error.reason != .cancelled
        case .unusableAnswer, .invalidRequest: false
        }
    }
}
