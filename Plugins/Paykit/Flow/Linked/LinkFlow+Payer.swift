import PaymentCore

/// What is paid over a link, step by step: each is kept before the next one begins.
package struct LinkOrder: Sendable, Hashable {
    /// What the wallet knows the payment by, whichever endpoint it goes to: it pays once under it, ever.
    package let key: String
    package let requestID: String
    package let payee: PubkyKey
    package let amount: LinkAmount
    package let endpoint: PaykitEndpoint
}

/// Who pays what was agreed on over a link.
package protocol LinkWallet: Sendable {
    /// Says what became of all that was done under an order's key; nil when that is nothing.
    ///
    /// - Throws: where that is not known, as while a payment is on its way: then nothing is paid.
    func outcome(of order: LinkOrder) async throws -> PrivateCheckout.Settlement?

    /// Pays an order, unless something was paid under its key: then that is the answer. What has not been paid may be tried
    /// again, also with another endpoint.
    ///
    /// - Throws: where nobody knows whether it has paid.
    func settle(_ order: LinkOrder) async throws -> PrivateCheckout.Settlement
}

/// The payer's side.
extension LinkFlow {
    /// All requests between the two, in the order in which they came here.
    package func requests(
        with peer: PubkyKey, _ peerReceiver: PaykitReceiverPath
    ) async throws(PaykitFailure) -> [LinkRequest] {
        try await held(try party(peer, peerReceiver)).map { LinkRequest.all(in: $0.record.log) } ?? []
    }

    /// Says yes to a request. Paying alone is no acceptance.
    package func accept(_ id: String, _ party: LinkParty) async throws(PaykitFailure) {
        let head = head(of: id)
        let now = moment
        try await change(party) { record throws(PaykitFailure) in
            let request = try Self.request(id, record, isOwn: false)
            guard !request.state.isAccepted else { return }
            guard !request.state.isExpired(at: now) else {
                throw PaykitFailure(.invoiceExpired, "the request can be accepted no longer; ask for a new one")
            }
            try Self.say(.acceptance(head), about: request, &record)
        }
    }

    /// Says no to a request.
    package func reject(_ id: String, reason: String?, _ party: LinkParty) async throws(PaykitFailure) {
        let head = head(of: id)
        try await change(party) { record throws(PaykitFailure) in
            let request = try Self.request(id, record, isOwn: false)
            guard request.state.phase != .rejected else { return }
            try Self.say(.rejection(head, reason: reason), about: request, &record)
        }
    }

    /// Calls a request off, from either side. What is being paid is paid all the same.
    package func cancel(_ id: String, reason: String?, _ party: LinkParty) async throws(PaykitFailure) {
        let head = head(of: id)
        try await change(party) { record throws(PaykitFailure) in
            let request = try Self.request(id, record)
            guard !request.state.cancelledBy.contains(request.isOwn ? .payee : .payer) else { return }
            try Self.say(.cancellation(head, reason: reason), about: request, &record)
        }
    }

