/// A payment of a request, or of one period where it recurs.
package struct PrivateLinkPayment: Sendable, Hashable, Codable {
    package enum Stage: String, Sendable, Codable {
        /// The settler was asked, or is about to be: money may have moved.
        case paying
        case paid
        /// No money has moved: it may be tried again.
        case failed
    }

    package var stage: Stage
    package let identifier: String
    package let endpoint: String
    /// The amount, in satoshis: a peer may ask for another one under the same id, once its first request is forgotten.
    package let satoshis: String
    /// The list that the endpoint is from; nil where that was lost.
    package let list: Int?
    package var proof: String?
    /// The number of earlier attempts in which nothing was sent.
    package var number = 0
    /// True once the payer's settler is being asked to pay it: from then on only the settler's status counts.
    package var isHandedOver = false

    /// Throws where a request of the same name asks for another amount than was paid: it is another request.
    func require(_ amount: Money) throws(PaykitNetworkError) {
        guard "\(amount.minorUnits)" != satoshis else { return }
        throw PaykitNetworkError(
            .paymentRejected,
            "the payee has asked for another amount under this name before, and that is paid or being paid: have them ask "
                + "under a new one")
    }

    var reportedProof: PaykitProof? {
        guard stage == .paid, let proof, let json = try? JSONValue(parsing: proof) else { return nil }
        return PaykitProof(json)
    }
}

extension PrivateLinkRequest {
    /// Throws where a period was paid, or may have been, so long ago that its payment is not stored any more.
    func requireUnpaid(_ period: BillingPeriod?) throws(PaykitNetworkError) {
        switch past[period] {
        case nil: return
        case .paid?:
            throw PaykitNetworkError(
                .paymentRejected, "the period was paid, and its proof is not stored any more: look into the wallet")
        case .unknown?:
            throw PaykitNetworkError(
                .paymentRejected,
                "the period is so long ago that nothing is stored of it any more: look into the wallet before paying it"
            )
        }
    }
}

/// A receipt that this side issues: its random values are drawn once, so that each repetition is the same.
package struct IssuedReceipt: Sendable, Hashable, Codable {
    package let id: String
    package let eventID: String
    /// Base64url.
    package let key: String
    /// Base64url.
    package let nonce: String
    package let text: String
    /// True if its file was written, and the message to the peer is queued.
    package var isAnnounced = false
}
