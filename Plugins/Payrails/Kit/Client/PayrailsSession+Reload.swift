import PaymentCore
public import PayrailsProvider
import Synchronization

extension PayrailsSession {
    /// Reloads the payer's stored instruments: afterwards ``storedInstruments(for:)`` lists the new ones, and no
    /// deleted ones.
    ///
    /// The service is asked for its list. The documentation allows this to servers and says nothing of clients: if the
    /// service refuses, the application is asked for fresh init data (`onSessionExpired`), which contain the list too.
    /// This fallback is skipped while a payment is in progress or may have been made: fresh data can be those of
    /// another payment.
    ///
    /// - Throws: ``PayrailsError`` if there was no answer; the known instruments stay.
    public func reloadInstruments() async throws(PayrailsError) {
        let (payload, question) = state.withLock { ($0.payload, $0.instruments.ask()) }
        do throws(PayrailsError) {
            guard let address = payload.instrumentsAddress else {
                throw .missingData("an address in the session at which stored instruments could be asked for")
            }
            let api = PayrailsAPI(payload, http: context(payload).http, random: random)
            let list = try await api.instruments(at: address, of: payload.holderReference)
            state.withLock { $0.instruments.take(list, to: question, in: $0.payload) }
        } catch {
            let isSettled = state.withLock { !$0.isPaying && $0.earlier == nil }
            guard error.isRejection, isSettled, await isRefreshed() else { throw error }
        }
    }
}

extension PayrailsError {
    /// True if the service was reached and gives no list, or the session has no address to ask at.
    fileprivate var isRejection: Bool {
        switch self {
        case .authenticationError, .missingData: true
        case .unknown(let fault as PayrailsUnderlyingError):
            switch fault {
            case .service, .unusableAnswer: true
            default: false
            }
        default: false
        }
    }
}
