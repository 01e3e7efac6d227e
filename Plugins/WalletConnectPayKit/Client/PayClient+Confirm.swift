import PaymentCore
import Synchronization
import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PayClient {
    /// Hands in the signatures and waits for the settlement. This moves money.
    ///
    /// When the answer is lost, the payment's status tells whether the confirmation arrived; only while the payment
    /// still waits for it is the very same confirmation sent again. A payment that failed, expired or was cancelled is
    /// returned, not thrown: look at the status.
    ///
    /// - Parameters:
    ///   - signatures: one result for each action, in the actions' order: a signature, or a transaction hash.
    ///   - collectedData: the payer's data, when an own form gathered it. Nil after the service's form, which hands it
    ///     in by itself.
    ///   - maxPollMs: how long to wait for the settlement, in milliseconds. The service is told, too. Nil (and 0 or
    ///     less) waits until a few minutes after the payment's expiry where that is known, otherwise five minutes.
    /// - Throws: ``ConfirmPaymentError``, among them ``ConfirmPaymentError/pollingTimeout(_:)`` when the time ran out;
    ///   `CancellationError` when cancelled before anything was sent.
    public func confirmPayment(
        paymentId: String, optionId: String, signatures: [String], collectedData: [CollectDataFieldResult]? = nil,
        maxPollMs: Int64? = nil
    ) async throws -> ConfirmPaymentResultResponse {
        let body = ConfirmRequestBody(
            optionId: optionId, results: signatures.map(ConfirmRequestBody.Result.init(text:)),
            collectedData: (collectedData ?? []).map(CollectedBody.init))
        return try await confirm(paymentId, body, maxPollMs)
    }

    /// As ``confirmPayment(paymentId:optionId:signatures:collectedData:maxPollMs:)``, with results of any form: a text
    /// that is a JSON object or array is sent as that, every other one as text. Wallets of some chains return objects.
    public func confirmPayment(
        paymentId: String, optionId: String, data: [String], collectedData: [CollectDataFieldResult]? = nil,
        maxPollMs: Int64? = nil
    ) async throws -> ConfirmPaymentResultResponse {
        let body = ConfirmRequestBody(
            optionId: optionId, results: data.map(ConfirmRequestBody.Result.init(data:)),
            collectedData: (collectedData ?? []).map(CollectedBody.init))
        return try await confirm(paymentId, body, maxPollMs)
    }

    /// How long to wait where nothing says otherwise.
    private static let usualWait = Duration.seconds(300)
    /// Signatures are good for this long after the payment's expiry, so it may settle until then.
    private static let grace = Duration.seconds(300)
    /// The least that is waited without being told.
    private static let shortestWait = Duration.seconds(60)

    private func confirm(
        _ id: String, _ body: ConfirmRequestBody, _ maxPollMs: Int64?
    ) async throws -> ConfirmPaymentResultResponse {
        let hold = maxPollMs.flatMap { $0 > 0 ? $0 : nil }
        log(message: "confirmPayment: \(body.results.count) results")
        let (flow, confirmed) = try await call(
            "confirmPayment", { ConfirmPaymentError($0) }, unusable: { .internalError($0) }
        ) { flow throws(GatewayError) in
            (flow, try await sent(id, body, hold, flow))
        }
        return try await settled(id, confirmed, hold, flow)
    }

    /// Sends the confirmation until its fate is known.
    private func sent(
        _ id: String, _ body: ConfirmRequestBody, _ hold: Int64?, _ flow: PaymentFlow
    ) async throws(GatewayError) -> StatusBody {
        do { return try await flow.confirm(id, body, hold: hold) } catch {
            let cause = flow.cause(of: error)
            guard case .cancelled(mayHaveArrived: true) = cause else { throw cause }
            // Not a silent end: money may move.
            throw .unusableAnswer("cancelled after the confirmation was sent")
        }
    }

    /// Waits for the end of a confirmed payment.
    private func settled(
        _ id: String, _ confirmed: StatusBody, _ hold: Int64?, _ flow: PaymentFlow
    ) async throws -> ConfirmPaymentResultResponse {
        let limit = hold.map { .milliseconds($0) } ?? wait(for: id)
        let last: StatusBody
        do { last = try await flow.settle(id, confirmed, within: limit, isHeld: hold != nil) } catch {
            log(message: "confirmPayment failed while waiting: \(error.text)")
            throw ConfirmPaymentError(polling: error)
        }
        guard last.isFinal else {
            throw ConfirmPaymentError.pollingTimeout(
                "polling exceeded \(limit.milliseconds) ms; the payment is not settled yet: \(Advice.mutation)")
        }
        log(message: "confirmPayment: \(last.status.printable)")
        return ConfirmPaymentResultResponse(last)
    }

    private func wait(for id: String) -> Duration {
        guard let end = cache.withLock({ $0.expiry(of: id) }) else { return Self.usualWait }
        // A date far away or long ago must not overflow or end the wait at once.
        let left = min(max(Double(end) - clock.now.timeIntervalSince1970, 0), 86_400)
        return max(.milliseconds(Int64(left * 1000)) + Self.grace, Self.shortestWait)
    }
}