    /// Pays a request that was accepted, or one period of it, and has the proof sent.
    ///
    /// - Parameters:
    ///   - published: endpoints that the payee publishes for everybody; only given where those may be used. Without any, what the
    ///     payee has sent to this side alone is paid.
    ///   - check: judges endpoints before one is chosen.
    /// - Returns: what proves it.
    /// - Throws: ``PaykitFailure``; `paymentInDoubt` when the wallet does not know what became of it. `methodNotSupported` when
    ///   there is nothing to pay to now: the payee has to send a new list.
    package func pay(
        _ id: String, period: BillingPeriod? = nil, _ party: LinkParty, with wallet: any LinkWallet,
        published: [PaykitEndpoint]? = nil, check: PaykitEndpointCheck? = nil
    ) async throws(PaykitFailure) -> PaykitProof {
        let key = LinkRequest.key(id, period)
        let now = clock.now
        let (order, known, isOpen) = try await change(party) { record throws(PaykitFailure) in
            let request = try Self.request(id, record, isOwn: false)
            let isOpen = [.accepted, .active].contains(request.state.phase)
            if let known = record.payments[key], known.stage != .failed {
                return (Self.order(known, key, request, party), known, isOpen)
            }
            guard isOpen else {
                throw PaykitFailure(
                    .paymentRejected, "the request is \(request.state.phase.rawValue): accept it before paying")
            }
            guard request.terms.amount.bitcoin != nil else {
                throw PaykitFailure(
                    .validationFailed, "the request is not for an amount of bitcoin, which is all that is paid here")
            }
            guard (period == nil) == (request.terms.recurrence == nil) else {
                throw PaykitFailure(.validationFailed, "a request that recurs is paid for one of its periods")
            }
            if let period, request.terms.recurrence?.has(period) != true {
                throw PaykitFailure(
                    .validationFailed, "the request has no such period, or recurs in a way that is not known")
            }
            let (endpoint, list) = try Self.endpoint(for: request, record, published) {
                endpoint throws(PaykitFailure) in
                try check?.check(endpoint, amount: request.terms.amount.bitcoin, at: now)
            }
            try Self.checkProofFits(request, period, endpoint)
            if let list { record.list?.used = list }
            let payment = LinkPayment(
                stage: .paying, identifier: endpoint.methodID, endpoint: endpoint.endpoint, list: list)
            record.payments[key] = payment
            return (Self.order(payment, key, request, party), payment, true)
        }
        if known.stage == .paid,
            let proof = known.proof.flatMap({ try? JSONValue(parsing: $0) }).flatMap({ PaykitProof($0) })
        {
            return proof
        }
        let settlement: PrivateCheckout.Settlement
        do {
            // Whoever comes here may be the second, or may have lost what was kept: the wallet is asked first.
            if case .paid(let proof)? = try await wallet.outcome(of: order) {
                settlement = .paid(proof)
            } else if isOpen {
                settlement = try await wallet.settle(order)
            } else {
                settlement = .notPaid("the request was called off")
            }
        } catch {
            throw PaykitFailure(
                .paymentInDoubt, "whether it was paid is not known: try again when the wallet can be asked",
                methodID: order.endpoint.methodID)
        }
        return try await note(settlement, order, key, period, party)
    }

    /// Keeps what the wallet said together with the proof that is to be sent: neither is ever there without the other.
    private func note(
        _ settlement: PrivateCheckout.Settlement, _ order: LinkOrder, _ key: String, _ period: BillingPeriod?,
        _ party: LinkParty
    ) async throws(PaykitFailure) -> PaykitProof {
        let head = head(of: order.requestID)
        switch settlement {
        case .notPaid(let reason):
            try await change(party) { record throws(PaykitFailure) in
                guard let known = record.payments[key], known.stage == .paying,
                    known.endpoint == order.endpoint.endpoint
                else { return }
                record.payments[key]?.stage = .failed
                if let list = known.list, record.list?.version == list { record.list?.used = list - 1 }
            }
            throw PaykitFailure(.paymentRejected, "nothing was paid: \(reason)", methodID: order.endpoint.methodID)
        case .paid(let proof):
            guard proof.isSound else {
                throw PaykitFailure(
                    .paymentInDoubt, "the wallet's proof proves nothing: ask it before paying again",
                    methodID: order.endpoint.methodID)
            }
            let isSent = try await change(party) { record throws(PaykitFailure) in
                // Also where another call has noted that nothing was paid: the money is gone all the same.
                guard record.payments[key]?.stage != .paid else { return true }
                record.payments[key]?.stage = .paid
                record.payments[key]?.proof = proof.json.text
                let request = try Self.request(order.requestID, record, isOwn: false)
                let message = PrivateMessage.proof(Self.message(head, request, period, order.endpoint, proof))
                return (try? record.say(message)) != nil
            }
            guard isSent else {
                throw PaykitFailure(
                    .validationFailed,
                    "it is paid, but the proof is too long for a message: show it to the payee yourself",
                    methodID: order.endpoint.methodID)
            }
            return proof
        }
    }

    // MARK: Choosing

