package import PaymentCore

/// An amount: minor units as a text, since other readers round long numbers, their unit and exponent.
package enum StoredMoney {
    package static func value(_ money: Money) -> JSONValue {
        [
            "minorUnits": .string(money.minorUnitText), "currency": .string(money.currency.unit),
            "exponent": .number(JSONNumber(money.exponent)),
        ]
    }

    package static func read(_ object: StoredObject) throws(StoredFormDefect) -> Money {
        let (units, unit) = (try object.text("minorUnits"), try object.text("currency"))
        guard let exponent = object.members["exponent"]?.number?.exactly(UInt8.self),
            let currency = try? Currency(unit: unit),
            let money = try? Money(minorUnitText: units, currency: currency, exponent: exponent)
        else { throw StoredFormDefect() }
        return money
    }
}
