import PaymentCore
import PayrailsProvider

/// The data of the page's script. The rules are those of ``CardBrand``, defined only there.
struct CheckoutRules {
    let json: JSONValue

    init(_ options: CheckoutPage.Options) {
        var members: [String: JSONValue] = [
            "brands": .array(CardBrand.all.map(Self.brand)), "unknown": Self.brand(.unknown),
            "now": [Self.number(options.currentMonth.year), Self.number(options.currentMonth.month)],
            "yearsAhead": Self.number(CardValidation.yearsAhead),
        ]
        if let key = options.encryptionKey {
            members["key"] = .string(key.subjectPublicKeyInfo)
            members["holder"] = .string(key.holderReference.reveal())
        }
        json = .object(members)
    }

    private static func brand(_ brand: CardBrand) -> JSONValue {
        [
            "name": .string(brand.name),
            "prefixes": .array(
                brand.prefixes.map { [number($0.range.lowerBound), number($0.range.upperBound), number($0.length)] }),
            "lengths": .array(brand.lengths.map(number)), "groups": .array(brand.groups.map(number)),
            "code": number(brand.securityCodeLength),
        ]
    }

    private static func number(_ value: Int) -> JSONValue { .number(JSONNumber(Int64(value))) }
}
