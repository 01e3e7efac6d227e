import PaymentCore
import PaymentReview
import Synchronization
import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A status of the service, judged by the actions that were handed out.
struct PaymentEnding: Sendable {
    /// True if money may have moved although the status does not say so.
    let mayHaveMovedMoney: Bool
}

extension PayClient {
    /// Returns true if actions that this client handed out for a payment may have paid it, or still can, and the
    /// service has not reported it as paid. Then do not pay it again. Not among the vendor's calls.
    public func mayHaveMovedMoney(paymentId: String) -> Bool { warning(of: paymentId) != nil }

    /// States that the wallet acted on none of the actions of a payment: nothing was signed, nothing was sent, for
    /// example because the user declined. Another option can then be chosen. Not among the vendor's calls.
    ///
    /// - Throws: ``GetPaymentRequestError/http(_:)`` when results of the wallet were confirmed.
    public func discardActions(paymentId: String) throws {
        let now = clock.now
        do throws(GatewayError) {
            try handedOut.withLock { handedOut throws(GatewayError) in try handedOut.withdraw(paymentId, now: now) }
        } catch { throw failure(error, of: paymentId, GetPaymentRequestError.init) }
    }

    func list(of option: String, of id: String, now: Date) throws(GatewayError) -> HandedOut.List? {
        let end = expiry(of: id)
        return try handedOut.withLock { handedOut throws(GatewayError) in
            try handedOut.list(of: option, of: id, until: end, now: now)
        }
    }

    func handOut(_ list: HandedOut.List, of id: String) throws(GatewayError) -> HandedOut.List {
        let (now, end) = (clock.now, expiry(of: id))
        return try handedOut.withLock { handedOut throws(GatewayError) in
            try handedOut.handOut(list, of: id, until: end, now: now)
        }
    }

    /// Records the wallet's results before they are sent. They may be those of an option whose preview alone was shown.
    func recordConfirmation(of id: String, _ option: String, _ results: [String], _ flow: PaymentFlow) {
        let now = clock.now
        let (known, payer) = cache.withLock { ($0.option(option, of: id, now: -.infinity), $0.payer(of: id)) }
        let calls = known.map { OptionActions.ready($0.listed) } ?? []
        let preview = known.flatMap { known in
            (try? flow.review(calls, for: known.agreed, of: id, payer: payer)).map {
                HandedOut.List(
                    option: known.body, optionID: option, calls: calls, review: $0,
                    reach: HandedOut.Reach(calls, $0, now: now))
            }
        }
        handedOut.withLock { $0.confirm(option, of: id, results: results, preview: preview, now: now) }
    }

    /// Judges a status by what was handed out.
    ///
    /// - Throws: ``GatewayError/unsupported(_:)`` for a payment that ended unpaid although coins may have been sent.
    func judge(_ state: PaymentState, of id: String) throws(GatewayError) -> PaymentEnding {
        switch state {
        case .succeeded: handedOut.withLock { $0.pay(id) }
        case .failed, .expired, .cancelled:
            guard case .transfer? = warning(of: id) else { break }
            throw .unsupported("the service reports the payment as '\(state.printable)'")
        case .requiresAction, .processing, .unknown: break
        }
        return PaymentEnding(mayHaveMovedMoney: mayHaveMovedMoney(paymentId: id))
    }

    /// Returns the vendor's error for `error`: ``VendorError/http(_:)`` while handed-out actions can pay.
    func failure<Failure: VendorError>(
        _ error: GatewayError, of payment: String?, _ failure: (GatewayError) -> Failure
    ) -> Failure {
        guard let payment, let warning = warning(of: payment) else { return failure(error) }
        return .http("\(error.text); \(warning.text)")
    }

    private func warning(of id: String) -> HandedOut.Warning? {
        let (now, end) = (clock.now, expiry(of: id))
        return handedOut.withLock { $0.warning(of: id, until: end, now: now) }
    }

    func expiry(of id: String) -> Int64? { cache.withLock { $0.expiry(of: id) } }
}
