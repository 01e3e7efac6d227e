import PaymentCrypto

/// A message between two generation 3 apps (Protocol 12.4), each in one text.
package enum PrivateLinkMessage: Sendable, Hashable {
    /// The endpoints for the other side alone, replacing the list before. The payload of a file (11.3) by identifier.
    case paymentList([String: String])
    /// From the payee.
    case request(PaymentRequest)
    /// From the payer. Paying without it is no acceptance.
    case acceptance(EventHead)
    /// From the payer.
    case rejection(EventHead, reason: String?)
    /// From either.
    case cancellation(EventHead, reason: String?)
    /// From the payer: the proof of payment.
    case proof(PaymentProof)
    /// From the payee: the place of a receipt, and its key.
    case receiptAccess(ReceiptAccess)

    package static let maximumLength = 1000

    package struct EventHead: Sendable, Hashable {
        package let eventID: String
        package let requestID: String

        package init(eventID: String, requestID: String) {
            self.eventID = eventID
            self.requestID = requestID
        }

        init(_ object: inout ClosedObject) throws(WireDefect) {
            eventID = try object.id("event_id")
            requestID = try object.id("payment_request_id")
        }

        var members: OrderedJSON.Members {
            [("event_id", .string(eventID)), ("payment_request_id", .string(requestID))]
        }
    }

    package struct PaymentRequest: Sendable, Hashable {
        package let head: EventHead
        package let terms: PaymentTerms

        package init(_ head: EventHead, _ terms: PaymentTerms) {
            self.head = head
            self.terms = terms
        }
    }

    /// A proof of payment. The amount is not repeated; the method defines the contents of ``proof``.
    package struct PaymentProof: Sendable, Hashable {
        package let head: EventHead
        package let reference: String
        /// The paid one of several periods; nil if there is one payment.
        package let period: BillingPeriod?
        package let identifier: PaykitIdentifier
        package let proof: [String: JSONValue]

        package init(
            _ head: EventHead, reference: String, period: BillingPeriod?, identifier: PaykitIdentifier,
            proof: [String: JSONValue]
        ) {
            self.head = head
            self.reference = reference
            self.period = period
            self.identifier = identifier
            self.proof = proof
        }

        /// Returns the reason that it is no proof of a payment for `request`; nil if it is one. The method's own check
        /// decides if it was paid.
        package func mismatch(with request: PaymentRequest) -> String? {
            if head.requestID != request.head.requestID { return "it is for another request" }
            if reference != request.terms.reference { return "its reference is another" }
            if !request.terms.identifiers.contains(identifier) { return "it was paid in a way that was not asked for" }
            if (period == nil) != (request.terms.recurrence == nil) {
                return period == nil ? "it does not say for which period" : "the request has no periods"
            }
            return nil
        }
    }

    /// The event's id, the same in repetitions; nil for a list, which is not an event.
    package var eventID: String? { ids?.event }

    var requestID: String? { ids?.request }

    private var ids: (event: String, request: String?)? {
        switch self {
        case .paymentList: nil
        case .request(let request): (request.head.eventID, request.head.requestID)
        case .acceptance(let head), .rejection(let head, _), .cancellation(let head, _): (head.eventID, head.requestID)
        case .proof(let proof): (proof.head.eventID, proof.head.requestID)
        case .receiptAccess(let access): (access.eventID, access.requestID)
        }
    }

    // MARK: Wire form

    package enum Kind: String, Sendable, CaseIterable {
        case paymentList = "paykit.private_payment_list"
        case request = "paykit.payment_request"
        case acceptance = "paykit.payment_request_acceptance"
        case rejection = "paykit.payment_request_rejection"
        case cancellation = "paykit.payment_request_cancellation"
        case proof = "paykit.payment_proof"
        case receiptAccess = "paykit.receipt_access"
    }

    package var kind: Kind {
        switch self {
        case .paymentList: .paymentList
        case .request: .request
        case .acceptance: .acceptance
        case .rejection: .rejection
        case .cancellation: .cancellation
        case .proof: .proof
        case .receiptAccess: .receiptAccess
        }
    }

    /// Returns the message as it is sent. A repetition sends the same bytes. Throws ``WireDefect`` if it is too long
    /// for a message: check this before a payment that it should prove.
    package func text() throws(WireDefect) -> String {
        let text = OrderedJSON.object([("version", .number(1)), ("kind", .string(kind.rawValue))] + members).text
        guard text.utf8.count <= Self.maximumLength else {
            throw WireDefect("a message has at most \(Self.maximumLength) bytes, this \(text.utf8.count)")
        }
        return text
    }

    private var members: OrderedJSON.Members {
        switch self {
        case .paymentList(let endpoints):
            let sorted = endpoints.sorted { $0.key < $1.key }
            return [("payment_endpoints", .object(sorted.map { ($0.key, .string($0.value)) }))]
        case .request(let request): return request.head.members + [("request", request.terms.json)]
        case .acceptance(let head): return head.members
        case .rejection(let head, let reason), .cancellation(let head, let reason):
            return head.members + [("reason", reason.map { .string($0) })]
        case .proof(let proof):
            return proof.head.members + [
                ("payment_reference", .string(proof.reference)), ("billing_period", proof.period?.json ?? .null),
                ("payment_endpoint_identifier", .string(proof.identifier.text)),
                ("proof", .value(.object(proof.proof))),
            ]
        case .receiptAccess(let access): return access.members
        }
    }

    init(_ json: JSONValue, _ kind: Kind) throws(WireDefect) {
        var object = try ClosedObject(json)
        try object.begin(kind.rawValue)
        switch kind {
        case .paymentList:
            var endpoints: [String: String] = [:]
            for (name, value) in try object.object("payment_endpoints") {
                guard PaykitIdentifier(name) != nil, let text = value.string else {
                    throw WireDefect("a list has an entry that is no endpoint")
                }
                endpoints[name] = text
            }
            self = .paymentList(endpoints)
        case .request:
            let head = try EventHead(&object)
            self = .request(PaymentRequest(head, try PaymentTerms(object.value("request"))))
        case .acceptance: self = .acceptance(try EventHead(&object))
        case .rejection: self = .rejection(try EventHead(&object), reason: try Self.reason(&object))
        case .cancellation: self = .cancellation(try EventHead(&object), reason: try Self.reason(&object))
        case .proof:
            let head = try EventHead(&object)
            let reference = try object.reference()
            let period = try object.nullable("billing_period").map { value throws(WireDefect) in
                try BillingPeriod(value)
            }
            self = .proof(
                PaymentProof(
                    head, reference: reference, period: period,
                    identifier: try object.identifier("payment_endpoint_identifier"),
                    proof: try object.object("proof")))
        case .receiptAccess: self = .receiptAccess(try ReceiptAccess(&object))
        }
        try object.end()
    }

    private static func reason(_ object: inout ClosedObject) throws(WireDefect) -> String? {
        guard let value = try object.optional("reason") else { return nil }
        guard let text = value.string else { throw WireDefect("the member 'reason' is no text") }
        return text
    }
}

