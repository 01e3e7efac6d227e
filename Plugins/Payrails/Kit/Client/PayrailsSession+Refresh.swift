import PaymentCore
import PayrailsProvider
import PayrailsTypes
import Synchronization

/// One request for fresh init data. It ends when the application answers it, or lets go of it without an answer.
final class Renewal: Sendable {
    /// What a session knows of its requests.
    struct State: Sendable {
        /// The number of the one that is under way.
        var current: Int?
        /// How many there were.
        var count = 0
        /// Who waits for the one that is under way.
        var waiting: [CheckedContinuation<Bool, Never>] = []
    }

    private let session: PayrailsSession
    private let number: Int

    init(_ number: Int, of session: PayrailsSession) {
        self.number = number
        self.session = session
    }

    deinit { session.end(number, with: nil) }

    /// The application's answer; only the first counts.
    func answer(_ result: Result<Payrails.InitData, any Error>) {
        session.end(number, with: (try? result.get()).flatMap { try? SessionPayload($0) })
    }
}

extension PayrailsSession {
    /// Asks the application for fresh init data and takes them over when they come. One request at a time; a failure
    /// leaves everything as it is.
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

    /// Asks the application for fresh init data and waits for them.
    ///
    /// - Returns: whether they came, and were taken over.
    func isRefreshed() async -> Bool {
        guard onSessionExpired != nil else { return false }
        return await withCheckedContinuation { continuation in
            state.withLock { $0.renewal.waiting.append(continuation) }
            refresh()
        }
    }

    /// The request called `number` is over; `payload` is what came of it.
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
    /// - Returns: whether it was done. Data of another payment are not taken while one is under way: whoever did not
    ///   know how that one ended would pay twice.
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
        // Fresh data list what there is now.
        instruments.renew()
        return true
    }
}
