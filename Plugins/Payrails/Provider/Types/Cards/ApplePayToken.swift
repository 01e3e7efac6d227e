import PaymentCore

/// The token of Apple's payment sheet, as values: this package does not need PassKit. Redacted when printed.
public struct ApplePayToken: Sendable, Hashable {
    /// The kind of card behind the sheet.
    public enum MethodType: String, Sendable, Hashable {
        /// A debit card.
        case debit
        /// A credit card.
        case credit
        /// A prepaid card.
        case prepaid
        /// A store card.
        case store
        /// Anything else.
        case unknown
    }

    private let content: Redacted<JSONValue>
    private let network: String
    private let name: String

    /// Creates a token from the parts of a `PKPaymentToken`.
    ///
    /// - Parameters:
    ///   - paymentData: the JSON of the `PKPaymentToken`.
    ///   - displayName: the card's name in the payment sheet.
    ///   - network: the card's network, such as `Visa`.
    ///   - type: the kind of card.
    ///   - transactionIdentifier: the id of the `PKPaymentToken`.
    /// - Throws: ``PayrailsError/invalidDataFormat`` if `paymentData` is not a JSON object; a simulator's is empty.
    public init(
        paymentData: [UInt8], displayName: String, network: String, type: MethodType, transactionIdentifier: String
    ) throws(PayrailsError) {
        guard let data = try? JSONValue(parsing: paymentData), data.object != nil else { throw .invalidDataFormat }
        content = Redacted([
            "paymentData": data,
            "paymentMethod": [
                "displayName": .string(displayName), "network": .string(network), "type": .string(type.rawValue),
            ],
            "transactionIdentifier": .string(transactionIdentifier),
        ])
        self.network = network
        name = displayName
    }

    /// The token's text in an authorization request.
    package var paymentText: String {
        var value = content.reveal()
        value["paymentNetwork"] = .string(network)
        value["paymentInstrumentName"] = .string(name)
        return value.text
    }

    /// The token's text in a request to the vault.
    package var vaultText: String { JSONValue.object(["token": content.reveal()]).text }
}

extension ApplePayToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `ApplePayToken`.
    public var description: String { "ApplePayToken" }
    /// Always `ApplePayToken`.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