    /// An endpoint that was not paid to before, and the list that it is from. Published ones and those of a list are never mixed.
    private static func endpoint(
        for request: LinkRequest, _ record: LinkRecord, _ published: [PaykitEndpoint]?,
        _ check: (PaykitEndpoint) throws(PaykitFailure) -> Void
    ) throws(PaykitFailure) -> (PaykitEndpoint, list: Int?) {
        let taken = Set(record.payments.values.filter { $0.stage != .failed }.map(\.endpoint))
        var endpoints = published ?? []
        var version: Int?
        if published == nil, let list = record.list, list.version > list.used {
            version = list.version
            endpoints = list.endpoints.compactMap { name, text in
                guard let identifier = PaykitIdentifier(name), let payload = EndpointPayload(Array(text.utf8)),
                    identifier.allows(payload.value)
                else { return nil }
                return PaykitEndpoint(methodID: name, endpoint: payload.value)
            }
        }
        let accepted = Set(request.terms.identifiers.map(\.text))
        var refusal: PaykitFailure?
        let usable = endpoints.filter { endpoint in
            // An address that everybody sees may be paid twice; what was made for one payment may not.
            guard accepted.contains(endpoint.methodID), published != nil || !taken.contains(endpoint.endpoint) else {
                return false
            }
            do throws(PaykitFailure) { try check(endpoint) } catch {
                refusal = refusal ?? error
                return false
            }
            return true
        }
        guard let chosen = SmartCheckout.choice(among: usable, preferring: nil) else {
            throw refusal
                ?? PaykitFailure(
                    .methodNotSupported, "the payee has not yet said where to pay this: wait for their next message")
        }
        return (chosen, version)
    }

    /// Whether what will prove the payment fits into a message: afterwards it would be too late.
    private static func checkProofFits(
        _ request: LinkRequest, _ period: BillingPeriod?, _ endpoint: PaykitEndpoint
    ) throws(PaykitFailure) {
        let zeros = String(repeating: "0", count: 64)
        let head = PrivateMessage.EventHead(eventID: "00000000-0000-4000-8000-000000000000", requestID: request.id)
        let longest = message(head, request, period, endpoint, .preimage(zeros, paymentHash: zeros))
        do { _ = try PrivateMessage.proof(longest).text() } catch {
            throw PaykitFailure(
                .validationFailed, "the request's reference is so long that no proof of its payment fits into a message"
            )
        }
    }

    private static func message(
        _ head: PrivateMessage.EventHead, _ request: LinkRequest, _ period: BillingPeriod?, _ endpoint: PaykitEndpoint,
        _ proof: PaykitProof
    ) -> PrivateMessage.PaymentProof {
        // Identifiers were looked at when the endpoint was chosen.
        let identifier =
            request.terms.identifiers.first { $0.text == endpoint.methodID } ?? request.terms.identifiers[0]
        return PrivateMessage.PaymentProof(
            head, reference: request.terms.reference, period: period, identifier: identifier,
            proof: proof.linkMembers)
    }

    private static func order(
        _ payment: LinkPayment, _ key: String, _ request: LinkRequest, _ party: LinkParty
    ) -> LinkOrder {
        LinkOrder(
            key: key, requestID: request.id, payee: party.peer, amount: request.terms.amount,
            endpoint: PaykitEndpoint(methodID: payment.identifier, endpoint: payment.endpoint))
    }

    // MARK: Saying

    func head(of id: String) -> PrivateMessage.EventHead {
        PrivateMessage.EventHead(eventID: EventID.draw(random), requestID: id)
    }

    static func request(
        _ id: String, _ record: LinkRecord, isOwn: Bool? = nil
    ) throws(PaykitFailure) -> LinkRequest {
        guard let request = LinkRequest.all(in: record.log).first(where: { $0.id == id }) else {
            throw PaykitFailure(.notFound, "there is no request of this id on this link")
        }
        if let isOwn, request.isOwn != isOwn {
            throw PaykitFailure(
                .validationFailed,
                isOwn
                    ? "the request is the other side's: they are paid" : "the request is one's own: the other side pays"
            )
        }
        return request
    }

    /// Says something about a request, if it means anything there.
    static func say(
        _ message: PrivateMessage, about request: LinkRequest, _ record: inout LinkRecord
    ) throws(PaykitFailure) {
        var state = request.state
        guard state.take(message, from: request.isOwn ? .payee : .payer) else {
            throw PaykitFailure(.validationFailed, "the request is \(request.state.phase.rawValue) already")
        }
        do { try record.say(message) } catch { throw PaykitFailure(.validationFailed, "\(error)") }
    }
}

extension PaykitProof {
    /// As it is sent over a link; each method has words of its own (Protocol 12.9).
    var linkMembers: [String: JSONValue] {
        switch self {
        case .preimage(let preimage, _): ["type": "bitcoin-bolt11-preimage", "data": .string(preimage)]
        case .transaction(let id): ["type": "bitcoin-transaction", "data": .string(id)]
        case .other(let method, let data): ["type": .string(method), "data": data]
        }
    }
}
