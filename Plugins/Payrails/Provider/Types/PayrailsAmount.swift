/// An amount in the service's form.
public struct PayrailsAmount: Sendable, Hashable, Codable {
    /// A decimal number of main units, such as `185.00`.
    public let value: String
    /// The ISO 4217 code.
    public let currency: String

    /// Creates an amount.
    public init(value: String, currency: String) {
        self.value = value
        self.currency = currency
    }
}
