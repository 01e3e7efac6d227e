import PaymentCore
public import PayrailsProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PayrailsSession: ComponentSession {
    /// The present month in the time zone of this process.
    public var currentMonth: YearAndMonth { YearAndMonth(clock.now, timeZone: .current) }

    /// Encrypts a card with the key of the session.
    ///
    /// - Throws: ``PayrailsError`` when the session has no key for it.
    public func encryptCard(_ card: CardDetails) throws(PayrailsError) -> String { try encrypt(card) }

    /// Pays with a stored instrument.
    @MainActor public func pay(
        withStoredInstrument instrument: any StoredInstrument, presenter: (any PaymentPresenter)?
    ) async -> OnPayResult {
        await executePayment(withStoredInstrument: instrument, presenter: presenter)
    }

    /// Pays with an encrypted card that ``encryptCard(_:)`` or the payer's browser made.
    @MainActor public func pay(
        withEncryptedCard encryptedData: String, saveInstrument: Bool, presenter: (any PaymentPresenter)?
    ) async -> OnPayResult {
        await pay(.card, presenter) { .card(encryptedData: encryptedData, save: saveInstrument) }
    }

    /// Pays by a method other than a card.
    @MainActor public func pay(
        withType type: Payrails.PaymentType, saveInstrument: Bool, presenter: (any PaymentPresenter)?
    ) async -> OnPayResult {
        await executePayment(with: type, saveInstrument: saveInstrument, presenter: presenter)
    }
}
