/// The phase of a request for a payment over a private link.
@nonexhaustive
public enum PaykitRequestPhase: String, Sendable, Hashable {
    /// The payer has not answered.
    case proposed
    /// It may be paid.
    case accepted
    /// It may be paid repeatedly.
    case active
    /// The payer has rejected it.
    case rejected
    /// Either side has cancelled it.
    case cancelled
    /// It is paid, by the payer's claim.
    case proven
}

/// The state of a payment request, by the events of both directions of a link (Protocol 12.6). The order of events
/// between the two directions is not known.
package struct RequestState: Sendable, Hashable {
    package typealias Phase = PaykitRequestPhase

    package enum Side: Sendable {
        case payer
        case payee
    }

    package let request: PrivateLinkMessage.PaymentRequest
    package private(set) var phase = Phase.proposed
    package private(set) var isAccepted = false
    /// The sides that cancelled; nil before.
    package private(set) var cancelledBy: Set<Side> = []
    package private(set) var proofs: [PrivateLinkMessage.PaymentProof] = []

    package init(_ request: PrivateLinkMessage.PaymentRequest) { self.request = request }

    /// Returns true if it can no longer be accepted at `now`, by the payer's clock. No event reports it.
    package func isExpired(at now: PrivateLinkTime) -> Bool {
        guard phase == .proposed, let end = request.terms.expiresAt else { return false }
        return now > end
    }

    /// Processes an event of one side, in its order. Returns true if it counts; other events change nothing.
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

    /// Removes the proof of a period's payment; the request stays as it is.
    mutating func forget(_ period: BillingPeriod) {
        proofs.removeAll { $0.period.map { $0.isSame(as: period) } ?? false }
    }

    private mutating func accept() -> Bool {
        // It may cross the payee's cancellation; after the payer's own it is meaningless.
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
