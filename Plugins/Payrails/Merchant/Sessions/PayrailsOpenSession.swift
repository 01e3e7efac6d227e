public import PaymentCore
public import PayrailsProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An opened session: the merchant's server passes its init data to the app, and stores it with the order.
public struct PayrailsOpenSession: Sendable, Hashable {
    /// The init data from the service, with which the app opens its session. It holds the session's token.
    public let initData: PayrailsInitData
    /// The reference of the payment in routers and journals; nil if the session has no payment.
    public let payment: PaymentReference?
    /// The order that the session was opened for.
    public let order: PayrailsSessionOrder

    /// The session as a link for the payer's app: `payrails:session?…`. Every holder of the link can pay.
    public var link: Redacted<String> { SessionLink.link(to: initData) }

    /// Creates a session from the service's answer, and compares it with the order.
    ///
    /// - Throws: ``CallError`` if the answer cannot be read, or is a session for something else.
    init(_ answer: JSONValue, for order: PayrailsSessionOrder, at merchant: ProviderID) throws(CallError) {
        guard let version = answer["version"]?.string, let data = answer["data"]?.string,
            let bytes = Data(base64Encoded: data), let content = try? JSONValue(parsing: Array(bytes)),
            content["token"]?.string?.isEmpty == false
        else { throw .unusableAnswer("'data' is not a session's") }
        // A known key is answered with its earlier session, whatever the body.
        let amount = content["amount"].flatMap { try? $0.decode(PayrailsAmount.self).money() }
        guard amount == order.amount else { throw .foreignAnswer("the session is over another amount") }
        let holder = content["holderReference"] ?? content["execution"]?["holderReference"]
        guard holder.map({ $0.string == order.holder }) ?? true else {
            throw .foreignAnswer("the session is for another holder")
        }
        if let execution = content["execution"], !execution.isNull {
            guard let id = execution["id"]?.string, WireText.id(id) != nil else {
                throw .unusableAnswer("the session's execution has no id")
            }
            guard execution["merchantReference"]?.string == order.order else {
                throw .foreignAnswer("the session is for another order")
            }
            payment = PaymentReference(provider: merchant, id: id)
        } else {
            guard order.kind == .tokenization else { throw .unusableAnswer("the session has no execution to pay") }
            payment = nil
        }
        initData = PayrailsInitData(version: version, data: data)
        self.order = order
    }
}

extension PayrailsMerchantClient {
    /// Opens a session of any kind, for the merchant's app: once for each order and round, however often it is called.
    ///
    /// After a session's token has expired, open the same one again, or the next round once the last one certainly
    /// cannot be paid any more.
    ///
    /// - Returns: the session.
    /// - Throws: ``PaymentError``; `integrity` if the service answers with a session for something else. Nothing was
    ///   paid by it in any case.
    public func open(_ order: PayrailsSessionOrder) async throws(PaymentError) -> PayrailsOpenSession {
        let body = try order.body(of: merchant)
        // The service answers a known key with the earlier session even if the body differs, so the key covers the
        // whole body.
        let key = key(["session", body.text, "\(order.round)"])
        return try await asMerchant(id) { () throws(CallError) in
            let answer = try await calls.send(.post, ["merchant", "client", "init"], body: body, key: key)
            return try PayrailsOpenSession(answer, for: order, at: id)
        }
    }
}

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
    /// often it is opened. Another number creates another execution, which can be paid as well as the first.
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
