import PaymentCore

/// The request for the payer's card. The input is never stored: it is requested right before it is encrypted and sent.
struct CardCollection: Sendable {
    /// The provider of the errors.
    let provider: ProviderID

    /// The ids of the fields, as the vendor's form names them.
    static let request = DataRequest(fields: [
        field(.CARD_NUMBER, "Card number", isRequired: true),
        field(.EXPIRATION_MONTH, "Expiry month (MM)", isRequired: true),
        field(.EXPIRATION_YEAR, "Expiry year (YYYY)", isRequired: true),
        field(.CVV, "Security code", isRequired: true),
        field(.CARDHOLDER_NAME, "Name on the card", isRequired: false),
    ])

    /// Returns the card that `payer` enters; nil if the payer enters none.
    ///
    /// - Throws: `PaymentError` of phase `beforeSend` if the payer has no way to enter data, or the data is not
    ///   acceptable.
    func card(of payer: Payer, now: YearAndMonth) async throws -> CardDetails? {
        guard let collector = payer.dataCollector else { throw failure("a new card needs a data collector") }
        let values: [String: Redacted<String>]?
        do { values = try await collector(Self.request) } catch is CancellationError { throw CancellationError() } catch
        {
            throw failure("the card could not be asked for (\(type(of: error)))", cause: error)
        }
        guard let values else { return nil }
        func value(_ field: CardFieldType) -> String? { values[field.column]?.reveal() }
        do {
            return try CardDetails(
                number: value(.CARD_NUMBER) ?? "", expiryMonth: value(.EXPIRATION_MONTH) ?? "",
                expiryYear: value(.EXPIRATION_YEAR) ?? "", securityCode: value(.CVV) ?? "",
                holderName: value(.CARDHOLDER_NAME)?.nonEmpty, now: now)
        } catch {
            throw failure("the card is not valid: \(error.description)")
        }
    }

    private static func field(_ type: CardFieldType, _ name: String, isRequired: Bool) -> DataRequest.Field {
        DataRequest.Field(id: type.column, name: name, kind: .text, isRequired: isRequired)
    }

    private func failure(_ message: String, cause: (any Error)? = nil) -> PaymentError {
        PaymentError(.payer, message, provider: provider, cause: cause)
    }
}
