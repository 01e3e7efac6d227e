import PaymentCore

/// Where a request is paid, and what is said of it.
extension PrivateLinkFlow {
    /// What a request asks for, by a period that it has.
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

    /// Endpoints that were not paid to before, the best first and one at least, and the list that they are from.
    /// Published ones and those of a list are never mixed.
    func endpoints(
        for request: PrivateLinkRequest, _ record: PrivateLinkRecord, _ published: [PaykitEndpoint]?,
        _ check: PaykitEndpointCheck?
    ) throws(PaykitNetworkError) -> (endpoints: [PaykitEndpoint], list: Int?) {
        let taken = Set(record.payments.values.filter { $0.stage != .failed }.map(\.endpoint))
        var endpoints = published ?? []
        var version: Int?
        if published == nil, let list = record.list, list.version > list.used {
            version = list.version
            endpoints = list.endpoints.sorted { $0.key < $1.key }.compactMap { name, text in
                guard let identifier = PaykitIdentifier(name), let payload = EndpointPayload(Array(text.utf8)),
                    identifier.allows(payload.value)
                else { return nil }
                return PaykitEndpoint(methodID: name, payload)
            }
        }
        let accepted = Set(request.terms.identifiers.map(\.text))
        var refusal: PaykitNetworkError?
        let usable = endpoints.filter { endpoint in
            // An address that everybody sees may be paid twice; what was made for one payment may not.
            guard accepted.contains(endpoint.methodID), published != nil || !taken.contains(endpoint.endpoint) else {
                return false
            }
            do throws(PaykitNetworkError) {
                try endpoint.take(request.terms.amount.bitcoin)
                // What proves its payment could not be told from any other.
                guard
                    PaykitIdentifier(endpoint.methodID)?.parts?.format != "bolt11"
                        || InvoiceHash.read(endpoint.endpoint) != nil
                else {
                    throw PaykitNetworkError(
                        .invalidData, "the endpoint '\(endpoint.methodID)' is no invoice that can be read",
                        methodID: endpoint.methodID)
                }
                try check?.check(endpoint, amount: request.terms.amount.bitcoin, at: clock.now)
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
        // What was looked at is not compared any more.
        let plain = usable.map { PaykitEndpoint(methodID: $0.methodID, endpoint: $0.endpoint) }
        return (SmartCheckout.sorted(plain), version)
    }

    /// Whether what will prove the payment fits into a message: afterwards it would be too late.
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

    static func message(
        _ head: PrivateLinkMessage.EventHead, of request: PrivateLinkRequest, period: BillingPeriod?,
        at endpoint: PaykitEndpoint,
        _ proof: PaykitProof
    ) -> PrivateLinkMessage.PaymentProof {
        // Identifiers were looked at when the endpoint was chosen.
        let identifier =
            request.terms.identifiers.first { $0.text == endpoint.methodID } ?? request.terms.identifiers[0]
        return PrivateLinkMessage.PaymentProof(
            head, reference: request.terms.reference, period: period, identifier: identifier,
            proof: proof.linkMembers)
    }

    static func order(
        _ payment: PrivateLinkPayment, key: String, of request: PrivateLinkRequest, _ party: PrivateLinkParty
    ) -> PrivateLinkOrder {
        PrivateLinkOrder(
            key: key, requestID: request.id, payee: party.peer, amount: request.terms.amount,
            endpoint: PaykitEndpoint(methodID: payment.identifier, endpoint: payment.endpoint))
    }
}
