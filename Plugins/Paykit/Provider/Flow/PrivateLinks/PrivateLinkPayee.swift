import PaymentCrypto

/// The payee's side: requests and receipts (Protocol 12.7).
extension PrivateLinkFlow {
    /// Asks the peer for a payment. Terms never change: other terms need another request. `terms` is the amount, the
    /// purpose and the accepted methods. `endpoints` are endpoints for this peer alone, made for this one payment,
    /// because one payment uses up a list. Nil if the peer may pay published endpoints.
    ///
    /// - Returns: the request's id.
    package func ask(
        for terms: PaymentTerms, at endpoints: [PaykitEndpoint]?, _ party: PrivateLinkParty
    ) async throws(PaykitNetworkError) -> String {
        let head = head(of: EventID.draw(random))
        try await change(party) { record throws(PaykitNetworkError) in
            guard record.requests[head.requestID] == nil else { return }
            // The list precedes the request, so that a peer that reads the request has read the list.
            if let endpoints { try Self.offer(endpoints, &record) }
            do { try record.say(.request(PrivateLinkMessage.PaymentRequest(head, terms))) } catch {
                throw PaykitNetworkError(.validationFailed, "the request cannot be sent: \(error)")
            }
        }
        return head.requestID
    }

    /// Sends the peer a list of endpoints for them alone, which replaces the earlier one.
    package func offer(_ endpoints: [PaykitEndpoint], _ party: PrivateLinkParty) async throws(PaykitNetworkError) {
        try await change(party) { record throws(PaykitNetworkError) in try Self.offer(endpoints, &record) }
    }

    private static func offer(_ endpoints: [PaykitEndpoint], _ record: inout PrivateLinkRecord)
        throws(PaykitNetworkError)
    {
        var list: [String: String] = [:]
        for endpoint in endpoints {
            guard let identifier = PaykitIdentifier(endpoint.methodID),
                let payload = EndpointPayload(endpoint.endpoint), identifier.allows(payload.value),
                let text = String(validating: payload.bytes, as: UTF8.self)
            else {
                throw PaykitNetworkError(
                    .validationFailed, "what is to be offered is nothing that '\(endpoint.methodID)' names",
                    methodID: endpoint.methodID)
            }
            list[identifier.text] = text
        }
        do { try record.say(.paymentList(list)) } catch {
            throw PaykitNetworkError(.validationFailed, "the endpoints cannot be offered: \(error)")
        }
    }

    /// Issues a receipt for a payment that the payer has proven, and whose arrival the caller has checked. A repeated
    /// call issues the same receipt. Returns the receipt.
    @discardableResult
    package func issueReceipt(
        for id: String, period: BillingPeriod? = nil, _ party: PrivateLinkParty, _ session: PubkySession
    ) async throws(PaykitNetworkError) -> PrivateLinkReceipt {
        let key = PrivateLinkRequest.key(id, period)
        let drawn = (
            receipt: EventID.draw(random), event: EventID.draw(random), key: random.bytes(32), nonce: random.bytes(24)
        )
        let (issued, request) = try await change(party, about: id) { record throws(PaykitNetworkError) in
            let request = try Self.request(id, record, isOwn: true)
            if let known = request.issued[key] { return (known, request) }
            guard let proof = request.state.proofs.first(where: { PrivateLinkRequest.key(id, $0.period) == key }) else {
                throw PaykitNetworkError(.validationFailed, "the payer has not proven any payment of this request")
            }
            let receipt = PrivateLinkReceipt(
                id: drawn.receipt, reference: request.terms.reference, requestID: id, period: proof.period,
                recipient: party.peer, identifier: proof.identifier, amount: request.terms.amount)
            let issued = IssuedReceipt(
                id: drawn.receipt, eventID: drawn.event, key: Base64URL.encode(drawn.key),
                nonce: Base64URL.encode(drawn.nonce), text: receipt.text)
            record.requests[id]?.issued[key] = issued
            return (issued, request)
        }
        guard let receipt = try? PrivateLinkReceipt(issued.text), let secret = Base64URL.decode(issued.key),
            let nonce = Base64URL.decode(issued.nonce)
        else { throw PaykitNetworkError(.storage, "the receipt that was kept cannot be read") }
        let access = ReceiptAccess(
            eventID: issued.eventID, receiptID: issued.id, reference: request.terms.reference, requestID: id,
            period: receipt.period, receiver: receiver, key: Redacted(secret))
        guard !issued.isAnnounced else { return receipt }
        let file: [UInt8]
        do { file = try receipt.sealed(access, nonce: nonce) } catch {
            throw PaykitNetworkError(.validationFailed, "the receipt cannot be sealed: \(error)")
        }
        // The file is written first: a peer that reads the message finds it.
        try await reader.homeserver(of: user).write(file, to: try PubkyAddress(in: user, at: access.location), session)
        try await change(party, about: id) { record throws(PaykitNetworkError) in
            guard record.requests[id]?.issued[key]?.isAnnounced == false else { return }
            record.requests[id]?.issued[key]?.isAnnounced = true
            do { try record.say(.receiptAccess(access)) } catch {
                throw PaykitNetworkError(.validationFailed, "the receipt cannot be announced: \(error)")
            }
        }
        return receipt
    }

