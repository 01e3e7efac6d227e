import PaymentCore
import PaymentCrypto
import PaymentStandards
import PaymentWallet

/// Makes payment texts of the parts that are read from standard input, for `Tests/Interop/round_trips.py`: one JSON
/// object a line, each answered by `{"text":…}` or `{"refused":…}`.
struct TextRequest {
    let parts: JSONValue

    /// The text of what `make` names.
    func text() throws -> String {
        switch parts["make"]?.string {
        case "bip321":
            try found(
                BIP321(
                    address: BitcoinAddress(PaymentLink(need("address"))), amountSat: number("sat"),
                    label: word("label"), message: word("message"))?.text)
        case "eip681":
            try found(EIP681(address: need("address"), chainID: number("chain"), wei: word("wei"))?.text)
        case "eip681-token":
            try found(
                EIP681(
                    token: need("token"), recipient: need("address"), chainID: number("chain") ?? 1,
                    units: need("units"))?
                    .text)
        case "epc":
            try EPCCode(
                name: need("name"), iban: need("iban"), cents: number("cents"), reference: word("reference"),
                remittance: word("remittance")
            ).text
        case "payto":
            try Payto(
                target: "iban", path: [need("iban")], amount: ("EUR", need("amount")), receiverName: word("name"),
                message: word("message")
            ).text
        case "pix":
            try MerchantCode.pix(
                key: need("key"), name: need("name"), city: need("city"), centavos: number("centavos"),
                transaction: word("transaction")
            ).text
        case "sep7":
            try found(SEP7(destination: need("address"), parameters: texts("parameters"))?.text)
        case "solana":
            try found(
                SolanaPay(
                    recipient: need("address"), amount: word("amount"), token: word("token"), label: word("label"),
                    message: word("message"), memo: word("memo"))?.text)
        case "spd":
            try ShortPaymentDescriptor(
                iban: need("iban"), hundredths: number("hundredths"), recipientName: word("name"),
                message: word("message"), variableSymbol: word("symbol"), hasChecksum: true
            ).text
        case "swiss":
            try SwissBill(
                iban: need("iban"),
                creditor: .init(
                    name: need("name"), street: word("street"), houseNumber: word("number"), postalCode: need("code"),
                    town: need("town"), country: need("country")),
                cents: number("cents"), reference: word("reference"), message: word("message")
            ).text
        case "typed-data":
            try DevelopmentWallet(seed: number("seed") ?? 0).signTypedData(parts["data"] ?? .null)
        case "upi":
            try UPILink(
                address: need("address"), name: need("name"), paise: number("paise"), note: word("note"),
                reference: word("reference")
            ).text
        case "wallet":
            DevelopmentWallet(seed: number("seed") ?? 0).address.checksummed
        default: throw Unfit(reason: "nothing is called \(parts["make"]?.string ?? "so")")
        }
    }

    private struct Unfit: Error, CustomStringConvertible {
        let reason: String
        var description: String { reason }
    }

    private func word(_ name: String) -> String? { parts[name]?.string }

    private func need(_ name: String) throws -> String {
        guard let text = word(name) else { throw Unfit(reason: "\(name) is missing") }
        return text
    }

    private func number(_ name: String) -> UInt64? { parts[name]?.int64.flatMap { UInt64(exactly: $0) } }

    private func texts(_ name: String) -> [String: String] { (parts[name]?.object ?? [:]).compactMapValues(\.string) }

    private func found(_ text: String?) throws -> String {
        guard let text else { throw Unfit(reason: "these parts make no text") }
        return text
    }
}

while let line = readLine() {
    var answer: JSONValue
    do {
        answer = ["text": .string(try TextRequest(parts: JSONValue(parsing: line)).text())]
    } catch {
        answer = ["refused": .string("\(error)")]
    }
    print(String(decoding: answer.serialized(), as: UTF8.self))
}
