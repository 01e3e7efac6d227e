import PaymentCrypto
import PaymentSettlement

/// A payment of a request that was begun.
struct PrivateLinkClaim: Sendable, Hashable {
    let party: PrivateLinkParty
    let requestID: String
    let period: BillingPeriod?
    let amount: Money
    let endpoint: PaykitEndpoint
    /// The number of earlier attempts that sent nothing, by the settler's report. Each attempt has another key.
    var number: Int
    /// True if the request is open: only then may a payment begin that has not begun yet.
    let isOpen: Bool

    var storedKey: String { PrivateLinkRequest.key(requestID, period) }
    /// The idempotency key of the payment, the same for all programs that share the link's state.
    var key: String { party.paymentName([storedKey, "\(number)"]) }
    /// The payment's name for the payer's settler.
    var name: String { SettlementFlow.name(for: key) }

    /// Returns the payment as it is stored when it begins, or its record was lost.
    func payment(
        _ stage: PrivateLinkPayment.Stage, of amount: Money, list: Int?, isHandedOver: Bool = false
    ) -> PrivateLinkPayment {
        PrivateLinkPayment(
            stage: stage, identifier: endpoint.methodID, endpoint: endpoint.endpoint, satoshis: "\(amount.minorUnits)",
            list: list, number: number, isHandedOver: isHandedOver)
    }
}

/// The state of a request, or of one period of it, for a payer.
enum PrivateLinkDue: Sendable {
    /// It is to be paid at one of these endpoints, best first.
    case open([PaykitEndpoint], Money)
    case begun(PrivateLinkClaim)
    /// The proof is nil if only the fact that it was paid is stored.
    case paid(PaykitProof?, Money)
    /// Nothing is paid any more: either side has closed the request.
    case cancelled
    /// It was not accepted in time.
    case expired
}

/// Payments of requests (Protocol 12.9), by a router or without one. Of all programs that share the link's state, one
/// begins a payment, and the others find it.
extension PrivateLinkFlow {
    /// Returns the state of a request for a payer. Throws `methodNotSupported` when there is no endpoint to pay now.
    func due(
        _ id: String, period: BillingPeriod?, _ party: PrivateLinkParty, _ check: PaykitEndpointCheck
    ) async throws(PaykitNetworkError) -> PrivateLinkDue {
        guard let held = try await held(party, about: id) else {
            throw PaykitNetworkError(.notFound, "there is no private link with \(party.peer) here: poll it first")
        }
        return try due(id, period: period, party, in: held.record, check)
    }

    /// Returns the first payment of a request, or of one of its periods, if none is stored; nil if one is stored, or if
    /// the payee's key is not confirmed.
    func unpaid(
        _ id: String, period: BillingPeriod?, _ party: PrivateLinkParty
    ) async throws(PaykitNetworkError) -> (claim: PrivateLinkClaim, isClosed: Bool)? {
        guard let record = try await held(party, about: id)?.record else { return nil }
        let request = try Self.request(id, record, isOwn: false)
        // The payment's own endpoint is not known.
        let claim = PrivateLinkClaim(
            party: party, requestID: id, period: period, amount: try Self.amount(of: request, period),
            endpoint: PaykitEndpoint(methodID: request.terms.identifiers.first?.text ?? "", endpoint: ""), number: 0,
            isOpen: isOpen(request))
        guard record[payment: claim.storedKey] == nil, request.past[period] == nil, record.shownKey == nil else {
            return nil
        }
        return (claim, Self.isClosed(request))
    }

    private static func isClosed(_ request: PrivateLinkRequest) -> Bool {
        [.cancelled, .rejected].contains(request.state.phase)
    }

    private func due(
        _ id: String, period: BillingPeriod?, _ party: PrivateLinkParty, in record: PrivateLinkRecord,
        _ check: PaykitEndpointCheck
    ) throws(PaykitNetworkError) -> PrivateLinkDue {
        let request = try Self.request(id, record, isOwn: false)
        let amount = try Self.amount(of: request, period)
        let isOpen = isOpen(request)
        if let known = record[payment: PrivateLinkRequest.key(id, period)], known.stage != .failed {
            try known.require(amount)
            if let proof = known.reportedProof { return .paid(proof, amount) }
            if !known.isHandedOver { try record.requireTrust() }
            return .begun(
                PrivateLinkClaim(
                    party: party, requestID: id, period: period, amount: amount,
                    endpoint: PaykitEndpoint(methodID: known.identifier, endpoint: known.endpoint),
                    number: known.number, isOpen: isOpen))
        }
        if request.past[period] == .paid { return .paid(nil, amount) }
        try request.requireUnpaid(period)
        switch request.state.phase {
        case .rejected, .cancelled, .proven: return .cancelled
        case .proposed, .accepted, .active: guard isOpen else { return .expired }
        }
        try record.requireTrust()
        return .open(try endpoints(for: request, record, check), amount)
    }

