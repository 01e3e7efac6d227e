import Foundation
import PaymentCore
import PaymentRouting
import SandboxSupport

/// One payment that a caller of `payroute serve` asked for, as it is stored.
struct ServedPayment: Sendable, Codable {
    let id: String
    /// The name of the token's owner: no other tenant sees the payment.
    let tenant: String
    let key: String
    /// The link, as far as it may be shown.
    let input: String
    /// The request, or nil once the payment has ended.
    var order: ServeOrder?
    let created: Date
    /// The end of the payment.
    var ended: Date?
    /// The payment's name at its provider, once it is known.
    var reference: PaymentReference?
    /// Payee and amount, as quoted.
    var terms: JSONValue?
    /// The last statement of the router.
    var outcome: JSONValue?
    var hasEnded: Bool { ended != nil }

    /// The request as the router takes it, or nil once the payment has ended.
    var intent: PaymentIntent? {
        order.map { order in
            PaymentIntent(
                of: order.link, key: "\(tenant)\n\(key)", choice: order.choice,
                acceptsUnverified: order.acceptsUnverified)
        }
    }

    /// The progress of a payment here.
    enum State: String, CaseIterable {
        /// The router carries it out.
        case running
        /// The payer is asked for something.
        case waiting
        /// Nothing runs here, and it may not be over: after a crash, or if its outcome is not known yet.
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
    /// The members of a request, in addition to `quote` in the place of `link`.
    static let names: Set<String> = ["link", "option", "limits", "accounts", "amount", "acceptingUnverified"]

    let link: String
    /// The option to be paid, or the most that may be paid without a question. Otherwise the caller is asked.
    let choice: PaymentIntent.Choice
    /// The accounts that the payer can pay from, if ``ServePayer`` has no wallet.
    let accounts: [AccountID]
    /// The amount if the payee leaves it open.
    let amount: Money?
    let acceptsUnverified: Bool

    init(_ body: ServeBody, link: String) throws(ServeError) {
        self.link = link
        let (option, limits) = (try body.text("option"), try body.moneys("limits"))
        switch (option, limits, try body.money(Self.shown)) {
        case (nil, nil, _): choice = .asked
        case (nil, let limits?, _): choice = .within(limits)
        case (let option?, nil, let amount?): choice = .shown(option, amount)
        case (let option?, nil, nil): choice = .option(option)
        case (.some, .some, _):
            throw .malformed("'option' and 'limits' exclude each other; give one, or none to be asked")
        }
        (accounts, amount) = (try body.accounts("accounts"), try body.money("amount"))
        acceptsUnverified = try body.flag("acceptingUnverified")
    }

    /// Makes the order of a quote that the caller has seen: with all that was quoted, and the choice of `body`, at the
    /// amount that was shown.
    init(_ body: ServeBody, quoted: ServeOrder, _ quote: PaymentQuote) throws(ServeError) {
        let choice = try ServeOrder(body, link: quoted.link).choice
        let intent = PaymentIntent(of: quoted.link, key: nil, choice: choice).bound(to: quote)
        self.init(quoted, choice: intent.choice)
    }

    /// Makes the same order with another choice.
    init(_ order: ServeOrder, choice: PaymentIntent.Choice) {
        (link, self.choice) = (order.link, choice)
        (accounts, amount, acceptsUnverified) = (order.accounts, order.amount, order.acceptsUnverified)
    }

    /// The member of the stored form with the amount of the option that was shown. Callers have it in a quote.
    private static let shown = "shown"

    init(stored json: JSONValue) throws(ServeError) {
        let body = try ServeBody(json.serialized(), Self.names.union([Self.shown]))
        try self.init(body, link: try body.required("link"))
    }

    /// The stored form, which ``init(stored:)`` reads.
    var json: JSONValue {
        var json: JSONValue = [
            "link": .string(link), "accounts": .array(accounts.map { .string($0.text) }),
            "acceptingUnverified": .bool(acceptsUnverified),
        ]
        switch choice {
        case .asked: break
        case .within(let limits): json["limits"] = .array(limits.map(Self.json))
        case .option(let id): json["option"] = .string(id)
        case .shown(let id, let amount): (json["option"], json[Self.shown]) = (.string(id), Self.json(amount))
        }
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

extension ServeOrder: Codable {
    init(from decoder: any Decoder) throws { try self.init(stored: JSONValue(from: decoder)) }

    func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}

/// The object of an outcome: the members of `pay --json`, and those of the error if one ended it.
enum ServeOutcome {
    /// - Parameter isOpen: True if the payment may still be made by its key: no error ends it then.
    static func json(_ statement: PaymentStatement, isOpen: Bool = false) -> JSONValue {
        var result = PaymentResult("")
        result.end(statement)
        if isOpen, result.error != nil { result.ending = .unknown }
        let error = result.error.map { ServeError($0).json["error"] ?? .null } ?? .null
        return [
            "amount": result.amount.map { .string($0.decimalText) } ?? .null,
            "askAgain": .bool(result.ending == .unknown || result.ending == .pending), "error": error,
            "outcome": .string(result.ending.rawValue), "reason": .string(Printable.text(result.reason, limit: 1000)),
            "transaction": result.transaction.map { .string($0) } ?? .null,
            "unit": result.amount.map { .string($0.currency.mainUnit) } ?? .null,
        ]
    }
}

extension RandomSource {
    /// Makes an id that no caller can guess: a prefix and 24 hexadecimal digits.
    func id(_ prefix: String) -> String { prefix + hex(24) }
}