/// The result of reading a text from a link (Protocol 12.4). An unreadable text does not stop those after it.
package enum MessageIntake: Sendable, Hashable {
    case valid(PrivateLinkMessage)
    /// Of a known kind, and wrong. Its id, if it can be read, is taken: nothing else may arrive under it.
    case malformed(PrivateLinkMessage.Kind, eventID: String?)
    /// Of an unknown kind or form. It is stored, and skipped.
    case unknown(kind: String)
    case unreadable

    /// The prefix of a text that stands for a message that is not UTF-8.
    package static let invalidText = "paykit.invalid_utf8_private_message:"

    /// Returns the text of a message as it is stored.
    package static func text(of bytes: [UInt8]) -> String {
        String(validating: bytes, as: UTF8.self) ?? invalidText + Base64URL.encode(bytes)
    }

    /// Reads a text. `sender` is the receiver at the other end; a receipt that lies elsewhere is not its own.
    package init(_ text: String, from sender: PaykitReceiverPath) {
        guard let json = try? JSONValue(parsing: text), json.object != nil else {
            self = .unreadable
            return
        }
        guard let version = json["version"], version.uint64 != nil, let name = json["kind"]?.string else {
            self = .unreadable
            return
        }
        guard let kind = PrivateLinkMessage.Kind(rawValue: name) else {
            self = .unknown(kind: name)
            return
        }
        let eventID = kind == .paymentList ? nil : json["event_id"]?.string.flatMap(EventID.normal)
        do {
            let message = try PrivateLinkMessage(json, kind)
            if case .receiptAccess(let access) = message, !access.isAt(sender) {
                // Another sender's place: a message meant for another link takes no id of this one.
                self = .malformed(kind, eventID: nil)
            } else {
                self = .valid(message)
            }
        } catch {
            self = .malformed(kind, eventID: eventID)
        }
    }

    static func known(_ text: String) -> PrivateLinkMessage? {
        guard let json = try? JSONValue(parsing: text), let name = json["kind"]?.string,
            let kind = PrivateLinkMessage.Kind(rawValue: name)
        else { return nil }
        return try? PrivateLinkMessage(json, kind)
    }
}

