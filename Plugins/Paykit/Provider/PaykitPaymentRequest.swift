/// A sealed payment request on the requester's homeserver (Protocol 5.9). All but the sender is untrusted text.
public struct PaykitPaymentRequest: Sendable, Hashable {
    /// The sender's identifier for the request: up to 64 letters, digits, `-`, `_` and `.`.
    public var id: String
    /// The user that asks and is paid.
    public var sender: PubkyKey
    /// The user that is asked to pay.
    public var recipient: PubkyKey
    /// The amount as decimal text in the currency's own unit.
    public var amount: String
    /// The currency, such as `SAT`.
    public var currency: String
    /// The method, such as `lightning`.
    public var methodID: String
    /// The purpose of the payment.
    public var note: String?
    /// The time of creation: seconds since 1970.
    public var createdAt: Int64
    /// The time of expiry: seconds since 1970; nil where none is given.
    public var expiresAt: Int64?

    /// Creates a request for an amount of satoshis.
    public init(
        id: String, sender: PubkyKey, recipient: PubkyKey, amount: UInt64, methodID: String = "lightning",
        note: String? = nil, createdAt: Int64, expiresAt: Int64? = nil
    ) {
        self.id = id
        self.sender = sender
        self.recipient = recipient
        self.amount = "\(amount)"
        currency = "SAT"
        self.methodID = methodID
        self.note = note
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// Reads a message's content; nil for a message that was withdrawn, cannot be read, names another sender than the
    /// owner of the storage, or is for another recipient.
    package init?(_ letter: SealedMessageStore.Message, for recipient: PubkyKey) {
        let content = letter.content
        let native = content["request"]
        guard native == nil || content["active"]?.bool != false else { return nil }
        let body = native ?? content
        func user(_ names: String...) -> PubkyKey? {
            names.lazy.compactMap { body[$0] }.first?.user
        }
        guard user("from_pubkey", "from") == letter.sender, user("to_pubkey", "to") == recipient,
            let created = body["created_at"]?.int64.map(Self.seconds), created >= 0
        else { return nil }
        let amount = body["amount_sats"]?.uint64.map(String.init) ?? body["amount"]?.string
        (id, sender, self.recipient, self.amount) = (letter.name, letter.sender, recipient, amount ?? "")
        currency = body["amount_sats"] != nil ? "SAT" : body["currency"]?.string ?? "SAT"
        methodID = body["method_id"]?.string ?? body["method"]?.string ?? "lightning"
        note = body["description"]?.string
        createdAt = created
        expiresAt = body["expires_at"]?.int64.map(Self.seconds)
        // The same rules as for inquiries over a channel.
        let asReceipt = PaykitReceiptRecord(
            id: id, payer: recipient, payee: sender, methodID: methodID, amount: self.amount, currency: currency,
            createdAt: createdAt)
        guard amount != nil, asReceipt.isUsable, (note?.utf8.count ?? 0) <= 2048 else { return nil }
    }

    /// The request's JSON, as other apps read it.
    package var content: JSONValue {
        var content: JSONValue = [
            "schema_version": 1, "from_pubkey": .string(sender.text), "to_pubkey": .string(recipient.text),
            "method_id": .string(methodID), "created_at": .number(JSONNumber(Self.milliseconds(createdAt))),
        ]
        if currency == "SAT", let sats = UInt64(amount), let number = Int64(exactly: sats) {
            content["amount_sats"] = .number(JSONNumber(number))
        } else {
            content["amount"] = .string(amount)
            content["currency"] = .string(currency)
        }
        content["description"] = note.map { .string($0) }
        content["expires_at"] = expiresAt.map { .number(JSONNumber(Self.milliseconds($0))) }
        return content
    }

    /// Returns true if the request has expired. `now` is seconds since 1970.
    public func isOver(at now: Int64) -> Bool { expiresAt.map { $0 <= now } ?? false }

    /// Some apps write milliseconds, others seconds: a time after the year 5000 is in milliseconds.
    private static func seconds(_ time: Int64) -> Int64 { time > 100_000_000_000 ? time / 1000 : time }

    private static func milliseconds(_ time: Int64) -> Int64 {
        let (product, isTooLarge) = time.multipliedReportingOverflow(by: 1000)
        return isTooLarge ? .max : product
    }
}
