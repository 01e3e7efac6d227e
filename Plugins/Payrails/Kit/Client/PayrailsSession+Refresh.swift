import PaymentCore
import PayrailsProvider
import Synchronization

/// One request for fresh init data. It ends when the application answers it, or releases it without an answer.
final class Renewal: Sendable {
    /// The requests of a session.
    struct State: Sendable {
        /// The number of the request in progress.
        var current: Int?
        /// The number of requests so far.
        var count = 0
        /// The callers that wait for the request in progress.
        var waiting: [CheckedContinuation<Bool, Never>] = []
    }

    private let session: PayrailsSession
    private let number: Int

    init(_ number: Int, of session: PayrailsSession) {
        self.number = number
        self.session = session
    }

    deinit { session.end(number, with: nil) }

    /// Takes the application's answer; only the first counts.
    func answer(_ result: Result<Payrails.InitData, any Error>) {
        session.end(number, with: (try? result.get()).flatMap { try? SessionPayload($0) })
    }
}

extension PayrailsSession {
    /// Requests fresh init data of the application and takes them over when they come. Only one request is in progress
    /// at a time; a failure changes nothing.
    func refresh() {
        guard let onSessionExpired else { return }
        let number = state.withLock { state -> Int? in
            guard state.renewal.current == nil else { return nil }
            state.renewal.count += 1
            state.renewal.current = state.renewal.count
            return state.renewal.count
        }
        guard let number else { return }
        let renewal = Renewal(number, of: self)
        onSessionExpired { renewal.answer($0) }
    }

    /// Requests fresh init data of the application and waits for them.
    ///
    /// - Returns: true if the data came and were taken over.
    func isRefreshed() async -> Bool {
        guard onSessionExpired != nil else { return false }
        return await withCheckedContinuation { continuation in
            state.withLock { $0.renewal.waiting.append(continuation) }
            refresh()
        }
    }

    /// Ends the request `number` with `payload`, its result.
    fileprivate func end(_ number: Int, with payload: SessionPayload?) {
        let (waiting, isTaken) = state.withLock { state -> ([CheckedContinuation<Bool, Never>], Bool) in
            guard state.renewal.current == number else { return ([], false) }
            state.renewal.current = nil
            let isTaken = payload.map { state.takeOver($0) } ?? false
            defer { state.renewal.waiting = [] }
            return (state.renewal.waiting, isTaken)
        }
        for continuation in waiting { continuation.resume(returning: isTaken) }
    }
}

extension PayrailsSession.State {
    /// Takes over fresh init data, unless they are those of another payment while one is in progress: a caller that
    /// does not know the end of the first payment would pay twice.
    ///
    /// - Returns: true if the data were taken over.
    mutating func takeOver(_ fresh: SessionPayload) -> Bool {
        guard !isPaying || fresh.execution?.id == payload.execution?.id else { return false }
        let mark = fresh.execution?.tried ?? .start
        if fresh.execution?.id == payload.execution?.id {
            tried.include(mark)
            earlier = earlier ?? PayrailsSession.earlier(fresh)
        } else {
            tried = mark
            earlier = PayrailsSession.earlier(fresh)
        }
        payload = fresh
        amount = fresh.amount
        // Fresh data list the present instruments.
        instruments.renew()
        return true
    }
}
