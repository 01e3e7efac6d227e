import PaymentCore
import PayrailsProvider
import PayrailsTypes
import Synchronization

extension PayrailsSession {
    /// Runs `call`; when the token is refused, asks for a new session afterwards.
    func refreshing<Answer>(
        _ call: () async throws(PayrailsError) -> Answer
    ) async throws(PayrailsError) -> Answer {
        do { return try await call() } catch {
            if case .authenticationError = error { refresh() }
            throw error
        }
    }

    /// Asks the application for fresh init data and takes them over when they come. One request at a time; a failure
    /// leaves everything as it is.
    func refresh() {
        guard let onSessionExpired else { return }
        let isFirst = state.withLock { state in
            defer { state.isRefreshing = true }
            return !state.isRefreshing
        }
        guard isFirst else { return }
        onSessionExpired { result in
            let payload = (try? result.get()).flatMap { try? SessionPayload($0) }
            self.state.withLock { state in
                guard state.isRefreshing else { return }
                state.isRefreshing = false
                guard let payload else { return }
                state.payload = payload
                state.amount = payload.amount
                let tried = payload.execution.tried
                state.tried.requests = max(state.tried.requests, tried.requests)
                state.tried.failures = max(state.tried.failures, tried.failures)
                // Fresh data list what there is now.
                state.deleted = []
            }
        }
    }
}
