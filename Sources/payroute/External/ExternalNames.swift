import PaymentCore
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The values of the protocol with external providers.
enum ExternalNames {
    /// `{"value": "12.50", "unit": "iso4217/EUR", "digits": 2}`; digits are for assets, which define none.
    /// Bitcoin is `BTC`, or whole satoshis in `sat`.
    static func amount(_ amount: Money) -> JSONValue {
        [
            "value": .string(amount.decimalText), "unit": .string(amount.currency.mainUnit),
            "digits": .number(JSONNumber(Int(amount.exponent))),
        ]
    }

    static func amount(_ json: JSONValue?) throws(PaymentError) -> Money {
        guard let value = json?["value"]?.string, let unit = json?["unit"]?.string else {
            throw malformed("an amount has no 'value' or no 'unit'")
        }
        let digits = json?["digits"]?.int64.flatMap { UInt8(exactly: $0) }
        do { return try Money(value, unit: unit, decimals: digits) } catch {
            throw malformed("an amount is malformed: \(error)")
        }
    }

    static func quote(_ message: JSONValue, of reference: PaymentReference) throws(PaymentError) -> PaymentQuote {
        guard let payee = message["payee"]?.string, (1...200).contains(payee.count) else {
            throw malformed("the quote has no 'payee'")
        }
        var options: [PaymentMethodOption] = []
        for option in message["options"]?.array ?? [] {
            guard let id = option["id"]?.string, let title = option["title"]?.string, (1...200).contains(title.count)
            else { throw malformed("an option has no 'id' or no 'title'") }
            options.append(
                PaymentMethodOption(
                    id: id, title: title, amount: try amount(option["amount"]),
                    providerData: option.present("data")))
        }
        return PaymentQuote(
            reference: reference, payee: Payee(name: payee),
            amount: try message.present("amount").map { json throws(PaymentError) in try amount(json) },
            options: options, expiresAt: try date(message.present("expires")),
            report: try message.present("outcome").map { json throws(PaymentError) in
                try report(json, of: reference)
            })
    }

    private static func date(_ json: JSONValue?) throws(PaymentError) -> Date? {
        guard let json else { return nil }
        guard let seconds = json.int64, (0...4_102_444_800).contains(seconds) else {
            throw malformed("'expires' is no number of Unix seconds")
        }
        return Date(timeIntervalSince1970: Double(seconds))
    }

    /// `{"type": "outcome", "outcome": "succeeded", …}`. Any other outcome is reported as unknown, and kept.
    static func report(_ message: JSONValue, of reference: PaymentReference) throws(PaymentError) -> ServiceReport {
        guard let word = message["outcome"]?.string else { throw malformed("the outcome has no 'outcome'") }
        let text = Printable.text(message["message"]?.string ?? "", limit: 200)
        switch word {
        case "succeeded":
            return .succeeded(
                PaymentReceipt(
                    reference: reference,
                    amount: try message.present("amount").map { json throws(PaymentError) in try amount(json) },
                    transactionID: message["transaction"]?.string))
        case "declined":
            return .declined(DeclineReason(.refused, text.isEmpty ? "the service refused the payment" : text))
        case "cancelled": return .cancelled
        case "expired": return .expired
        case "pending":
            let seconds = message["after"]?.number?.double.flatMap { (0...86_400).contains($0) ? $0 : nil }
            return .pending(retryAfter: seconds.map { .milliseconds(Int64($0 * 1000)) })
        default:
            let status = Printable.text(word, limit: 60)
            let reason = text.isEmpty ? "the external provider does not know what has become of it" : text
            return .unknown(
                UnknownOutcome(reference: reference, rawStatus: status, message: "\(reason) (its status: \(status))"))
        }
    }

    private static func malformed(_ text: String) -> PaymentError {
        PaymentError(.invalidResponse, "the external provider's answer cannot be used: \(text)", phase: .answered)
    }
}

extension JSONValue {
    /// Returns the member `name`; nil where it is absent or null, which mean the same wherever a member is optional.
    func present(_ name: String) -> JSONValue? {
        guard let member = self[name], !member.isNull else { return nil }
        return member
    }
}
