import PaymentCore
import ServiceSupport

/// Polling for the report of a payment that was sent.
///
/// The vendor's client polls likewise: up to ten queries a second apart until the service shows that the payment began,
/// then one query that the service holds until a change. Two deliberate differences: a later `authorizePending` never
/// hides a final status, and before a payment that requires no action is reported as pending, one more held query waits
/// for a change. The service's own success comes a moment after its pending.
struct ExecutionPoll: Sendable {
    /// The report of a payment.
    enum Ending: Sendable {
        case success
        case failed(String)
        /// The shop cancelled it.
        case cancelled
        case pending(ExecutionBody)
    }

    static let attempts = 10
    static let pause = Duration.seconds(1)

    let api: PayrailsAPI
    let clock: any PaymentClock
    var hold = PayrailsAPI.longestHold
    /// The statuses of the execution before the present attempt: none of them determines its report.
    var before = StatusHistory.Mark.start

    /// Polls until there is a report.
    ///
    /// - Parameter knowsPending: true if pending is a report; if false, polling continues.
    /// - Throws: ``PayrailsError``: `authenticationError`, `pollingFailed`, `finalStatusNotFoundAfterLongPoll` or
    ///   `longPollingFailed`.
    func ending(of url: String, knowsPending: Bool) async throws(PayrailsError) -> Ending {
        var execution = try await begun(url)
        var waitsLeft = 1
        var pendingWaitsLeft = 1
        while true {
            let history = StatusHistory(execution.status)
            switch history.verdict(knowsPending: knowsPending, since: before) {
            case .success: return .success
            case .failed(let reason): return .failed(reason)
            case .cancelled: return .cancelled
            case .pending:
                guard execution.actionRequired == nil, pendingWaitsLeft > 0 else { return .pending(execution) }
                pendingWaitsLeft -= 1
                do { execution = try await api.execution(url, waitingWhile: history.codes, hold: hold) } catch {
                    if case .authenticationError = error { throw error }
                    return .pending(execution)
                }
            case .open:
                guard waitsLeft > 0 else {
                    throw .finalStatusNotFoundAfterLongPoll("the service reported no ending of it")
                }
                waitsLeft -= 1
                do { execution = try await api.execution(url, waitingWhile: history.codes, hold: hold) } catch {
                    guard case .unknown(let cause) = error else { throw error }
                    throw .longPollingFailed(underlyingError: cause)
                }
            }
        }
    }

    /// Queries once; nil while there is no report.
    func look(at url: String) async throws(PayrailsError) -> Ending? {
        switch StatusHistory(try await api.execution(url).status).verdict(knowsPending: false, since: before) {
        case .success: .success
        case .failed(let reason): .failed(reason)
        case .cancelled: .cancelled
        case .pending, .open: nil
        }
    }

    /// Queries three times, a second apart, for the report of a payment whose payer has left; nil if there is none.
    ///
    /// - Throws: ``PayrailsError`` if the last query was not answered: the report is then unknown.
    func lastLooks(at url: String) async throws(PayrailsError) -> Ending? {
        // The last query decides, even if the task is cancelled in the meantime.
        let last: Result<Ending?, PayrailsError> = await loop(turns: 3).run(whenCancelled: { _ in nil }) { _ in
            do throws(PayrailsError) {
                if let ending = try await look(at: url) { return .last(.success(ending)) }
                return .again(.success(nil), after: Self.pause)
            } catch {
                guard !error.isAuthentication else { return .last(.failure(error)) }
                return .again(
                    .failure(.pollingFailed("the last look was not answered; \(error.description)")), after: Self.pause)
            }
        }
        return try last.get()
    }

    private func loop(turns: Int) -> PollingLoop {
        PollingLoop(clock: clock, limit: .pauses(Self.pause * (turns - 1)))
    }

    /// Returns the execution as soon as it shows that the payment began.
    private func begun(_ url: String) async throws(PayrailsError) -> ExecutionBody {
        var turns = 0
        func unseen(_ cause: String = "") -> Result<ExecutionBody, PayrailsError> {
            .failure(.pollingFailed("no 'authorizeRequested' after \(turns) attempts\(cause)"))
        }
        let last = await loop(turns: Self.attempts).run { _ in
            unseen("; it was cancelled")
        } ask: { _ in
            turns += 1
            do throws(PayrailsError) {
                let execution = try await api.execution(url)
                let history = StatusHistory(execution.status)
                // Before the begin, only a final status of the whole payment counts.
                let hasBegun =
                    history.mark.requests > before.requests
                    || history.verdict(knowsPending: false, since: before) != .open
                return hasBegun ? .last(.success(execution)) : .again(unseen(), after: Self.pause)
            } catch {
                return .last(error.isAuthentication ? .failure(error) : unseen("; \(error.description)"))
            }
        }
        return try last.get()
    }
}
