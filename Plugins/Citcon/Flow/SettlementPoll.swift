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
    var waits: @Sendable () -> Void = {}

    /// Asks until the charge is decided or the limit has passed; at least once.
    ///
    /// - Returns: the last answer.
    /// - Throws: ``PaymentError`` of phase `maybeSent` when the last question was not answered.
    func settle(
        _ ask: () async throws(CitconCallError) -> CitconService.Answer
    ) async throws -> TransactionFields {
        var waited = Duration.zero
        var pause = Duration.seconds(1)
        while true {
            do throws(CitconCallError) {
                let transaction = try await ask().transaction
                if transaction.state?.isSettled == true || waited >= limit { return transaction }
            } catch {
                if case .transport(let failure) = error, failure.reason == .timedOut { waited += timeout }
                guard error.isPassing, waited < limit else { throw ErrorTable.afterSending(error, at: provider) }
            }
            if pause == .seconds(1) { waits() }
            let next = min(pause, max(limit - waited, .milliseconds(1)))
            try await clock.sleep(for: next)
            waited += next
            pause = min(pause * 2, .seconds(5))
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
