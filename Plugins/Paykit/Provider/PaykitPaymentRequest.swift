package import PaymentCore

/// Somebody's request to be paid, as it lies sealed on their homeserver (Protocol 5.9). All but who asks is their own
/// text.
public struct PaykitPaymentRequest: Sendable, Hashable {
    /// What the sender calls it: up to 64 letters, digits, `-`, `_` and `.`.
    public var id: String
    /// Who asks, and is paid.
    public var sender: PubkyKey
    /// Who is asked.
    public var recipient: PubkyKey
    /// Decimal text in the currency's own unit.
    public var amount: String
    /// Such as `SAT`.
    public var currency: String
    /// The method, such as `lightning`.
    public var methodID: String
    /// What it is for.
    public var note: String?
    /// When it was made: seconds since 1970.
    public var createdAt: Int64
    /// Until when it counts: seconds since 1970; nil when nobody said.
    public var expiresAt: Int64?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - id: the request's own name.
    ///   - sender: who asks.
    ///   - recipient: who is asked.
    ///   - amount: in satoshis.
    ///   - methodID: by which method it is to be paid.
    ///   - note: what it is for.
    ///   - createdAt: seconds since 1970.
    ///   - expiresAt: seconds since 1970.
    public init(
        id: String, sender: PubkyKey, recipient: PubkyKey, amount: UInt64, methodID: String = "lightning",
        note: String? = nil, createdAt: Int64, expiresAt: Int64? = nil
    ) {
        self.init(
            id: id, sender: sender, recipient: recipient, amount: "\(amount)", currency: "SAT", methodID: methodID,
            note: note, createdAt: createdAt, expiresAt: expiresAt)
    }

    private init(
        id: String, sender: PubkyKey, recipient: PubkyKey, amount: String, currency: String, methodID: String,
        note: String?, createdAt: Int64, expiresAt: Int64?
    ) {
        self.id = id
        self.sender = sender
        self.recipient = recipient
        self.amount = amount
        self.currency = currency
        self.methodID = methodID
        self.note = note
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// Reads a letter's content; nil for one that is taken back or cannot be read, that somebody else than the owner of
    /// the storage says to have written, or that is for somebody else.
    package init?(_ letter: SealedMessageStore.Message, for recipient: PubkyKey) {
        let content = letter.content
        let native = content["request"]
        guard native == nil || content["active"]?.bool != false else { return nil }
        let body = native ?? content
        func user(_ names: String...) -> PubkyKey? {
            names.lazy.compactMap { body[$0] }.first.flatMap { value in
                value.numbers(32).flatMap { try? PubkyKey(bytes: $0) } ?? value.string.flatMap { try? PubkyKey($0) }
            }
        }
        guard user("from_pubkey", "from") == letter.sender, user("to_pubkey", "to") == recipient,
            let created = body["created_at"]?.int64.map(Self.seconds), created >= 0
        else { return nil }
        let amount = body["amount_sats"]?.uint64.map(String.init) ?? body["amount"]?.string
        self.init(
            id: letter.name, sender: letter.sender, recipient: recipient, amount: amount ?? "",
            currency: body["amount_sats"] != nil ? "SAT" : body["currency"]?.string ?? "SAT",
            methodID: body["method_id"]?.string ?? body["method"]?.string ?? "lightning",
            note: body["description"]?.string, createdAt: created,
            expiresAt: body["expires_at"]?.int64.map(Self.seconds))
        // The same rules as for what is asked for over a channel.
        let asReceipt = PaykitReceiptRecord(
            id: id, payer: recipient, payee: sender, methodID: methodID, amount: self.amount, currency: currency,
            createdAt: createdAt)
        guard amount != nil, asReceipt.isUsable, (note?.utf8.count ?? 0) <= 2048 else { return nil }
    }

    /// The request as other apps read it.
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

    /// Whether it no longer counts.
    ///
    /// - Parameter now: seconds since 1970.
    public func isOver(at now: Int64) -> Bool { expiresAt.map { $0 <= now } ?? false }

    /// Some apps write milliseconds, others seconds: what would be after the year 5000 is milliseconds.
    private static func seconds(_ time: Int64) -> Int64 { time > 100_000_000_000 ? time / 1000 : time }

    private static func milliseconds(_ time: Int64) -> Int64 {
        let (product, isTooLarge) = time.multipliedReportingOverflow(by: 1000)
        return isTooLarge ? .max : product
    }
}
