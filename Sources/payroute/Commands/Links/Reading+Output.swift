import PaymentCore
import PaymentReview
import PaymentStandards
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Reading {
    /// The rows for people, below the summary. All of their texts are safe to show.
    var rows: [(label: String, text: String)] {
        var rows: [(String, String?)] = [
            ("payee", payee?.account), ("name", payee?.name.map { "\($0) (as the text claims)" }),
            ("amount", amount.rowText), ("network", network?.name), ("memo", memo), ("number", reference),
            ("expires", expires.map { "\($0.ISO8601Format())\(isExpired == true ? ", which has passed" : "")" }),
        ]
        rows += payments.map { payment in
            (
                "payment",
                [payment.amount.rowText ?? "any amount", payment.payee?.account].compactMap(\.self).joined(
                    separator: " to ")
            )
        }
        rows += alternatives.map { (kind == .ambiguous ? "either" : "or", $0.summary) }
        rows += warnings.filter { !summary.lowercased().contains($0.words.lowercased()) }.map { ("note", $0.words) }
        rows.append(("next", advice))
        return rows.compactMap { label, text in
            text.flatMap { $0.isEmpty ? nil : (label, Printable.text($0, limit: 2000)) }
        }
    }

    /// Adds the members of `reading` of `inspect --json`.
    func write(to buffer: inout [UInt8]) {
        buffer.addMember("advice", advice)
        buffer.addObjects("alternatives", alternatives) { $1.write(to: &$0) }
        buffer.addMember("amount", amount.number)
        buffer.addMember("amountKind", amount.kind)
        buffer.addJSON("expired", isExpired.map(JSONValue.bool) ?? .null)
        buffer.addMember("expires", expires?.ISO8601Format())
        buffer.addMember("kind", kind.rawValue)
        buffer.addMember("memo", memo)
        buffer.addMember("network", network?.id)
        buffer.addMember("networkName", network?.name)
        buffer.addMember("payee", payee?.account)
        buffer.addMember("payeeCheck", payee?.check.rawValue)
        buffer.addMember("payeeName", payee?.name)
        buffer.addJSON("payments", .array(payments.map(\.json)))
        buffer.addMember("provider", provider)
        buffer.addMember("reference", reference)
        buffer.addJSON("repeats", repeats?.json ?? .null)
        buffer.addMember("standard", standard)
        buffer.addMember("summary", summary)
        buffer.addMember("title", title)
        buffer.addMember("unclear", unread.filter(\.couldChangePayment).map(\.name))
        buffer.addMember("unit", amount.unit)
        buffer.addJSON(
            "unread",
            .object(Dictionary(unread.map { ($0.name, $0.value.map(JSONValue.string) ?? .null) }) { first, _ in first })
        )
        buffer.addMember("warnings", warnings.map(\.name))
    }

    /// The same as a value.
    var json: JSONValue {
        var buffer: [UInt8] = []
        buffer.addJSONLine { write(to: &$0) }
        do { return try JSONValue(parsing: buffer.dropLast()) } catch { return .null }
    }
}

extension PaymentInstruction.Payment {
    fileprivate var json: JSONValue {
        var object: JSONValue = ["amountKind": .string(amount.kind)]
        let members = [
            ("amount", amount.number), ("memo", memo), ("payee", payee?.account), ("payeeName", payee?.name),
            ("unit", amount.unit),
        ]
        for (name, text) in members { object[name] = text.map(JSONValue.string) ?? .null }
        return object
    }
}

extension PaymentInstruction.Repetition {
    fileprivate var json: JSONValue {
        [
            "every": every.map { .number(JSONNumber($0)) } ?? .null, "unit": .string(unit.rawValue),
            "first": first.map { .string($0.ISO8601Format()) } ?? .null,
            "last": last.map { .string($0.ISO8601Format()) } ?? .null,
        ]
    }
}

extension PaymentInstruction.Amount {
    /// The name of the case, for programs.
    fileprivate var kind: String {
        switch self {
        case .open: "open"
        case .fixed: "fixed"
        case .minimum: "minimum"
        case .suggested: "suggested"
        case .uncounted: "uncounted"
        case .onService: "onService"
        case .several: "several"
        }
    }

    /// The exact number in main units; nil where the text states none.
    fileprivate var number: String? {
        if case .uncounted(let digits, _) = self { return digits }
        return money?.decimalText
    }

    /// The unit of ``number``: `iso4217/EUR`, `caip19/…`, `BTC`, or a bare symbol.
    fileprivate var unit: String? {
        if case .uncounted(_, let unit) = self { return unit }
        return money?.currency.mainUnit
    }

    /// The amount as a row.
    fileprivate var rowText: String? {
        switch self {
        case .open: nil
        case .onService: "asked of the service"
        case .several: nil
        case .fixed(let money): AmountText.words(money)
        case .minimum(let money): "\(AmountText.words(money)) at least"
        case .suggested(let money): "\(AmountText.words(money)), unless the payer changes it"
        case .uncounted(let digits, let unit): Self.words(digits, unit: unit, isShort: false)
        }
    }
}
