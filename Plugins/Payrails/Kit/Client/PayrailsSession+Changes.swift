import PaymentCore
import PayrailsProvider
import Synchronization

extension PayrailsSession {
    /// Requests the change `name` of the service, once. If the token is refused, requests fresh init data afterwards.
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
}
