import PaymentSettlement

/// The payer's side.
extension PrivateLinkFlow {
    /// Returns the requests between the two, in the order of arrival: all open ones, and the latest that are over.
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

    /// Pays a request, or one period of it, without a router, and queues the proof for sending. A request that waits
    /// for an answer is thereby accepted. The settler knows the payment by the name that a router uses. `check`
    /// reads endpoints, and checks them before one is chosen. Returns the proof of payment. Throws
    /// ``PaykitNetworkError``; `paymentInDoubt` when the settler does not know the outcome; `methodNotSupported` when
    /// there is no endpoint to pay now: the payee has to send a new list.
    package func pay(
        _ id: String, period: BillingPeriod? = nil, _ party: PrivateLinkParty, with settler: any PaymentSettler,
        check: PaykitEndpointCheck
    ) async throws(PaykitNetworkError) -> PaykitProof {
        do throws(RequestSettlerError) { try await restore(id, period, party, from: settler) } catch {
            throw PaykitNetworkError(error)
        }
        var due = try await due(id, period: period, party, check)
        if case .open(let endpoints, let amount) = due {
            guard let endpoint = endpoints.first(where: { check.settlement(of: $0, amount, by: settler) != nil }) else {
                throw PaykitNetworkError(
                    .methodNotSupported,
                    "the settler cannot pay at what the payee has sent: wait for their next message")
            }
            due = try await claim(id, period: period, at: endpoint, party, check)
        }
        switch due {
        case .begun(let claim): return try await settle(claim, with: settler, check: check)
        case .paid(let proof?, _): return proof
        case .paid(nil, _):
            throw PaykitNetworkError(
                .paymentRejected, "it was paid, and its proof is not stored any more: look into the wallet")
        case .cancelled: throw PaykitNetworkError(.paymentRejected, "the request is over, and not paid any more")
        case .expired:
            throw PaykitNetworkError(.invoiceExpired, "the request can be accepted no longer; ask for a new one")
        case .open:
            throw PaykitNetworkError(.methodNotSupported, "the payee has just sent another way to pay: try again")
        }
    }

    /// Has a claim paid, or abandoned where it is over, and stores what the settler says.
    private func settle(
        _ claim: PrivateLinkClaim, with settler: any PaymentSettler, check: PaykitEndpointCheck
    ) async throws(PaykitNetworkError) -> PaykitProof {
        let method = claim.endpoint.methodID
        let report: SettlerReport
        do throws(RequestSettlerError) {
            guard let endpoint = check.settlement(of: claim.endpoint, claim.amount, by: settler) else {
                throw .notKnown
            }
            report = try await settled(claim, at: endpoint, with: settler)
        } catch { throw PaykitNetworkError(error, at: method) }
        switch report {
        case .paid(let proof, isSaid: true): return proof
        case .paid(_, isSaid: false):
            throw PaykitNetworkError(
                .validationFailed,
                "it is paid, but the proof is too long for a message: show it to the payee yourself", methodID: method)
        case .nothingSent(let reason):
            throw PaykitNetworkError(
                .paymentRejected, "nothing was paid: \(reason ?? "the settler has sent nothing")", methodID: method)
        case .nothingBegun: throw PaykitNetworkError(.notKnown, at: method)
        }
    }

    private func settled(
        _ claim: PrivateLinkClaim, at endpoint: SettlementEndpoint, with settler: any PaymentSettler
    ) async throws(RequestSettlerError) -> SettlerReport {
        // This call may be a second one, or the stored state may have been lost: the settler is asked first.
        let known = try await report(on: claim, from: settler)
        guard case .nothingBegun = known else { return known }
        let isGranted: Bool
        do throws(PaykitNetworkError) { isGranted = try await handOver(claim) } catch { throw .link(error) }
        guard isGranted else { return try await abandon(claim, at: settler) }
        let settlement = Settlement(key: claim.name, endpoint: endpoint, amount: claim.amount)
        let state: SettlementState
        do { state = try await settler.settle(settlement) } catch { throw .noAnswer(error) }
        let order = SettlementOrder(name: claim.name, endpoint: endpoint, amount: claim.amount, state: state)
        return try await store(order, of: claim)
    }

    /// Stores a proof together with the message that carries it. Returns true if the message could be written.
    func keep(
        _ proof: PaykitProof, of claim: PrivateLinkClaim, at endpoint: PaykitEndpoint
    ) async throws(PaykitNetworkError) -> Bool {
        let (id, period, key) = (claim.requestID, claim.period, claim.storedKey)
        let (head, yes) = (head(of: id), self.head(of: id))
        return try await change(claim.party, about: id) { record throws(PaykitNetworkError) in
            // This holds even if another call has recorded that nothing was paid: the money is sent all the same.
            let request = try Self.request(id, record, isOwn: false)
            guard record[payment: key]?.stage != .paid, request.past[period] == nil else { return true }
            let endpoint = PaykitEndpoint(
                methodID: Self.identifier(of: request, for: proof, at: endpoint), endpoint: endpoint.endpoint)
            var payment =
                record[payment: key]
                ?? PrivateLinkPayment(
                    stage: .paid, identifier: endpoint.methodID, endpoint: endpoint.endpoint,
                    satoshis: "\(request.terms.amount.bitcoin?.minorUnits ?? 0)", list: record.useList(with: endpoint))
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
