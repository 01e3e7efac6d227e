import PaymentCore
import PaymentCrypto

/// What a router has begun to pay for a request.
struct PrivateLinkClaim: Sendable, Hashable {
    let requestID: String
    let period: BillingPeriod?
    let endpoint: PaykitEndpoint
    /// How many times before the settler has said for good that nothing was sent: each time it is asked by another
    /// name.
    let number: Int
    /// Whether the request stands: then what was not begun may still be.
    let isOpen: Bool

    /// By which the payer's settler knows the payment, whoever asks it: of all who share what is kept of a link.
    func key(_ party: PrivateLinkParty) -> String {
        let words = "\(party.name)\n\(PrivateLinkRequest.key(requestID, period))\n\(number)"
        return "request-" + Hex.encode(Digest.sha256.hash(Array(words.utf8))).prefix(48)
    }
}

/// What can be done about a request, or about one period of it.
enum PrivateLinkDue: Sendable {
    /// It is to be paid, at one of these, best first.
    case open([PaykitEndpoint], Money)
    /// Somebody has begun to pay it.
    case begun(PrivateLinkClaim, Money)
    case paid(PaykitProof, Money)
    /// Nothing is paid any more: either side has said so.
    case cancelled
    /// It was not accepted in time.
    case expired
}

/// Requests that a router pays (Protocol 12.9). Of all who share what is kept of a link one begins, and the others find
/// that.
extension PrivateLinkFlow {
    /// Looks what can be done about a request.
    ///
    /// - Throws: ``PaykitNetworkError``; `methodNotSupported` when there is nothing to pay to now.
    func due(
        _ id: String, period: BillingPeriod?, _ party: PrivateLinkParty, _ check: PaykitEndpointCheck
    ) async throws(PaykitNetworkError) -> PrivateLinkDue {
        guard let held = try await held(party) else {
            throw PaykitNetworkError(.notFound, "there is no private link with \(party.peer) here: poll it first")
        }
        return try due(id, period: period, held.record, check)
    }

    private func due(
        _ id: String, period: BillingPeriod?, _ record: PrivateLinkRecord, _ check: PaykitEndpointCheck
    ) throws(PaykitNetworkError) -> PrivateLinkDue {
        let request = try Self.request(id, record, isOwn: false)
        let amount = try Self.amount(of: request, period)
        let state = request.state
        let isOpen = isOpen(request)
        if let known = record.payments[PrivateLinkRequest.key(id, period)], known.stage != .failed {
            if let proof = known.reportedProof { return .paid(proof, amount) }
            guard known.isRouted else {
                throw PaykitNetworkError(
                    .paymentInDoubt, "the application's own wallet has begun to pay the request: resume it there")
            }
            let endpoint = PaykitEndpoint(methodID: known.identifier, endpoint: known.endpoint)
            return .begun(
                PrivateLinkClaim(
                    requestID: id, period: period, endpoint: endpoint, number: known.number, isOpen: isOpen),
                amount)
        }
        switch state.phase {
        case .rejected, .cancelled, .proven: return .cancelled
        case .proposed, .accepted, .active: guard isOpen else { return .expired }
        }
        return .open(try endpoints(for: request, record, nil, check).endpoints, amount)
    }

    /// Whether a request still asks to be paid, by this side's clock.
    private func isOpen(_ request: PrivateLinkRequest) -> Bool {
        [.proposed, .accepted, .active].contains(request.state.phase) && !request.state.isExpired(at: moment)
    }

    /// Begins to pay a request at an endpoint, unless somebody has begun before. One that nobody has answered yet is
    /// accepted by that.
    ///
    /// - Returns: what stands now; ``PrivateLinkDue/open(_:_:)`` where the endpoint is not to be paid any more, and
    ///   others are.
    func claim(
        _ id: String, period: BillingPeriod?, at endpoint: PaykitEndpoint, _ party: PrivateLinkParty,
        _ check: PaykitEndpointCheck
    ) async throws(PaykitNetworkError) -> PrivateLinkDue {
        let head = head(of: id)
        return try await change(party) { record throws(PaykitNetworkError) in
            let found = try due(id, period: period, record, check)
            guard case .open(let endpoints, let amount) = found, endpoints.contains(endpoint) else { return found }
            let request = try Self.request(id, record, isOwn: false)
            try Self.checkProofFits(request, period, endpoint)
            if request.state.phase == .proposed { try Self.say(.acceptance(head), about: request, &record) }
            let key = PrivateLinkRequest.key(id, period)
            let number = record.payments[key].map { $0.number + 1 } ?? 0
            record.payments[key] = PrivateLinkPayment(
                stage: .paying, identifier: endpoint.methodID, endpoint: endpoint.endpoint,
                list: record.useList(with: endpoint), number: number, isRouted: true, isHandedOver: false)
            return .begun(
                PrivateLinkClaim(requestID: id, period: period, endpoint: endpoint, number: number, isOpen: true),
                amount)
        }
    }

