/// How far a payment request has come, as both directions of a link tell it (Protocol 12.6). Neither direction says
/// anything of when something happened in the other.
package struct RequestState: Sendable, Hashable {
    package enum Phase: String, Sendable {
        case proposed
        case accepted
        /// Accepted, and paid again and again.
        case active
        case rejected
        case cancelled
        /// Paid, as the payer says.
        case proven
    }

    /// From whom an event comes.
    package enum Side: Sendable {
        case payer
        case payee
    }

    package let request: PrivateLinkMessage.PaymentRequest
    package private(set) var phase = Phase.proposed
    package private(set) var isAccepted = false
    /// Who cancelled; nil before.
    package private(set) var cancelledBy: Set<Side> = []
    package private(set) var proofs: [PrivateLinkMessage.PaymentProof] = []

    package init(_ request: PrivateLinkMessage.PaymentRequest) { self.request = request }

    /// Whether it can be accepted at `now` no longer, by the payer's clock. Nobody is told of it.
    package func isExpired(at now: PrivateLinkTime) -> Bool {
        guard phase == .proposed, let end = request.terms.expiresAt else { return false }
        return now > end
    }

    /// Takes in an event of one side, in its order.
    ///
    /// - Returns: whether it counts; what does not changes nothing.
    package mutating func take(_ message: PrivateLinkMessage, from side: Side) -> Bool {
        switch message {
        case .acceptance(let head): return head.requestID == request.head.requestID && side == .payer && accept()
        case .rejection(let head, _):
            guard head.requestID == request.head.requestID, side == .payer, phase == .proposed else { return false }
            phase = .rejected
            return true
        case .cancellation(let head, _):
            guard head.requestID == request.head.requestID, phase != .rejected,
                cancelledBy.insert(side).inserted
            else { return false }
            phase = .cancelled
            return true
        case .proof(let proof):
            guard side == .payer, isAccepted, proof.mismatch(with: request) == nil, phase != .rejected,
                !proofs.contains(where: { isSamePayment($0, proof) })
            else { return false }
            proofs.append(proof)
            if phase == .accepted { phase = .proven }
            return true
        default: return false
        }
    }

    private mutating func accept() -> Bool {
        // It may cross the payee's cancellation; after the payer's own it makes no sense.
        guard !isAccepted, phase == .proposed || phase == .cancelled && !cancelledBy.contains(.payer) else {
            return false
        }
        isAccepted = true
        if phase == .proposed { phase = request.terms.recurrence == nil ? .accepted : .active }
        return true
    }

    private func isSamePayment(_ first: PrivateLinkMessage.PaymentProof, _ second: PrivateLinkMessage.PaymentProof)
        -> Bool
    {
        switch (first.period, second.period) {
        case (nil, nil): true
        case (let first?, let second?): first.isSame(as: second)
        default: false
        }
    }
}
