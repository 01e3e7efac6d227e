import PaymentCore
import PaymentStandards

/// Makes a payment text of a standard from the fields of a form.
struct TextBuilder: Sendable {
    struct Field: Sendable {
        let name: String
        let title: String
        var isRequired = false
    }

    let id: String
    let title: String
    let fields: [Field]
    /// Makes the text; an error states the defect.
    private let make: @Sendable ([String: String]) throws -> String?

    /// Returns the text of a builder.
    static func text(_ id: String, _ values: [String: String]) -> (text: String?, problem: String?) {
        guard let builder = all.first(where: { $0.id == id }) else { return (nil, "There is no such builder.") }
        let values = values.filter { !$0.value.isEmpty }
        if let missing = builder.fields.first(where: { $0.isRequired && values[$0.name] == nil }) {
            return (nil, "\(missing.title) is missing.")
        }
        do {
            guard let text = try builder.make(values) else {
                return (nil, "Nothing can be made of this: please check the address and the amount.")
            }
            return (text, nil)
        } catch let defect as StandardDefect {
            return (nil, "Nothing can be made of this: \(defect).")
        } catch let error as MoneyError {
            return (nil, "Nothing can be made of this: \(error).")
        } catch {
            return (nil, "Nothing can be made of this: the amount is too large.")
        }
    }

    /// An amount that a text of this standard cannot hold.
    private struct TooLargeError: Error {}

    static let all = [
        TextBuilder(
            id: "bitcoin", title: "Bitcoin (BIP 321)",
            fields: [
                Field(name: "address", title: "Address", isRequired: true),
                Field(name: "amount", title: "Amount in bitcoin"),
                Field(name: "label", title: "Payee's name"), Field(name: "message", title: "What for"),
            ]
        ) { values in
            let satoshi = try values["amount"].map { try minorUnits($0, .satoshi) }
            let link = try BIP321(text: "bitcoin:" + (values["address"] ?? ""))
            guard let address = link.address else { return nil }
            return BIP321(
                address: address, amountSat: satoshi, label: values["label"], message: values["message"])?.text
        },
        TextBuilder(
            id: "epc", title: "SEPA credit transfer (EPC code, GiroCode)",
            fields: [
                Field(name: "name", title: "Payee's name", isRequired: true),
                Field(name: "iban", title: "IBAN", isRequired: true), Field(name: "amount", title: "Amount in euro"),
                Field(name: "remittance", title: "What for"),
            ]
        ) { values in
            let cents = try values["amount"].map { try minorUnits($0, Currency(unit: "iso4217/EUR")) }
            let iban = (values["iban"] ?? "").filter { $0 != " " }
            return try EPCCode(
                name: values["name"] ?? "", iban: iban, cents: cents, remittance: values["remittance"]
            ).text
        },
        TextBuilder(
            id: "payto", title: "payto: with an IBAN",
            fields: [
                Field(name: "iban", title: "IBAN", isRequired: true), Field(name: "amount", title: "Amount"),
                Field(name: "currency", title: "Currency"), Field(name: "name", title: "Payee's name"),
                Field(name: "message", title: "What for"),
            ]
        ) { values in
            let iban = (values["iban"] ?? "").filter { $0 != " " }
            return try Payto(
                target: "iban", path: [iban], amount: values["amount"].map { (values["currency"] ?? "EUR", $0) },
                receiverName: values["name"], message: values["message"]
            ).text
        },
        TextBuilder(
            id: "ethereum", title: "Ether (ERC-681)",
            fields: [
                Field(name: "address", title: "Address", isRequired: true),
                Field(name: "chain", title: "Chain's number"),
                Field(name: "amount", title: "Amount in ether"),
            ]
        ) { values in
            let ether = try Currency(unit: "caip19/eip155:1/slip44:60")
            let wei = try values["amount"].map {
                String(try Money(decimal: $0, currency: ether, exponent: 18).minorUnits)
            }
            let chain = values["chain"].map { UInt64($0) }
            guard chain != .some(nil) else { return nil }
            return EIP681(address: values["address"] ?? "", chainID: chain ?? nil, wei: wei)?.text
        },
        TextBuilder(
            id: "solana", title: "Solana Pay",
            fields: [
                Field(name: "recipient", title: "Recipient", isRequired: true), Field(name: "amount", title: "Amount"),
                Field(name: "token", title: "Token's mint"), Field(name: "label", title: "Payee's name"),
                Field(name: "message", title: "What for"),
            ]
        ) { values in
            SolanaPay(
                recipient: values["recipient"] ?? "", amount: values["amount"], token: values["token"],
                label: values["label"], message: values["message"])?.text
        },
        TextBuilder(
            id: "upi", title: "UPI",
            fields: [
                Field(name: "address", title: "Payee's address", isRequired: true),
                Field(name: "name", title: "Payee's name", isRequired: true),
                Field(name: "amount", title: "Amount in rupees"), Field(name: "note", title: "What for"),
            ]
        ) { values in
            let paise = try values["amount"].map { try minorUnits($0, Currency(unit: "iso4217/INR")) }
            return try UPILink(
                address: values["address"] ?? "", name: values["name"] ?? "", paise: paise, note: values["note"]
            ).text
        },
    ]

    /// Returns an amount as people write it, in the smallest unit.
    private static func minorUnits(_ text: String, _ currency: Currency) throws -> UInt64 {
        let units = try Money(decimal: text, currency: currency).minorUnits
        guard let count = UInt64(exactly: units) else { throw TooLargeError() }
        return count
    }
}