    /// Keeps that the payer's settler is about to be asked to pay a claim: from here on nobody who shares the link may
    /// say that it is called off.
    ///
    /// - Returns: whether it may be asked. Not where the claim is over: the request was called off, or somebody else
    ///   has heard the settler's last word.
    func handOver(_ claim: PrivateLinkClaim, _ party: PrivateLinkParty) async throws(PaykitNetworkError) -> Bool {
        let key = PrivateLinkRequest.key(claim.requestID, claim.period)
        return try await change(party) { record throws(PaykitNetworkError) in
            let request = try Self.request(claim.requestID, record, isOwn: false)
            guard let known = record.payments[key] else {
                // It was lost with all that was kept. The settler may have been asked before, by this very name.
                record.payments[key] = PrivateLinkPayment(
                    stage: .paying, identifier: claim.endpoint.methodID, endpoint: claim.endpoint.endpoint,
                    list: record.useList(with: claim.endpoint), number: claim.number, isRouted: true,
                    isHandedOver: true)
                return true
            }
            guard known.stage != .paid else {
                throw PaykitNetworkError(
                    .paymentInDoubt,
                    "another app that shares this private link says that the request is paid: ask again later")
            }
            guard known.isRouted, known.stage == .paying, known.number == claim.number,
                known.endpoint == claim.endpoint.endpoint
            else { return false }
            guard known.isHandedOver == false else { return true }
            guard isOpen(request) else {
                record.fail(key, at: claim.endpoint)
                return false
            }
            record.payments[key]?.isHandedOver = true
            return true
        }
    }

    /// Ends a claim on what is called off, unless the payer's settler may have been asked for it.
    ///
    /// - Returns: what stands now; ``PrivateLinkDue/begun(_:_:)`` where somebody may still pay it.
    func cancel(
        _ claim: PrivateLinkClaim, _ party: PrivateLinkParty, _ check: PaykitEndpointCheck
    ) async throws(PaykitNetworkError) -> PrivateLinkDue {
        let key = PrivateLinkRequest.key(claim.requestID, claim.period)
        return try await change(party) { record throws(PaykitNetworkError) in
            let request = try Self.request(claim.requestID, record, isOwn: false)
            if let known = record.payments[key], known.isHandedOver == false, !isOpen(request) {
                record.fail(key, at: PaykitEndpoint(methodID: known.identifier, endpoint: known.endpoint))
            }
            return try due(claim.requestID, period: claim.period, record, check)
        }
    }

    /// Keeps that nothing was sent for a claim, nor will be: it may be tried again, by another name.
    func failed(_ claim: PrivateLinkClaim, _ party: PrivateLinkParty) async throws(PaykitNetworkError) {
        let key = PrivateLinkRequest.key(claim.requestID, claim.period)
        try await change(party) { record throws(PaykitNetworkError) in
            // Somebody else may have learnt it before, and begun anew since.
            guard let known = record.payments[key], known.number == claim.number, known.isRouted else { return }
            record.fail(key, at: claim.endpoint)
        }
    }
}

extension PrivateLinkRecord {
    /// Uses the payee's list up where it has an endpoint: a list is good for one payment.
    ///
    /// - Returns: the list's version; nil where the endpoint is of another list, as when what was kept of it was lost
    ///   meanwhile.
    mutating func useList(with endpoint: PaykitEndpoint) -> Int? {
        guard let list, let text = list.endpoints[endpoint.methodID],
            EndpointPayload(Array(text.utf8))?.value == endpoint.endpoint
        else { return nil }
        self.list?.used = list.version
        return list.version
    }
}
