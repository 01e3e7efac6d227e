import PayrailsComponents
import PayrailsTypes

/// Stands in where no session was created: nothing is stored, and every payment fails and says why.
final class MissingSession: ComponentSession {
    private static let error = PayrailsError.missingData(
        "an active session; call Payrails.createSession(with:) before making components")

    func storedInstruments(for type: Payrails.PaymentType) -> [any StoredInstrument] { [] }

    // No card can be paid with here, so no card has expired either.
    var currentMonth: YearAndMonth { YearAndMonth(year: 1970, month: 1) }

    func encryptCard(_ card: CardDetails) throws(PayrailsError) -> String { throw Self.error }

    func pay(
        withStoredInstrument instrument: any StoredInstrument, presenter: (any PaymentPresenter)?
    ) async -> OnPayResult { .error(Self.error) }

    func pay(
        withEncryptedCard encryptedData: String, saveInstrument: Bool, presenter: (any PaymentPresenter)?
    ) async -> OnPayResult { .error(Self.error) }

    func pay(
        withType type: Payrails.PaymentType, saveInstrument: Bool, presenter: (any PaymentPresenter)?
    ) async -> OnPayResult { .error(Self.error) }

    func deleteInstrument(instrumentId: String) async throws -> DeleteInstrumentResponse { throw Self.error }

    func reloadInstruments() async throws { throw Self.error }
}
