import PaymentCrypto

/// The record that payer and payee keep of a payment agreed over a channel (Protocol 5.5).
package struct PaykitReceiptRecord: Sendable, Hashable {
    package var id: String
    package var payer: PubkyKey
    package var payee: PubkyKey
    package var methodID: String
    /// Decimal text in the currency's own unit; nil where it is open.
    package var amount: String?
    package var currency: String?
    /// Seconds since 1970.
    package var createdAt: Int64
    /// Further data of both sides: the payee's invoice among it.
    package var metadata: JSONValue

    package init(
        id: String, payer: PubkyKey, payee: PubkyKey, methodID: String, amount: String? = nil, currency: String? = nil,
        createdAt: Int64, metadata: JSONValue = [:]
    ) {
        self.id = id
        self.payer = payer
        self.payee = payee
        self.methodID = methodID
        self.amount = amount
        self.currency = currency
        self.createdAt = createdAt
        self.metadata = metadata
    }

    /// Reads a receipt; users may be lists of numbers or texts in any form that a key has.
    init(_ json: JSONValue, creation: String = "created_at") throws(WireDefect) {
        func text(_ name: String) throws(WireDefect) -> String {
            guard let text = json[name]?.string, !text.isEmpty else { throw WireDefect("a receipt has no \(name)") }
            return text
        }
        func user(_ name: String) throws(WireDefect) -> PubkyKey {
            guard let key = json[name]?.user else { throw WireDefect("a receipt's \(name) is no user") }
            return key
        }
        guard let time = json[creation]?.int64 else { throw WireDefect("a receipt has no \(creation)") }
        self.init(
            id: try text("receipt_id"), payer: try user("payer"), payee: try user("payee"),
            methodID: try text("method_id"), amount: json["amount"]?.string, currency: json["currency"]?.string,
            createdAt: time, metadata: json["metadata"] ?? [:])
    }
}
