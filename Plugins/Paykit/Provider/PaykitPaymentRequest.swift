import PaymentSettlement

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
    /// The time of expiry: seconds since 1970; nil if none is given.
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

/// Payments of generation 2 requests, which lie sealed on their senders' homeservers (Protocol 5.9).
extension PaymentFlow {
    /// Quotes the request of a link: exactly its amount, at the sender's public endpoints of its method.
    func quote(_ request: QuoteRequest, named name: String, from sender: PubkyKey) async throws -> ProviderQuote {
        guard let privately else {
            throw PaymentError(
                .unsupported,
                "this is a payment request that only its payer can read: register the provider with the payer's key, as "
                    + "PaykitChannelPayments, or ask the sender for an invoice", provider: id)
        }
        let found: PaykitPaymentRequest?
        do {
            let store = SealedMessageStore(directory, privately.identity, random: context.random)
            found = try await store.messages(.request, from: sender).messages.lazy
                .filter { $0.name == name }.compactMap { PaykitPaymentRequest($0, for: privately.payer) }.first
        } catch { throw PaymentError(error, provider: id) }
        guard let found else {
            throw PaymentError(
                .notFound,
                "\(sender) has no request of this name for this user: it was withdrawn, or is for another user",
                provider: id, phase: .answered)
        }
        guard !found.isOver(at: Int64(context.clock.now.timeIntervalSince1970)) else {
            throw PaymentError(
                .unusableOption, "the request has expired: ask its sender for a new one", provider: id,
                phase: .answered)
        }
        guard let amount = try? PaykitSubscriptionTerms.money(found.amount, found.currency), amount.currency == .satoshi
        else {
            throw PaymentError(
                .unusableOption, "the request is not for an amount of bitcoin: ask its sender for one that is",
                provider: id, phase: .answered)
        }
        let (offers, apps) = try await published(by: sender, orNone: false)
        let usable = offers.filter { $0.endpoint.methodID == found.methodID && $0.offer.takes(amount) }
        guard !usable.isEmpty else {
            throw PaymentError(
                .unusableOption,
                "the sender publishes nothing that takes this amount by '\(found.methodID)': ask them for an invoice",
                provider: id, phase: .answered, retry: .later)
        }
        let reference = request.match.reference ?? request.reference.id
        let named = named(
            usable.map { endpoint, offer in
                (
                    endpoint,
                    SettlementOffer(endpoint: offer.endpoint, amount: .fixed(amount), expiresAt: offer.expiresAt)
                )
            }, of: apps, ", as asked for")
        // Another payment may pay a published invoice in the meantime: the name has it checked again.
        return try await SettlementFlow.quote(
            named, of: request.reference, payee: Payee(sender), payeeID: reference, in: context)
    }
}