/// A JSON object without members other than those read from it: this distinguishes messages of private links from those
/// of other forms (Protocol 12.4). Errors name the wrong member, never its content.
struct ClosedObject {
    private let members: [String: JSONValue]
    private var read: Set<String> = []

    init(_ json: JSONValue?) throws(WireDefect) {
        guard let members = json?.object else { throw WireDefect("a message is not a JSON object") }
        self.members = members
    }

    /// Returns a required member, which may be null.
    mutating func nullable(_ name: String) throws(WireDefect) -> JSONValue? {
        read.insert(name)
        guard let value = members[name] else { throw WireDefect("the member '\(name)' is missing") }
        // Written in full: a bare nil next to a value of JSON would be JSON's null.
        if value.isNull { return Optional.none }
        return value
    }

    /// Returns a member that may be missing, but is not null.
    mutating func optional(_ name: String) throws(WireDefect) -> JSONValue? {
        read.insert(name)
        guard let value = members[name] else { return nil }
        guard !value.isNull else { throw WireDefect("the member '\(name)' is null") }
        return value
    }

    mutating func value(_ name: String) throws(WireDefect) -> JSONValue {
        guard let value = try optional(name) else { throw WireDefect("the member '\(name)' is missing") }
        return value
    }

    mutating func text(_ name: String) throws(WireDefect) -> String {
        guard let text = try value(name).string else { throw WireDefect("the member '\(name)' is no text") }
        return text
    }

    mutating func id(_ name: String) throws(WireDefect) -> String {
        guard let id = EventID.normal(try text(name)) else { throw WireDefect("the member '\(name)' is no id") }
        return id
    }

    mutating func reference(_ name: String = "payment_reference") throws(WireDefect) -> String {
        let text = try text(name)
        guard 1...256 ~= text.unicodeScalars.count, !text.hasControlCharacters else {
            throw WireDefect("the member '\(name)' is no reference")
        }
        return text
    }

    mutating func object(_ name: String) throws(WireDefect) -> [String: JSONValue] {
        guard let object = try value(name).object else { throw WireDefect("the member '\(name)' is no object") }
        return object
    }

    mutating func identifier(_ name: String) throws(WireDefect) -> PaykitIdentifier {
        guard let identifier = PaykitIdentifier(try text(name)) else {
            throw WireDefect("the member '\(name)' is no identifier")
        }
        return identifier
    }

    /// Checks version and kind, the first members of every form.
    mutating func begin(_ kind: String) throws(WireDefect) {
        guard try value("version").uint64 == 1 else { throw WireDefect("it has a version that is not known") }
        guard try text("kind") == kind else { throw WireDefect("it is of another kind") }
    }

    func end() throws(WireDefect) {
        guard Set(members.keys).isSubset(of: read) else { throw WireDefect("it has a member that is not known") }
    }
}

extension String {
    var hasControlCharacters: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}

/// Ids of events, requests and receipts: UUIDs of version 4 (RFC 9562).
package enum EventID {
    /// Returns the id in lower case with hyphens; nil if the text is not a UUID of version 4.
    package static func normal(_ text: String) -> String? {
        let plain = text.lowercased().filter { $0 != "-" }
        guard plain.utf8.count == 32, let bytes = Hex.decode(plain), bytes[6] >> 4 == 4, bytes[8] >> 6 == 2 else {
            return nil
        }
        let whole = written(bytes)
        // Without any hyphen, or with all of them where they belong.
        return text.utf8.count == 32 || text.lowercased() == whole ? whole : nil
    }

    package static func draw(_ random: any RandomSource) -> String {
        var bytes = random.bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return written(bytes)
    }

    private static func written(_ bytes: [UInt8]) -> String {
        let hex = Array(Hex.encode(bytes))
        let ends = [8, 12, 16, 20, 32]
        return zip([0] + ends, ends).map { String(hex[$0..<$1]) }.joined(separator: "-")
    }
}
