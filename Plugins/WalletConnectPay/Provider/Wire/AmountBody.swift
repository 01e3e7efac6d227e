package import PaymentCore

/// An amount of money or tokens, as the service writes it.
package struct AmountBody: Codable, Sendable {
    /// `iso4217/USD`, or `caip19/` and the token's CAIP-19 id.
    package let unit: String
    /// Minor units (cents, token units) in decimal digits.
    package let value: String
    package let display: DisplayBody
}

extension AmountBody {
    /// Returns the exact amount.
    ///
    /// - Throws: ``PaymentCore/MoneyError`` when unit, value or decimals are malformed.
    package func money() throws -> Money {
        guard let exponent = UInt8(exactly: display.decimals) else {
            throw PaymentError(.invalidResponse, "an amount has \(display.decimals) decimals")
        }
        return try Money(minorUnitText: value, currency: try Currency(unit: unit), exponent: exponent)
    }
}

/// The data for displaying an amount.
package struct DisplayBody: Codable, Sendable {
    package let assetSymbol: String
    /// Empty when the service omits it.
    package let assetName: String
    /// The number of decimal places of the minor unit.
    package let decimals: Int64
    package let iconUrl: String?
    package let networkIconUrl: String?
    package let networkName: String?

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        assetSymbol = try members.decode(String.self, forKey: .assetSymbol)
        assetName = try members.decodeIfPresent(String.self, forKey: .assetName) ?? ""
        decimals = try members.decode(Int64.self, forKey: .decimals)
        iconUrl = try members.decodeIfPresent(String.self, forKey: .iconUrl)
        networkIconUrl = try members.decodeIfPresent(String.self, forKey: .networkIconUrl)
        networkName = try members.decodeIfPresent(String.self, forKey: .networkName)
    }
}
