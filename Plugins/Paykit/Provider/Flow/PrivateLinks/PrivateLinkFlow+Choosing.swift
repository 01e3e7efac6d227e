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

    /// Returns the identifier under which a proof is sent: the endpoint's, or where the proof is none of its method, as
    /// after a loss, the request's first that it is of.
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
