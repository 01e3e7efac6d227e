import PaymentCrypto

/// An issuer's statement of a payment. It proves the statement, not that money has arrived.
package struct PrivateLinkReceipt: Sendable, Hashable {
    package let id: String
    package let reference: String
    package let requestID: String?
    package let period: BillingPeriod?
    package let recipient: PubkyKey
    package let identifier: PaykitIdentifier?
    package let amount: PrivateLinkAmount?
    package let metadata: [String: JSONValue]

    package init(
        id: String, reference: String, requestID: String? = nil, period: BillingPeriod? = nil, recipient: PubkyKey,
        identifier: PaykitIdentifier?, amount: PrivateLinkAmount?, metadata: [String: JSONValue] = [:]
    ) {
        self.id = id
        self.reference = reference
        self.requestID = requestID
        self.period = period
        self.recipient = recipient
        self.identifier = identifier
        self.amount = amount
        self.metadata = metadata
    }

    private static let kind = "paykit.receipt"
    private static let sealedKind = "paykit.receipt.encrypted"
    private static let algorithm = "XChaCha20Poly1305"

    package init(_ text: some StringProtocol) throws(WireDefect) {
        guard let json = try? JSONValue(parsing: text) else { throw WireDefect("a receipt is not JSON") }
        var object = try ClosedObject(json)
        try object.begin(Self.kind)
        id = try object.id("receipt_id")
        reference = try object.reference()
        (requestID, period) = try ReceiptAccess.payment(&object)
        guard let recipient = try? PubkyKey(try object.text("recipient_public_key")) else {
            throw WireDefect("a receipt names no user")
        }
        self.recipient = recipient
        identifier = try object.nullable("payment_endpoint_identifier").map { value throws(WireDefect) in
            guard let found = value.string.flatMap({ PaykitIdentifier($0) }) else {
                throw WireDefect("a receipt names no way to pay")
            }
            return found
        }
        amount = try object.nullable("amount").map { value throws(WireDefect) in try PrivateLinkAmount(value) }
        metadata = try object.object("metadata")
        try object.end()
    }

    package var text: String {
        OrderedJSON.object([
            ("version", .number(1)), ("kind", .string(Self.kind)), ("receipt_id", .string(id)),
            ("payment_reference", .string(reference)), ("payment_request_id", requestID.map { .string($0) }),
            ("billing_period", period?.json), ("recipient_public_key", .string("pubky\(recipient)")),
            ("payment_endpoint_identifier", identifier.map { .string($0.text) } ?? .null),
            ("amount", amount?.json ?? .null), ("metadata", .value(.object(metadata))),
        ]).text
    }

    // MARK: Sealed

    /// Returns the file for the issuer's homeserver, bound to its place. The same for each repetition. `nonce` is 24
    /// random bytes, drawn once for this receipt.
    package func sealed(_ access: ReceiptAccess, nonce: [UInt8]) throws(WireDefect) -> [UInt8] {
        guard
            let sealed = try? XChaCha20Poly1305.seal(
                Array(text.utf8), key: access.key.reveal(), nonce: nonce, authenticating: Self.binding(access.location))
        else { throw WireDefect("a receipt cannot be sealed") }
        return OrderedJSON.object([
            ("version", .number(1)), ("kind", .string(Self.sealedKind)), ("algorithm", .string(Self.algorithm)),
            ("nonce", .base64(nonce)), ("ciphertext", .base64(sealed)),
        ]).bytes
    }

    /// Opens the file at the place that `access` names. It has to hold the receipt that `access` names.
    package init(opening file: [UInt8], with access: ReceiptAccess) throws(WireDefect) {
        guard let json = try? JSONValue(parsing: file) else { throw WireDefect("a sealed receipt is not JSON") }
        var object = try ClosedObject(json)
        try object.begin(Self.sealedKind)
        guard try object.text("algorithm") == Self.algorithm else {
            throw WireDefect("a receipt is sealed in a way that is not known")
        }
        guard let nonce = Base64URL.decode(try object.text("nonce")), nonce.count == 24,
            let sealed = Base64URL.decode(try object.text("ciphertext"))
        else { throw WireDefect("a sealed receipt cannot be read") }
        try object.end()
        guard
            let bytes = try? XChaCha20Poly1305.open(
                sealed, key: access.key.reveal(), nonce: nonce, authenticating: Self.binding(access.location)),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw WireDefect("a receipt was changed, moved or sealed with another key") }
        try self.init(text)
        guard id == access.receiptID, reference == access.reference, requestID == access.requestID else {
            throw WireDefect("a receipt is another than the one that was announced")
        }
    }

    /// Returns the bound bytes of the place: the documents have the place alone, the code has this prefix.
    private static func binding(_ location: String) -> [UInt8] { Array("paykit.receipt.v1:\(location)".utf8) }
}

/// The place and the key of a receipt (Protocol 12.7). Its holder can read the receipt.
package struct ReceiptAccess: Sendable, Hashable {
    package let eventID: String
    package let receiptID: String
    package let reference: String
    package let requestID: String?
    package let period: BillingPeriod?
    /// A path of the issuer's storage.
    package let location: String
    package let key: Redacted<[UInt8]>

    package init(
        eventID: String, receiptID: String, reference: String, requestID: String? = nil, period: BillingPeriod? = nil,
        receiver: PaykitReceiverPath, key: Redacted<[UInt8]>
    ) {
        self.eventID = eventID
        self.receiptID = receiptID
        self.reference = reference
        self.requestID = requestID
        self.period = period
        self.key = key
        location = Self.location(receiptID, receiver)
    }

    init(_ object: inout ClosedObject) throws(WireDefect) {
        eventID = try object.id("event_id")
        receiptID = try object.id("receipt_id")
        reference = try object.reference()
        (requestID, period) = try Self.payment(&object)
        location = try object.text("location")
        guard let bytes = Base64URL.decode(try object.text("key")), bytes.count == 32 else {
            throw WireDefect("the member 'key' is no key")
        }
        key = Redacted(bytes)
        let parts = location.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.last.map({ EventID.normal(String($0)) }) == receiptID else {
            throw WireDefect("a receipt lies where another one should")
        }
    }

    /// Reads the paid request and its period: the second requires the first.
    static func payment(_ object: inout ClosedObject) throws(WireDefect) -> (String?, BillingPeriod?) {
        var requestID: String?
        if let value = try object.optional("payment_request_id") {
            guard let id = value.string.flatMap(EventID.normal) else { throw WireDefect("a request's id is malformed") }
            requestID = id
        }
        guard let value = try object.optional("billing_period") else { return (requestID, nil) }
        guard requestID != nil else { throw WireDefect("a period of no request") }
        return (requestID, try BillingPeriod(value))
    }

    var members: OrderedJSON.Members {
        [
            ("event_id", .string(eventID)), ("receipt_id", .string(receiptID)),
            ("payment_reference", .string(reference)), ("payment_request_id", requestID.map { .string($0) }),
            ("billing_period", period?.json), ("location", .string(location)), ("key", .base64(key.reveal())),
        ]
    }

    package static func location(_ id: String, _ receiver: PaykitReceiverPath) -> String {
        "\(ReceiverDirectory.root)private/\(receiver)/receipts/\(id)"
    }

    package func isAt(_ receiver: PaykitReceiverPath) -> Bool { location == Self.location(receiptID, receiver) }
}
