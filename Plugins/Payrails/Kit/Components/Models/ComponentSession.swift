public import PayrailsProvider

/// The session as the components use it. `PayrailsSession` conforms; tests and previews have their own.
public protocol ComponentSession: AnyObject, Sendable {
    /// Returns the payer's usable stored instruments of a type, in the service's order.
    func storedInstruments(for type: Payrails.PaymentType) -> [any StoredInstrument]

    /// The present month, which decides whether a card has expired.
    var currentMonth: YearAndMonth { get }

    /// Encrypts a card for the service; only the service can decrypt it.
    ///
    /// - Throws: if the session has no key for the encryption.
    func encryptCard(_ card: CardDetails) throws(PayrailsError) -> String

    /// Pays with a stored instrument. Cancelling the task cancels the payment as far as that is still possible.
    @MainActor func pay(
        withStoredInstrument instrument: any StoredInstrument, presenter: (any PaymentPresenter)?
    ) async -> OnPayResult

    /// Pays with a card that ``encryptCard(_:)`` made.
    ///
    /// - Parameters:
    ///   - encryptedData: the card, which only the service can decrypt.
    ///   - saveInstrument: true if the service stores the card for later payments.
    ///   - presenter: shows a page if the payment needs one.
    @MainActor func pay(
        withEncryptedCard encryptedData: String, saveInstrument: Bool, presenter: (any PaymentPresenter)?
    ) async -> OnPayResult

    /// Pays by a method other than a card, for the first time or on a separate page.
    @MainActor func pay(
        withType type: Payrails.PaymentType, saveInstrument: Bool, presenter: (any PaymentPresenter)?
    ) async -> OnPayResult

    /// Deletes a stored instrument permanently.
    ///
    /// - Throws: if the service did not say whether it deleted the instrument.
    func deleteInstrument(instrumentId: String) async throws -> DeleteInstrumentResponse

    /// Reloads the payer's stored instruments from the service; ``storedInstruments(for:)`` returns them afterwards.
    ///
    /// - Throws: if there was no answer; the known instruments stay.
    func reloadInstruments() async throws
}

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
