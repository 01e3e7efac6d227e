import PaymentCore
import PayrailsProvider
import PayrailsTypes
import Synchronization

extension PayrailsSession {
    /// Asks the service for the change `name`, once; when the token is refused, asks for a new session afterwards.
    func change<Answer: Codable & Sendable>(
        _ name: String, _ call: @escaping @Sendable (PayrailsAPI, SessionPayload) async throws(PayrailsError) -> Answer
    ) async throws(PayrailsError) -> Answer {
        let payload = payload
        let context = context(payload)
        let api = PayrailsAPI(payload, http: context.http, random: random)
        do {
            return try await context.step(name, .mutation(replay: .never)) { try await call(api, payload) }
        } catch let error as PayrailsError {
            if case .authenticationError = error { refresh() }
            throw error
        } catch {
            throw .unknown(error: error)
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
                let tried = payload.execution.tried
                if payload.execution.id == state.payload.execution.id {
                    state.tried.include(tried)
                    state.earlier = state.earlier ?? Self.earlier(payload)
                } else {
                    state.tried = tried
                    state.earlier = Self.earlier(payload)
                }
                state.payload = payload
                state.amount = payload.amount
                // Fresh data list what there is now.
                state.deleted = []
            }
        }
    }
}
