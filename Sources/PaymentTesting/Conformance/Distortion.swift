import PaymentCore
import Synchronization

/// Answers that consistently name another refund, payment or amount than the requested one.
final class Distortion: Sendable {
    private let changes = Mutex(0)
    private let replace: @Sendable (JSONValue) -> JSONValue?

    private init(_ replace: @escaping @Sendable (JSONValue) -> JSONValue?) { self.replace = replace }

    /// True if any answer was changed.
    var hasChanged: Bool { changes.withLock { $0 > 0 } }

    /// Returns every way in which answers can be about something else than `refund`, with a name.
    static func all(of refund: RefundRequest) -> [(String, Distortion)] {
        let amount = refund.amount
        let other = try? amount.with(minorUnits: amount.minorUnits + 1)
        return [
            ("another amount", Distortion { value in other.flatMap { Self.amount($0, instead: amount, of: value) } }),
            ("another currency", Distortion { Self.currency(instead: amount.currency, in: $0) }),
            ("another payment", Distortion { Self.text("another-payment", instead: refund.payment.id, in: $0) }),
        ]
            + (refund.id.isEmpty
                ? [] : [("another refund", Distortion { Self.text("another-refund", instead: refund.id, in: $0) })])
    }

    func apply(to response: HTTPResponse) -> HTTPResponse {
        guard let body = try? JSONValue(parsing: response.body) else { return response }
        var response = response
        response.body = walk(body).serialized()
        return response
    }

    private func walk(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members): return .object(members.mapValues(walk))
        case .array(let elements): return .array(elements.map(walk))
        default:
            guard let replaced = replace(value) else { return value }
            changes.withLock { $0 += 1 }
            return replaced
        }
    }

    private static func text(_ other: String, instead of: String, in value: JSONValue) -> JSONValue? {
        guard case .string(let text) = value, text.contains(of) else { return nil }
        return .string(text.replacing(of, with: other))
    }

    /// Replaces a currency's code, alone or behind its kind.
    private static func currency(instead currency: Currency, in value: JSONValue) -> JSONValue? {
        guard case .string(let text) = value else { return nil }
        let code = currency.description
        let last = text.split(separator: "/").last.map(String.init)
        guard last?.uppercased() == code.uppercased() else { return nil }
        return .string(text.dropLast(code.utf8.count) + (code == "JPY" ? "EUR" : "JPY"))
    }

    /// Replaces an amount, in minor units or as a decimal, as a number or as text.
    private static func amount(_ other: Money, instead amount: Money, of value: JSONValue) -> JSONValue? {
        switch value {
        case .string(amount.minorUnitText): return .string(other.minorUnitText)
        case .string(amount.decimalText): return .string(other.decimalText)
        case .number(let number) where number.text == amount.minorUnitText:
            return JSONNumber(other.minorUnitText).map { .number($0) }
        case .number(let number) where number.text == amount.decimalText:
            return JSONNumber(other.decimalText).map { .number($0) }
        default: return nil
        }
    }
}
