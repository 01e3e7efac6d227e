import PayrailsProvider

/// A session in place of a missing one: it stores no instruments, and every payment fails with an error that says why.
final class MissingSession: ComponentSession {
    private static let error = PayrailsError.missingData(
        "an active session; call Payrails.createSession(with:) before making components")

    func storedInstruments(for type: Payrails.PaymentType) -> [any StoredInstrument] { [] }

    // This session has no card to pay with, so no card is expired.
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
