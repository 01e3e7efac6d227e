import PaymentCore
import PayrailsTypes

/// Waiting for what becomes of a payment that was sent.
///
/// As the vendor's client does it: up to ten questions a second apart until the service shows that the payment began,
/// then one question that the service holds until something changes. Two things differ, on purpose: an ending is never
/// hidden by a later `authorizePending`, and before a payment without anything to do is called pending, the service is
/// asked once more to tell of a change; its own success comes a moment after its pending.
struct ExecutionPoll: Sendable {
    /// What has become of a payment.
    enum Ending: Sendable {
        case success
        case failed(String)
        /// The shop called it off.
        case cancelled
        case pending(ExecutionBody)
    }

    static let attempts = 10
    static let pause = Duration.seconds(1)

    let api: PayrailsAPI
    let clock: any PaymentClock
    var hold = PayrailsAPI.longestHold
    /// What the execution had before the attempt that is waited for: none of it says how this one ends.
    var before = StatusHistory.Mark.start

    /// Asks until there is an ending.
    ///
    /// - Parameter knowsPending: whether pending is one; if not, it is waited through.
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

    /// A single look; nil while there is no ending.
    func look(at url: String) async throws(PayrailsError) -> Ending? {
        switch StatusHistory(try await api.execution(url).status).verdict(knowsPending: false, since: before) {
        case .success: .success
        case .failed(let reason): .failed(reason)
        case .cancelled: .cancelled
        case .pending, .open: nil
        }
    }

    /// Three looks, a second apart, for the ending of a payment whose payer has left; nil when there is none.
    ///
    /// - Throws: ``PayrailsError`` when the last of them was not answered: then nobody knows.
    func lastLooks(at url: String) async throws(PayrailsError) -> Ending? {
        var failure: PayrailsError?
        for turn in 0..<3 {
            if turn > 0 { try? await clock.sleep(for: Self.pause) }
            do throws(PayrailsError) {
                if let ending = try await look(at: url) { return ending }
                failure = nil
            } catch {
                if case .authenticationError = error { throw error }
                failure = error
            }
        }
        guard let failure else { return nil }
        throw .pollingFailed("the last look was not answered; \(failure.description)")
    }

    /// The execution as soon as it shows that the payment began.
    private func begun(_ url: String) async throws(PayrailsError) -> ExecutionBody {
        var turn = 0
        var cause = ""
        while turn < Self.attempts {
            turn += 1
            do {
                let execution = try await api.execution(url)
                let history = StatusHistory(execution.status)
                // Before it begins, only an ending of the whole payment is news.
                if history.mark.requests > before.requests
                    || history.verdict(knowsPending: false, since: before) != .open
                {
                    return execution
                }
            } catch {
                if case .authenticationError = error { throw error }
                cause = "; \(error.description)"
                break
            }
            guard turn < Self.attempts else { break }
            do { try await clock.sleep(for: Self.pause) } catch {
                cause = "; it was called off"
                break
            }
        }
        throw .pollingFailed("no 'authorizeRequested' after \(turn) attempts\(cause)")
    }
}
