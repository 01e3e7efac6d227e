package import PaykitPubky
import PaymentCore

/// A payment over a link. Each step is stored before the next one begins.
package struct PrivateLinkOrder: Sendable, Hashable {
    /// The wallet's key of the payment, independent of the endpoint: the wallet pays at most once under it.
    package let key: String
    package let requestID: String
    package let payee: PubkyKey
    package let amount: PrivateLinkAmount
    package let endpoint: PaykitEndpoint
}

/// A wallet that pays agreed requests of a link.
package protocol PrivateLinkWallet: Sendable {
    /// Returns the outcome of all attempts under an order's key; nil when there were none.
    ///
    /// - Throws: when the outcome is unknown, for example while a payment is in flight: then nothing is paid.
    func outcome(of order: PrivateLinkOrder) async throws -> ChannelCheckout.Settlement?

    /// Pays an order, unless a payment was made under its key, whose outcome is then returned. An unpaid order may be
    /// tried again, also with another endpoint.
    ///
    /// - Throws: when it is unknown whether the payment was made.
    func settle(_ order: PrivateLinkOrder) async throws -> ChannelCheckout.Settlement
}

/// The payer's side.
extension PrivateLinkFlow {
    /// Returns the requests between the two, in the order of their arrival here: all that are open, and the latest of
    /// those that are over.
    package func requests(
        with peer: PubkyKey, _ peerReceiver: PaykitReceiverPath
    ) async throws(PaykitNetworkError) -> [PrivateLinkRequest] {
        try await held(try party(peer, peerReceiver)).map { $0.record.requests.rows } ?? []
    }

    /// Accepts a request. A payment alone is no acceptance.
    package func accept(_ id: String, _ party: PrivateLinkParty) async throws(PaykitNetworkError) {
        let head = head(of: id)
        let now = moment
        try await change(party, about: id) { record throws(PaykitNetworkError) in
            let request = try Self.request(id, record, isOwn: false)
            guard !request.state.isAccepted else { return }
            guard !request.state.isExpired(at: now) else {
                throw PaykitNetworkError(.invoiceExpired, "the request can be accepted no longer; ask for a new one")
            }
            try Self.say(.acceptance(head), about: request, &record)
        }
    }

    /// Rejects a request.
    package func reject(_ id: String, reason: String?, _ party: PrivateLinkParty) async throws(PaykitNetworkError) {
        let head = head(of: id)
        try await change(party, about: id) { record throws(PaykitNetworkError) in
            let request = try Self.request(id, record, isOwn: false)
            guard request.state.phase != .rejected else { return }
            try Self.say(.rejection(head, reason: reason), about: request, &record)
        }
    }

    /// Cancels a request, from either side. A payment in flight continues.
    package func cancel(_ id: String, reason: String?, _ party: PrivateLinkParty) async throws(PaykitNetworkError) {
        let head = head(of: id)
        try await change(party, about: id) { record throws(PaykitNetworkError) in
            let request = try Self.request(id, record)
            guard !request.state.cancelledBy.contains(request.isOwn ? .payee : .payer) else { return }
            try Self.say(.cancellation(head, reason: reason), about: request, &record)
        }
    }

    /// Pays an accepted request, or one period of it, and queues the proof for sending.
    ///
    /// - Parameters:
    ///   - published: the payee's public endpoints, only where those may be used. If nil, the list that the payee has
    ///     sent to this side alone is used.
    ///   - check: checks endpoints before one is chosen.
    /// - Returns: the proof of payment.
    /// - Throws: ``PaykitNetworkError``; `paymentInDoubt` when the wallet does not know the outcome;
    ///   `methodNotSupported` when there is no endpoint to pay now: the payee has to send a new list.
    package func pay(
        _ id: String, period: BillingPeriod? = nil, _ party: PrivateLinkParty, with wallet: any PrivateLinkWallet,
        published: [PaykitEndpoint]? = nil, check: PaykitEndpointCheck? = nil
    ) async throws(PaykitNetworkError) -> PaykitProof {
        let key = PrivateLinkRequest.key(id, period)
        let (order, known, isOpen) = try await change(party, about: id) { record throws(PaykitNetworkError) in
            let request = try Self.request(id, record, isOwn: false)
            let isOpen = [.accepted, .active].contains(request.state.phase)
            if let known = record[payment: key], known.stage != .failed {
                try known.require(try Self.amount(of: request, period))
                guard known.stage == .paid || !known.isRouted else {
                    throw PaykitNetworkError(
                        .paymentInDoubt, "a router has begun to pay the request: have it resume that payment")
                }
                return (Self.order(known, key: key, of: request, party), known, isOpen)
            }
            try request.requireUnpaid(period)
            guard isOpen else {
                throw PaykitNetworkError(
                    .paymentRejected, "the request is \(request.state.phase.rawValue): accept it before paying")
            }
            try record.requireTrust()
            let amount = "\(try Self.amount(of: request, period).minorUnits)"
            let (choice, list) = try endpoints(for: request, record, published, check)
            let endpoint = choice[0]
            try Self.checkProofFits(request, period, endpoint)
            if let list { record.list?.used = list }
            let payment = PrivateLinkPayment(
                stage: .paying, identifier: endpoint.methodID, endpoint: endpoint.endpoint, satoshis: amount,
                list: list,
                number: record[payment: key]?.number ?? 0)
            record[payment: key] = payment
            return (Self.order(payment, key: key, of: request, party), payment, true)
        }
        if let proof = known.reportedProof { return proof }
        let doubt = PaykitNetworkError(
            .paymentInDoubt, "whether it was paid is not known: try again when the wallet can be asked",
            methodID: order.endpoint.methodID)
        // This call may be a second one, or the stored state may have been lost: the wallet is asked first.
        let earlier: ChannelCheckout.Settlement?
        do { earlier = try await wallet.outcome(of: order) } catch { throw doubt }
        if case .paid? = earlier, let earlier {
            return try await note(earlier, of: order, key: key, period: period, party, isOwn: known.isAsked)
        }
        if !isOpen {
            return try await note(
                .notPaid("the request was cancelled"), of: order, key: key, period: period, party, isOwn: true)
        }
        // From here on, a payment by the wallet is one that was ordered here.
        try await change(party, about: id) { record throws(PaykitNetworkError) in
            if record[payment: key]?.endpoint == order.endpoint.endpoint { record[payment: key]?.isAsked = true }
        }
        let settlement: ChannelCheckout.Settlement
        do { settlement = try await wallet.settle(order) } catch { throw doubt }
        return try await note(settlement, of: order, key: key, period: period, party, isOwn: true)
    }