    // MARK: Receipts of the peer

    /// Returns the receipts for a request: the peer's for payments by this side, or this side's for payments to it.
    package func receipts(for id: String, _ party: PrivateLinkParty) async throws(PaykitNetworkError)
        -> [PrivateLinkReceipt]
    {
        guard let request = try await held(party, about: id)?.record.requests[id] else { return [] }
        let own = request.issued.values.filter(\.isAnnounced).map(\.text)
        return (own + request.receipts.values).compactMap { try? PrivateLinkReceipt($0) }.sorted { $0.id < $1.id }
    }

    private static let mostReceipts = 8
    private static let longestReceipt = 4096

    /// Fetches the receipts that the peer has announced for payments that this side has made, one for each payment.
    func fetchReceipts(_ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) {
        let wanted = Self.wantedReceipts(held.record)
        guard !wanted.isEmpty else { return }
        // Files that stay missing do not delay the others: each poll begins behind those of the one before.
        let start = held.record.receiptTurn % wanted.count
        for (request, access) in (wanted[start...] + wanted[..<start]).prefix(Self.mostReceipts) {
            held.record.receiptTurn = (held.record.receiptTurn + 1) % 1_000_000
            let address = try PubkyAddress(in: held.party.peer, at: access.location)
            guard let file = try await ends.peers.read(address) else { continue }
            if file.count <= Self.longestReceipt, let receipt = try? PrivateLinkReceipt(opening: file, with: access),
                isReceipt(receipt, for: request, held.party)
            {
                held.record.requests[request.id]?.receipts[receipt.id] = receipt.text
            } else {
                held.record.requests[request.id]?.spoilt.insert(access.receiptID)
            }
            try await keep(&held)
        }
    }

    /// Returns the receipts that are still to be fetched: the first valid one of each payment that this side has made.
    /// A request for one payment that this side has accepted counts, too: its record of having paid may be lost.
    private static func wantedReceipts(_ record: PrivateLinkRecord) -> [(PrivateLinkRequest, ReceiptAccess)] {
        record.requests.rows.filter { !$0.isOwn }.flatMap { request in
            var seen: Set<String> = []
            return request.accesses.filter { access in
                let key = PrivateLinkRequest.key(request.id, access.period)
                let isDue =
                    request.payments[key]?.stage == .paid || access.period == nil && request.state.phase == .accepted
                return isDue && !request.spoilt.contains(access.receiptID) && seen.insert(key).inserted
                    && request.receipts[access.receiptID] == nil
            }.map { (request, $0) }
        }
    }

    private func isReceipt(_ receipt: PrivateLinkReceipt, for request: PrivateLinkRequest, _ party: PrivateLinkParty)
        -> Bool
    {
        receipt.reference == request.terms.reference && [party.user, party.peer].contains(receipt.recipient)
            && receipt.amount == request.terms.amount
            && receipt.identifier.map { request.terms.identifiers.contains($0) } ?? false
    }
}
