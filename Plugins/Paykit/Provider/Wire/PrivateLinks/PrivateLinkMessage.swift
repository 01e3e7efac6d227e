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

        /// Returns the reason that it is no proof of a payment for `request`; nil if it is one. Whether it was paid is
        /// for the method's own check.
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

    /// The event's id, by which repetitions are recognised; nil for a list, which is no event.
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