    /// Stores the wallet's result together with the proof to send: neither is ever stored without the other.
    ///
    /// - Parameter isOwn: true if the wallet was asked here, for this endpoint; otherwise it may have paid another
    ///   endpoint before the stored state was lost.
    private func note(
        _ settlement: ChannelCheckout.Settlement, of order: PrivateLinkOrder, key: String, period: BillingPeriod?,
        _ party: PrivateLinkParty, isOwn: Bool
    ) async throws(PaykitNetworkError) -> PaykitProof {
        switch settlement {
        case .notPaid(let reason):
            try await change(party, about: order.requestID) { record throws(PaykitNetworkError) in
                record.fail(key, at: order.endpoint)
            }
            throw PaykitNetworkError(.paymentRejected, "nothing was paid: \(reason)", methodID: order.endpoint.methodID)
        case .paid(let proof):
            guard isOwn ? proof.fits(order.endpoint) : proof.isSound else {
                throw PaykitNetworkError(
                    .paymentInDoubt,
                    "the wallet's proof is not of this payment, and is not sent: look into the wallet before paying again",
                    methodID: order.endpoint.methodID)
            }
            guard try await keep(proof, of: order.requestID, period: period, at: order.endpoint, party) else {
                throw PaykitNetworkError(
                    .validationFailed,
                    "it is paid, but the proof is too long for a message: show it to the payee yourself",
                    methodID: order.endpoint.methodID)
            }
            return proof
        }
    }

    /// Stores a proof together with the message that carries it.
    ///
    /// - Returns: true if the message could be written.
    func keep(
        _ proof: PaykitProof, of id: String, period: BillingPeriod?, at endpoint: PaykitEndpoint,
        _ party: PrivateLinkParty
    ) async throws(PaykitNetworkError) -> Bool {
        let (head, yes) = (head(of: id), self.head(of: id))
        let key = PrivateLinkRequest.key(id, period)
        return try await change(party, about: id) { record throws(PaykitNetworkError) in
            // This holds even if another call has recorded that nothing was paid: the money is sent all the same.
            let request = try Self.request(id, record, isOwn: false)
            guard record[payment: key]?.stage != .paid, request.past[period] == nil else { return true }
            let endpoint = PaykitEndpoint(
                methodID: Self.identifier(of: request, for: proof, at: endpoint), endpoint: endpoint.endpoint)
            var payment =
                record[payment: key]
                ?? PrivateLinkPayment(
                    stage: .paid, identifier: endpoint.methodID, endpoint: endpoint.endpoint,
                    satoshis: "\(request.terms.amount.bitcoin?.minorUnits ?? 0)",
                    list: record.useList(with: endpoint))
            payment.stage = .paid
            payment.proof = proof.json.text
            record[payment: key] = payment
            // The acceptance was lost with the stored state. No proof counts before it, and a second one has no effect.
            if !request.state.isAccepted { try? Self.say(.acceptance(yes), about: request, &record) }
            let message = PrivateLinkMessage.proof(Self.message(head, of: request, period: period, at: endpoint, proof))
            return (try? record.say(message)) != nil
        }
    }

    // MARK: Saying

    func head(of id: String) -> PrivateLinkMessage.EventHead {
        PrivateLinkMessage.EventHead(eventID: EventID.draw(random), requestID: id)
    }

    static func request(
        _ id: String, _ record: PrivateLinkRecord, isOwn: Bool? = nil
    ) throws(PaykitNetworkError) -> PrivateLinkRequest {
        guard let request = record.requests[id] else {
            throw PaykitNetworkError(
                .notFound, "there is no request of this id on this link: poll it, as after a loss the payee asks again")
        }
        if let isOwn, request.isOwn != isOwn {
            throw PaykitNetworkError(
                .validationFailed,
                isOwn
                    ? "the request is the other side's: they are paid" : "the request is one's own: the other side pays"
            )
        }
        return request
    }

    /// Queues a message about a request, if it has an effect there.
    static func say(
        _ message: PrivateLinkMessage, about request: PrivateLinkRequest, _ record: inout PrivateLinkRecord
    ) throws(PaykitNetworkError) {
        var state = request.state
        guard state.take(message, from: request.isOwn ? .payee : .payer) else {
            throw PaykitNetworkError(.validationFailed, "the request is \(request.state.phase.rawValue) already")
        }
        do { try record.say(message) } catch { throw PaykitNetworkError(.validationFailed, "\(error)") }
    }
}

extension PaykitProof {
    /// The proof as it is sent over a link; each method has other members (Protocol 12.9).
    var linkMembers: [String: JSONValue] {
        switch self {
        case .preimage(let preimage, _): ["type": "bitcoin-bolt11-preimage", "data": .string(preimage)]
        case .transaction(let id): ["type": "bitcoin-transaction", "data": .string(id)]
        case .other(let method, let data): ["type": .string(method), "data": data]
        }
    }
}