    /// Returns true if a request still asks for payment, by this side's clock.
    private func isOpen(_ request: PrivateLinkRequest) -> Bool {
        [.proposed, .accepted, .active].contains(request.state.phase) && !request.state.isExpired(at: moment)
    }

    /// Begins a payment of a request at an endpoint, unless one has begun. This accepts an unanswered request. Returns
    /// the state now; ``PrivateLinkDue/open(_:_:)`` if only other endpoints may still be paid.
    func claim(
        _ id: String, period: BillingPeriod?, at endpoint: PaykitEndpoint, _ party: PrivateLinkParty,
        _ check: PaykitEndpointCheck
    ) async throws(PaykitNetworkError) -> PrivateLinkDue {
        let head = head(of: id)
        return try await change(party, about: id) { record throws(PaykitNetworkError) in
            let found = try due(id, period: period, party, in: record, check)
            guard case .open(let endpoints, let amount) = found, endpoints.contains(endpoint) else { return found }
            let request = try Self.request(id, record, isOwn: false)
            try Self.checkProofFits(request, period, endpoint)
            if request.state.phase == .proposed { try Self.say(.acceptance(head), about: request, &record) }
            let key = PrivateLinkRequest.key(id, period)
            let number = record[payment: key].map { $0.number + 1 } ?? 0
            let claim = PrivateLinkClaim(
                party: party, requestID: id, period: period, amount: amount, endpoint: endpoint, number: number,
                isOpen: true)
            record[payment: key] = claim.payment(.paying, of: amount, list: record.useList(with: endpoint))
            return .begun(claim)
        }
    }

    /// Records that the payer's settler is about to be asked to pay a claim. Returns true if it may be asked; false if
    /// the claim is over: the request was cancelled, or another program has received the settler's final status. The
    /// settler may have been asked before, by this key.
    func handOver(_ claim: PrivateLinkClaim) async throws(PaykitNetworkError) -> Bool {
        let key = claim.storedKey
        return try await change(claim.party, about: claim.requestID) { record throws(PaykitNetworkError) in
            let request = try Self.request(claim.requestID, record, isOwn: false)
            let isClosed = Self.isClosed(request)
            guard let known = record[payment: key] else {
                try request.requireUnpaid(claim.period)
                guard !isClosed else { return false }
                try record.requireTrust()
                // The claim was lost with the stored state. The settler may have been asked before, by this key.
                record[payment: key] = claim.payment(
                    .paying, of: try Self.amount(of: request, claim.period),
                    list: record.useList(with: claim.endpoint), isHandedOver: true)
                return true
            }
            try require(
                known.stage != .paid, .paymentInDoubt,
                "another app that shares this private link says that the request is paid: ask again later")
            guard known.stage == .paying, known.number == claim.number,
                known.endpoint == claim.endpoint.endpoint
            else { return false }
            guard !known.isHandedOver else { return !isClosed }
            guard isOpen(request) else {
                record.fail(key, at: claim.endpoint)
                return false
            }
            try record.requireTrust()
            record[payment: key]?.isHandedOver = true
            return true
        }
    }

    /// Records that nothing was or will be sent for a claim: the request may be tried again, by another key.
    func failed(_ claim: PrivateLinkClaim) async throws(PaykitNetworkError) {
        let key = claim.storedKey
        try await change(claim.party, about: claim.requestID) { record throws(PaykitNetworkError) in
            let known = record[payment: key]
            guard let known, known.stage != .failed || known.number >= claim.number else {
                // It was lost with the stored state: the next attempt has the next name.
                let request = try Self.request(claim.requestID, record, isOwn: false)
                guard request.past[claim.period] == nil else { return }
                record[payment: key] = claim.payment(.failed, of: try Self.amount(of: request, claim.period), list: nil)
                return
            }
            // Another program may have recorded it before, and begun again since.
            guard known.number == claim.number else { return }
            record.fail(key, at: claim.endpoint)
        }
    }
}

extension PrivateLinkRecord {
    /// Marks the payee's list as used if it contains the endpoint: a list serves one payment. Returns the list's
    /// version; nil if the endpoint is of another list, for example after the stored state was lost.
    mutating func useList(with endpoint: PaykitEndpoint) -> Int? {
        guard let list, let text = list.endpoints[endpoint.methodID],
            EndpointPayload(Array(text.utf8))?.value == endpoint.endpoint
        else { return nil }
        self.list?.used = list.version
        return list.version
    }
}

// MARK: - The payer's settler

/// Why a settler's answer about a request's payment is not conclusive.
enum RequestSettlerError: Error {
    /// The settler could not be asked.
    case noAnswer(any Error)
    /// The payment is on its way, or may be.
    case inFlight(retryAfter: Duration?)
    /// The answer does not fit the request. The text gives the reason.
    case mismatch(String)
    /// It is paid, and that could not be stored.
    case notStored(PaykitNetworkError)
    /// The link's state could not be read or changed.
    case link(PaykitNetworkError)
    /// The settler knows nothing of a payment that it was asked for.
    case notKnown
}

