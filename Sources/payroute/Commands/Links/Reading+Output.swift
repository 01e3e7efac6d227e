import PaymentCore
import PaymentReview

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
        rows += alternatives.map { (kind == .ambiguous ? "either" : "or", $0.summary) }
        rows += warnings.filter { !summary.lowercased().contains($0.words.lowercased()) }.map { ("note", $0.words) }
        rows.append(("next", advice))
        return rows.compactMap { label, text in
            text.flatMap { $0.isEmpty ? nil : (label, Printable.text($0, limit: 2000)) }
        }
    }

    /// The object `reading` of `inspect --json`.
    var json: JSONValue {
        func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
        return [
            "advice": text(advice), "alternatives": .array(alternatives.map(\.json)), "amount": text(amount.number),
            "amountKind": .string(amount.kind), "expired": isExpired.map(JSONValue.bool) ?? .null,
            "expires": text(expires?.ISO8601Format()), "kind": .string(kind.rawValue), "memo": text(memo),
            "network": text(network?.id), "networkName": text(network?.name), "payee": text(payee?.account),
            "payeeCheck": text(payee?.check.rawValue), "payeeName": text(payee?.name), "provider": text(provider),
            "reference": text(reference), "standard": text(standard), "summary": text(summary), "title": text(title),
            "unit": text(amount.unit), "warnings": .array(warnings.map { .string($0.name) }),
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
        }
    }

    /// The exact number in main units; nil where the text states none.
    fileprivate var number: String? {
        if case .uncounted(let digits, _) = self { return digits }
        return money?.decimalText
    }

    /// The unit of ``number``: `iso4217/EUR`, `caip19/…`, `sat` for bitcoin, or a bare symbol.
    fileprivate var unit: String? {
        if case .uncounted(_, let unit) = self { return unit }
        return money?.currency.unit
    }

    /// The amount as a row.
    fileprivate var rowText: String? {
        switch self {
        case .open: nil
        case .onService: "asked of the service"
        case .fixed(let money): AmountText.words(money)
        case .minimum(let money): "\(AmountText.words(money)) at least"
        case .suggested(let money): "\(AmountText.words(money)), unless the payer changes it"
        case .uncounted(let digits, let unit): "\(digits) \(unit)"
        }
    }
}
