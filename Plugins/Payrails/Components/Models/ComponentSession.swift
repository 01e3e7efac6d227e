public import PayrailsTypes

/// What the components need of a session. `PayrailsSession` is one; tests and previews bring their own.
public protocol ComponentSession: AnyObject, Sendable {
    /// Returns the payer's usable stored instruments of a type, in the service's order.
    func storedInstruments(for type: Payrails.PaymentType) -> [any StoredInstrument]

    /// The present month, which decides whether a card has expired.
    var currentMonth: YearAndMonth { get }

    /// Encrypts a card for the service, so that nobody on the way can read it.
    ///
    /// - Throws: when the session has no key for it.
    func encryptCard(_ card: CardDetails) throws(PayrailsError) -> String

    /// Pays with a stored instrument. Cancelling the task calls the payment off as far as that is still possible.
    @MainActor func pay(
        withStoredInstrument instrument: any StoredInstrument, presenter: (any PaymentPresenter)?
    ) async -> OnPayResult

    /// Pays with a card that ``encryptCard(_:)`` made.
    ///
    /// - Parameters:
    ///   - encryptedData: the card, which only the service can read.
    ///   - saveInstrument: whether the service keeps the card for later payments.
    ///   - presenter: shows a page where one is needed.
    @MainActor func pay(
        withEncryptedCard encryptedData: String, saveInstrument: Bool, presenter: (any PaymentPresenter)?
    ) async -> OnPayResult

    /// Pays by another method than a card, for the first time or on a page of its own.
    @MainActor func pay(
        withType type: Payrails.PaymentType, saveInstrument: Bool, presenter: (any PaymentPresenter)?
    ) async -> OnPayResult

    /// Deletes a stored instrument for good.
    ///
    /// - Throws: when the service did not say whether it did.
    func deleteInstrument(instrumentId: String) async throws -> DeleteInstrumentResponse

    /// Asks the service what is stored for the payer; ``storedInstruments(for:)`` returns it afterwards.
    ///
    /// - Throws: when there was no answer; what was known stays.
    func reloadInstruments() async throws
}
