import Foundation
import PaymentCore
import PaymentRouting
import SandboxSupport

/// One payment that a caller of `payroute serve` asked for, as it is stored.
struct ServedPayment: Sendable {
    let id: String
    /// The name of the token's owner: no other tenant sees the payment.
    let tenant: String
    let key: String
    /// The link, as far as it may be shown.
    let input: String
    /// The request; nil once the payment has ended.
    let order: ServeOrder?
    let created: Date
    /// The payment's name at its provider, once it is known.
    var reference: PaymentReference?
    /// The last attempt at this payment before this order: attempts after it are this order's.
    var earlier: AttemptID?
    /// Payee and amount, as quoted.
    var terms: JSONValue?
    /// The last statement of the router.
    var outcome: JSONValue?
    var hasEnded = false

    /// The progress of a payment here.
    enum State: String, CaseIterable {
        /// The router carries it out.
        case running
        /// The payer is asked for something.
        case waiting
        /// Nothing runs here, and it may not be over: after a crash, or where its outcome is not known yet.
        case interrupted
        /// It is over.
        case ended
    }

    /// The object that callers get.
    func json(_ state: State, action: JSONValue?) -> JSONValue {
        [
            "action": action ?? .null, "amount": terms?["amount"] ?? .null,
            "created": .string(AttemptSummary.text(created)), "id": .string(id), "input": .string(input),
            "key": .string(key), "outcome": outcome ?? .null, "payee": terms?["payee"] ?? .null,
            "provider": reference.map { .string($0.provider.rawValue) } ?? .null,
            "reference": reference.map { .string($0.id) } ?? .null, "state": .string(state.rawValue),
            "unit": terms?["unit"] ?? .null,
        ]
    }
}

/// A caller's request: a link, and how it may be paid.
struct ServeOrder: Sendable {
    /// The members of a request, beside `quote` in the place of `link`.
    static let names: Set<String> = ["link", "option", "limits", "accounts", "amount", "acceptingUnverified"]

    let link: String
    /// The option to be paid; without it and ``limits`` the caller is asked.
    let option: PaymentMethodOption.ID?
    /// The most that may be paid without a question, by currency.
    let limits: [Money]?
    /// The accounts that the payer can pay from, where ``ServePayer`` has no wallet.
    let accounts: [AccountID]
    /// The amount where the payee leaves it open.
    let amount: Money?
    let acceptsUnverified: Bool

    init(_ body: ServeBody, link: String) throws(ServeError) {
        self.link = link
        (option, limits) = (try body.text("option"), try body.moneys("limits"))
        guard option == nil || limits == nil else {
            throw .malformed("'option' and 'limits' exclude each other; give one, or none to be asked")
        }
        (accounts, amount) = (try body.accounts("accounts"), try body.money("amount"))
        acceptsUnverified = try body.flag("acceptingUnverified")
    }

    /// Makes the order of a quote that the caller has seen: with all that was quoted, and the choice of `body`.
    init(_ body: ServeBody, quoted: ServeOrder) throws(ServeError) {
        let choice = try ServeOrder(body, link: quoted.link)
        self.init(quoted, option: choice.option, limits: choice.limits)
    }

    private init(_ order: ServeOrder, option: PaymentMethodOption.ID?, limits: [Money]?) {
        (link, self.option, self.limits) = (order.link, option, limits)
        (accounts, amount, acceptsUnverified) = (order.accounts, order.amount, order.acceptsUnverified)
    }

    init(stored json: JSONValue) throws(ServeError) {
        let body = try ServeBody(json.serialized(), Self.names)
        try self.init(body, link: try body.required("link"))
    }

    /// The stored form, which ``init(stored:)`` reads.
    var json: JSONValue {
        var json: JSONValue = [
            "link": .string(link), "accounts": .array(accounts.map { .string($0.text) }),
            "acceptingUnverified": .bool(acceptsUnverified),
        ]
        json["option"] = option.map { .string($0) }
        json["limits"] = limits.map { .array($0.map(Self.json)) }
        json["amount"] = amount.map(Self.json)
        return json
    }

    private static func json(_ money: Money) -> JSONValue {
        [
            "amount": .string(money.decimalText), "unit": .string(money.currency.mainUnit),
            "decimals": .number(JSONNumber(Int(money.exponent))),
        ]
    }
}

/// The object of an outcome: the members of `pay --json`, and those of the error where one ended it.
enum ServeOutcome {
    static func json(_ outcome: PaymentOutcome) -> JSONValue {
        var result = PaymentResult("")
        result.end(outcome)
        return json(result, error: .null)
    }

    /// - Parameter isOpen: True if the payment may still be made: its outcome is unknown then, whatever the error is.
    static func json(_ error: PaymentError, isOpen: Bool) -> JSONValue {
        var result = PaymentResult("")
        result.end(error)
        if isOpen { result.ending = .unknown }
        return json(result, error: ServeError(error).json["error"] ?? .null)
    }

    private static func json(_ result: PaymentResult, error: JSONValue) -> JSONValue {
        [
            "amount": result.amount.map { .string($0.decimalText) } ?? .null,
            "askAgain": .bool(result.ending == .unknown || result.ending == .pending), "error": error,
            "outcome": .string(result.ending.rawValue), "reason": .string(Printable.text(result.reason, limit: 1000)),
            "transaction": result.transaction.map { .string($0) } ?? .null,
            "unit": result.amount.map { .string($0.currency.mainUnit) } ?? .null,
        ]
    }
}
