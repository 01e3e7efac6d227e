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

    /// Pays a request, or one period of it, without a router, and queues the proof for sending. This accepts a request
    /// that waits for an answer. The settler knows the payment by the name that a router uses. `check` reads endpoints,
    /// and checks them before one is chosen. Returns the proof of payment. Throws ``PaykitNetworkError``:
    /// `paymentInDoubt` if the settler does not know the outcome, and `methodNotSupported` if there is no endpoint to
    /// pay now. The payee then has to send a new list.
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

    /// Has the settler pay a claim, or abandon one that is over, and stores its report.
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
            // This holds even if another call has recorded that nothing was paid: the money is sent anyway.
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

    // MARK: Messages

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

// MARK: - Choosing an endpoint

/// The choice of an endpoint for a request, and the message about its payment.
extension PrivateLinkFlow {
    static func amount(of request: PrivateLinkRequest, _ period: BillingPeriod?) throws(PaykitNetworkError) -> Money {
        guard let amount = request.terms.amount.bitcoin else {
            throw PaykitNetworkError(
                .validationFailed, "the request is not for an amount of bitcoin, which is all that is paid here")
        }
        guard (period == nil) == (request.terms.recurrence == nil) else {
            throw PaykitNetworkError(.validationFailed, "a request that recurs is paid for one of its periods")
        }
        if let period, request.terms.recurrence?.has(period) != true {
            throw PaykitNetworkError(
                .validationFailed, "the request has no such period, or recurs in a way that is not known")
        }
        return amount
    }

    /// Returns the usable endpoints that the payee has sent to this side alone, best first and at least one.
    func endpoints(
        for request: PrivateLinkRequest, _ record: PrivateLinkRecord, _ check: PaykitEndpointCheck
    ) throws(PaykitNetworkError) -> [PaykitEndpoint] {
        var endpoints: [PaykitEndpoint] = []
        if let list = record.list, list.version > list.used {
            // A public address may be paid twice; an endpoint that was made for one payment may not.
            endpoints = record.unusedEndpoints(of: list)
        }
        let accepted = Set(request.terms.identifiers.map(\.text))
        var refusal: PaykitNetworkError?
        let usable = endpoints.filter { endpoint in
            guard accepted.contains(endpoint.methodID) else { return false }
            do throws(PaykitNetworkError) {
                let read = try check.check(endpoint, amount: request.terms.amount.bitcoin, at: clock.now)
                // Without a hash, the proof could not be assigned to this payment.
                guard
                    PaykitIdentifier(endpoint.methodID)?.parts?.format != "bolt11"
                        || read?.fields["paymentHash"]?.string != nil
                else {
                    throw PaykitNetworkError(
                        .invalidData, "the endpoint '\(endpoint.methodID)' is no invoice that can be read",
                        methodID: endpoint.methodID)
                }
            } catch {
                refusal = refusal ?? error
                return false
            }
            return true
        }
        guard !usable.isEmpty else {
            throw refusal
                ?? PaykitNetworkError(
                    .methodNotSupported, "the payee has not yet said where to pay this: wait for their next message")
        }
        // The limits are checked, and dropped for later comparisons.
        let plain = usable.map { PaykitEndpoint(methodID: $0.methodID, endpoint: $0.endpoint) }
        return SmartCheckout.sorted(plain)
    }

    /// Checks that the proof of the payment will fit into a message: after the payment it would be too late.
    static func checkProofFits(
        _ request: PrivateLinkRequest, _ period: BillingPeriod?, _ endpoint: PaykitEndpoint
    ) throws(PaykitNetworkError) {
        let zeros = String(repeating: "0", count: 64)
        let head = PrivateLinkMessage.EventHead(eventID: "00000000-0000-4000-8000-000000000000", requestID: request.id)
        let longest = message(head, of: request, period: period, at: endpoint, .preimage(zeros, paymentHash: zeros))
        do { _ = try PrivateLinkMessage.proof(longest).text() } catch {
            throw PaykitNetworkError(
                .validationFailed, "the request's reference is so long that no proof of its payment fits into a message"
            )
        }
    }

    /// Returns the identifier that is sent with a proof: the endpoint's. If the proof is of another method, as after a
    /// loss, it is the first of the request's identifiers that has this method.
    static func identifier(of request: PrivateLinkRequest, for proof: PaykitProof, at endpoint: PaykitEndpoint)
        -> String
    {
        let method: String
        switch proof {
        case .preimage: method = "lightning"
        case .transaction: method = "onchain"
        case .other: return endpoint.methodID
        }
        guard PaykitIdentifier(endpoint.methodID)?.formerName != method else { return endpoint.methodID }
        return request.terms.identifiers.first { $0.formerName == method }?.text ?? endpoint.methodID
    }

    static func message(
        _ head: PrivateLinkMessage.EventHead, of request: PrivateLinkRequest, period: BillingPeriod?,
        at endpoint: PaykitEndpoint, _ proof: PaykitProof
    ) -> PrivateLinkMessage.PaymentProof {
        // The identifier was checked when the endpoint was chosen.
        let identifier =
            request.terms.identifiers.first { $0.text == endpoint.methodID } ?? request.terms.identifiers[0]
        return PrivateLinkMessage.PaymentProof(
            head, reference: request.terms.reference, period: period, identifier: identifier, proof: proof.linkMembers)
    }
}