/// The payer's settler. Its reports about payments of requests are stored with the link's state, with a router and
/// without one.
extension PrivateLinkFlow {
    /// A settler's report about a payment, which is stored.
    enum SettlerReport {
        /// The settler knows of no such payment: it may still be requested.
        case nothingBegun
        /// Nothing was sent, and nothing will be.
        case nothingSent(reason: String?)
        /// It is paid. The message with the proof is queued, unless it would be too long.
        case paid(PaykitProof, isSaid: Bool)
    }

    /// The most attempts at one request that are restored after a loss.
    private static let mostLost = 64

    /// Stores the settler's reports again, for a request without a stored payment: a link's state may be lost, and its
    /// payments are not. Each attempt has a name. The next one began if the last one sent nothing.
    func restore(
        _ id: String, _ period: BillingPeriod?, _ party: PrivateLinkParty, from settler: any PaymentSettler
    ) async throws(RequestSettlerError) {
        let unpaid: (claim: PrivateLinkClaim, isClosed: Bool)?
        do { unpaid = try await self.unpaid(id, period: period, party) } catch { throw .link(error) }
        guard var claim = unpaid?.claim else { return }
        for number in 0..<Self.mostLost {
            claim.number = number
            switch try await report(on: claim, from: settler) {
            case .nothingSent: continue
            case .nothingBegun where unpaid?.isClosed == true: _ = try await abandon(claim, at: settler)
            case .nothingBegun, .paid: break
            }
            return
        }
    }

    func report(
        on claim: PrivateLinkClaim, from settler: any PaymentSettler
    ) async throws(RequestSettlerError) -> SettlerReport {
        let order: SettlementOrder?
        do { order = try await settler.order(named: claim.name) } catch { throw .noAnswer(error) }
        guard let order, order.state != .registered else { return .nothingBegun }
        return try await store(order, of: claim)
    }

    /// Ends a payment that is over: the settler is asked for the promise that nothing is sent for it.
    func abandon(
        _ claim: PrivateLinkClaim, at settler: any PaymentSettler
    ) async throws(RequestSettlerError) -> SettlerReport {
        do { _ = try await settler.abandon(claim.name) } catch { throw .noAnswer(error) }
        let report = try await report(on: claim, from: settler)
        if case .nothingBegun = report { throw .notKnown }
        return report
    }

    /// Stores the settler's report about a claim. Never returns ``SettlerReport/nothingBegun``.
    func store(
        _ order: SettlementOrder, of claim: PrivateLinkClaim
    ) async throws(RequestSettlerError) -> SettlerReport {
        switch order.state {
        case .settled(let settled):
            // Another amount is another payment.
            do throws(PaymentError) { try order.requireAmount(claim.amount) } catch { throw .mismatch(error.message) }
            // The first endpoint of the name was paid, which may not be the claim's.
            guard let paid = order.endpoint, let proof = Self.proof(settled, of: paid) else {
                throw .mismatch(
                    "the payer's settler says that it paid, but its proof does not fit the request: look into the wallet "
                        + "before you pay again")
            }
            let endpoint = PaykitEndpoint(methodID: claim.endpoint.methodID, endpoint: paid.text)
            do {
                return .paid(proof, isSaid: try await keep(proof, of: claim, at: endpoint))
            } catch { throw .notStored(error) }
        case .nothingSent, .settledElsewhere:
            do { try await failed(claim) } catch { throw .link(error) }
            if case .nothingSent(let reason) = order.state { return .nothingSent(reason: reason) }
            return .nothingSent(reason: "the invoice was paid for something else")
        case .inFlight(let wait): throw .inFlight(retryAfter: wait)
        case .registered: throw .notKnown
        }
    }

    /// Returns the settler's proof in the payee's form; nil if it does not prove a payment at `endpoint`.
    private static func proof(_ settled: SettlementProof, of endpoint: SettlementEndpoint) -> PaykitProof? {
        let isLightning = endpoint.kind.method == "lightning"
        let proof: PaykitProof
        switch settled {
        case .preimage(let text) where isLightning:
            // A Lightning address or offer yields a new invoice for each payment.
            let hash = endpoint.paymentHash ?? Hex.encode(Digest.sha256.hash(Hex.decode(text) ?? []))
            proof = .preimage(text, paymentHash: hash)
        case .transaction(let id) where !isLightning: proof = .transaction(id)
        // A payee takes no payment without proof.
        case .preimage, .transaction, .unproven: return nil
        }
        return proof.isSound ? proof : nil
    }
}

extension PaykitNetworkError {
    /// Maps what a settler leaves open to an error of a call without a router.
    init(_ failure: RequestSettlerError, at methodID: String? = nil) {
        switch failure {
        case .mismatch(let message): self.init(.paymentInDoubt, message, methodID: methodID)
        case .notStored(let failure), .link(let failure): self = failure
        case .noAnswer, .inFlight, .notKnown:
            self.init(
                .paymentInDoubt, "whether it was paid is not known: try again when the settler can be asked",
                methodID: methodID)
        }
    }
}
