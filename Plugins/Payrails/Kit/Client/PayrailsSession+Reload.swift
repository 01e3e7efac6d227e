import PaymentCore
import PayrailsProvider
public import PayrailsTypes
import Synchronization

extension PayrailsSession {
    /// Asks what is stored for the payer now: ``storedInstruments(for:)`` lists it afterwards, what is new and without
    /// what is gone.
    ///
    /// The service is asked for its list. That clients may ask for it is not documented, only that servers may: where
    /// the service refuses, the application is asked for fresh init data (`onSessionExpired`), which have the list,
    /// too. That is not done while a payment is under way or may have been made: fresh data can be those of another
    /// payment.
    ///
    /// - Throws: ``PayrailsError`` when there was no answer; what was known stays.
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
    /// Whether the service was reached and gives no list, or there is nowhere to ask for it.
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
