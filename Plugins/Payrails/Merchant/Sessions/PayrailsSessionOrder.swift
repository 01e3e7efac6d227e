public import PaymentCore

/// What a merchant's server wants a session for: the content of a client initialisation (Protocol 2).
public struct PayrailsSessionOrder: Sendable, Hashable {
    /// What the app does in the session. Open: the service may have others.
    public struct Kind: Sendable, Hashable, RawRepresentable {
        /// The service's word.
        public let rawValue: String

        /// Creates a kind from the service's word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Pays, with components or by calls.
        public static let dropIn = Kind(rawValue: "dropIn")
        /// Pays, with fields that the service serves.
        public static let secureFields = Kind(rawValue: "secureFields")
        /// Stores cards, and pays nothing: there is no execution.
        public static let tokenization = Kind(rawValue: "tokenization")
    }

    /// What the app does in the session.
    public var kind: Kind
    /// The merchant's own name of the order: 1 to 120 printable ASCII characters.
    public var order: String
    /// The merchant's own name of the payer: 1 to 120 printable ASCII characters. What is stored is stored for it.
    public var holder: String
    /// How much. Sessions that pay nothing state one as well.
    public var amount: Money
    /// What else the service is told: `customer`, `order`, `clientContext` and whatever the workflow's rules read.
    /// Lines of an order have to sum up to the amount, and addresses must not have an IP number for a host. Nil for
    /// nothing.
    public var meta: JSONValue?
    /// Which session of the order this is. The same one is answered with the same execution, however often it is asked
    /// for; another number makes another execution, which can be paid as well as the first.
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

    /// The body of the request.
    ///
    /// - Throws: ``PaymentError`` with code `requestRefused` when a part cannot be sent.
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
