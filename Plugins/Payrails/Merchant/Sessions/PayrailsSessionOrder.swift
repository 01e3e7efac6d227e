public import PaymentCore

/// An order for a session: the content of a client initialisation (Protocol 2).
public struct PayrailsSessionOrder: Sendable, Hashable {
    /// The purpose of a session. Open: the service may have others.
    public struct Kind: Sendable, Hashable, RawRepresentable {
        /// The service's name of the kind.
        public let rawValue: String

        /// Creates a kind from the service's name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Payment with components or by calls.
        public static let dropIn = Kind(rawValue: "dropIn")
        /// Payment with fields that the service serves.
        public static let secureFields = Kind(rawValue: "secureFields")
        /// Storage of cards without a payment: there is no execution.
        public static let tokenization = Kind(rawValue: "tokenization")
    }

    /// The purpose of the session.
    public var kind: Kind
    /// The merchant's own reference of the order: 1 to 120 printable ASCII characters.
    public var order: String
    /// The merchant's own reference of the payer: 1 to 120 printable ASCII characters. Instruments are stored under it.
    public var holder: String
    /// The amount. Sessions without a payment have one as well.
    public var amount: Money
    /// Further data for the service: `customer`, `order`, `clientContext` and other members that the workflow's rules
    /// read. Lines of an order have to sum up to the amount, and addresses must not have an IP number for a host. Nil
    /// for none.
    public var meta: JSONValue?
    /// The number of the session among those of the order. The same number is answered with the same execution, however
    /// often it is opened; another number creates another execution, which can be paid as well as the first.
    public var round: Int

    /// Creates an order for a session.
    public init(
        _ kind: Kind = .dropIn, order: String, holder: String, amount: Money, meta: JSONValue? = nil, round: Int = 1
    ) {
        self.kind = kind
        self.order = order
        self.holder = holder
        self.amount = amount
        self.meta = meta
        self.round = round
    }

    /// Returns the body of the request.
    ///
    /// - Throws: ``PaymentError`` with code `requestRefused` if a part cannot be sent.
    func body(of merchant: PayrailsMerchant) throws(PaymentError) -> JSONValue {
        func unfit(_ message: String) -> PaymentError {
            PaymentError(.requestRefused, "the session cannot be opened: \(message)", provider: merchant.id)
        }
        for (name, text) in [("order", order), ("holder", holder)] where !Self.isSound(text) {
            throw unfit("'\(name)' must be 1 to 120 printable ASCII characters")
        }
        guard !kind.rawValue.isEmpty else { throw unfit("it has no kind") }
        guard case .fiat(let currency) = amount.currency, amount.exponent == currency.exponent, !amount.isZero else {
            throw unfit("the amount must be above zero, in a state's currency")
        }
        guard meta.map({ $0.object != nil }) ?? true else { throw unfit("'meta' must be an object") }
        var body: JSONValue = [
            "type": .string(kind.rawValue), "workflowCode": .string(merchant.workflow),
            "merchantReference": .string(order), "holderReference": .string(holder),
            "amount": WireAmount.body(amount),
        ]
        body["workspaceId"] = merchant.workspace.map(JSONValue.string)
        body["meta"] = meta
        return body
    }

    private static func isSound(_ text: String) -> Bool {
        (1...120).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    }
}
