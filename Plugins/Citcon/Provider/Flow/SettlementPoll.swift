import PaymentCore
import ServiceSupport

/// Polling until a charge is decided, for a bounded time. The limit counts the waits, not a wall clock, which can be
/// set back meanwhile.
struct SettlementPoll: Sendable {
    let provider: ProviderID
    let clock: any PaymentClock
    let limit: Duration
    /// The duration of an inquiry that times out.
    let timeout: Duration
    /// Called once, when the first answer leaves the charge undecided.
    var hasToWait: @Sendable () -> Void = {}

    private static let policy = RetryPolicy(retries: .max, firstDelay: .seconds(1), longestDelay: .seconds(5))

    /// Polls until the charge is decided or the limit has passed; at least once.
    ///
    /// - Returns: the last answer.
    /// - Throws: ``PaymentError`` of phase `maybeSent` when the last inquiry failed.
    func settle(
        _ ask: () async throws(CitconCallError) -> CitconService.Answer
    ) async throws -> TransactionFields {
        var waits = Self.policy.waits()
        var isFirst = true
        let loop = PollingLoop(clock: clock, limit: .pauses(limit))
        let last: Result<TransactionFields, any Error> = await loop.run { _ in
            .failure(CancellationError())
        } ask: { _ in
            do throws(CitconCallError) {
                let transaction = try await ask().transaction
                if transaction.state?.isSettled == true { return .last(.success(transaction)) }
                return .again(.success(transaction), after: waits.next() ?? limit)
            } catch {
                // A refused inquiry says nothing about the charge.
                let open = ErrorTable.citcon.paymentError(from: error, isMutation: false, at: provider)
                    .with(phase: .maybeSent)
                guard error.isPassing else { return .last(.failure(open)) }
                // After a requested wait beyond the policy's, the service is asked once more, at the limit.
                return .again(
                    .failure(open), after: waits.next(askedFor: error.wish) ?? limit,
                    counting: error.isTimeout ? timeout : .zero)
            }
        } willPause: { _, _ in
            if isFirst { hasToWait() }
            isFirst = false
        }
        return try last.get()
    }
}

extension CitconCallError {
    /// True if the same inquiry may succeed later.
    var isPassing: Bool {
        switch self {
        case .refused(let refusal): refusal.status == 429 || (500..<600).contains(refusal.status)
        case .transport(let error): error.reason != .cancelled
        case .unusableAnswer, .invalidRequest: false
        }
    }

    /// The wait that the service requests.
    fileprivate var wish: Duration? {
        if case .refused(let refusal) = self { refusal.retry.wait } else { nil }
    }

    /// True if the time for an answer ran out.
    fileprivate var isTimeout: Bool {
        if case .transport(let error) = self { error.reason == .timedOut } else { false }
    }
}
