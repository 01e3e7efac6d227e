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
    /// still waits for it is the very same confirmation sent again.
    ///
    /// - Parameters:
    ///   - paymentId: the payment.
    ///   - optionId: the option whose actions were signed.
    ///   - signatures: one result for each action, in the actions' order: a signature, or a transaction hash.
    ///   - collectedData: the payer's data, when an own form gathered it. Nil after the service's form, which hands it
    ///     in by itself.
    ///   - maxPollMs: how long the call may wait for the settlement, in milliseconds from now, the confirmation itself
    ///     included; a network that fails can add to it. The service is told, too. Nil (and 0 or less) waits until a
    ///     few minutes after the payment's expiry where that is known, otherwise five minutes.
    /// - Returns: how the payment ended: ``PaymentStatus/succeeded``, ``PaymentStatus/failed`` or
    ///   ``PaymentStatus/expired``. When the time is over before it ended: what the service said last, usually
    ///   ``PaymentStatus/processing``, with ``ConfirmPaymentResultResponse/isFinal`` false. Then ask
    ///   ``getPaymentStatus(paymentId:)`` later; do not pay again.
    /// - Throws: ``ConfirmPaymentError``: a refusal by its case; ``ConfirmPaymentError/http(_:)`` for everything else,
    ///   also when the payment was cancelled, when it is in a state that this version does not know and when the
    ///   network fails while waiting. `CancellationError` when the task was cancelled before anything was sent.
    public func confirmPayment(
        paymentId: String, optionId: String, signatures: [String], collectedData: [CollectDataFieldResult]? = nil,
        maxPollMs: Int64? = nil
    ) async throws -> ConfirmPaymentResultResponse {
        let body = ConfirmRequestBody(
            optionId: optionId, results: signatures.map(ConfirmRequestBody.Result.init(text:)),
            collectedData: (collectedData ?? []).map(CollectedBody.init))
        return try await confirm(paymentId, body, maxPollMs)
    }

    /// As ``confirmPayment(paymentId:optionId:signatures:collectedData:maxPollMs:)``, without data: the form in which
    /// the vendor's newer guide refers to the function.
    ///
    /// - Throws: as ``confirmPayment(paymentId:optionId:signatures:collectedData:maxPollMs:)``.
    public func confirmPayment(
        paymentId: String, optionId: String, signatures: [String], maxPollMs: Int64?
    ) async throws -> ConfirmPaymentResultResponse {
        try await confirmPayment(
            paymentId: paymentId, optionId: optionId, signatures: signatures, collectedData: nil, maxPollMs: maxPollMs)
    }

    /// As ``confirmPayment(paymentId:optionId:signatures:collectedData:maxPollMs:)``, with results of any form: a text
    /// that is a JSON object or array is sent as that, every other one as text. Wallets of some chains return objects.
    ///
    /// - Throws: as ``confirmPayment(paymentId:optionId:signatures:collectedData:maxPollMs:)``.
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
        let deadline = hold.map { clock.uptime + .milliseconds($0) }
        log(message: "confirmPayment: \(body.results.count) results")
        let (flow, confirmed) = try await call(
            "confirmPayment", { ConfirmPaymentError($0) }, unusable: { .http($0) }
        ) { flow throws(GatewayError) in
            (flow, try await sent(id, body, hold: hold, flow))
        }
        let limit = deadline.map { max($0 - clock.uptime, .zero) } ?? wait(for: id)
        return try await settled(id, confirmed, within: limit, isHeld: hold != nil, flow)
    }

    /// Sends the confirmation until its fate is known.
    private func sent(
        _ id: String, _ body: ConfirmRequestBody, hold: Int64?, _ flow: PaymentFlow
    ) async throws(GatewayError) -> StatusBody {
        do { return try await flow.confirm(id, body, hold: hold) } catch {
            let cause = GatewayError(behind: error)
            guard case .cancelled(mayHaveArrived: true) = cause else { throw cause }
            // Not a silent end: money may move.
            throw .unusableAnswer("cancelled after the confirmation was sent")
        }
    }

    /// Waits for the end of a confirmed payment, or of the time allowed.
    private func settled(
        _ id: String, _ confirmed: StatusBody, within limit: Duration, isHeld: Bool, _ flow: PaymentFlow
    ) async throws -> ConfirmPaymentResultResponse {
        let last: StatusBody
        do { last = try await flow.settle(id, confirmed, within: limit, isHeld: isHeld) } catch {
            log(message: "confirmPayment failed while waiting: \(error.text)")
            throw ConfirmPaymentError(polling: error)
        }
        log(message: "confirmPayment: \(last.status.printable)\(last.isFinal ? "" : ", not settled in time")")
        do { return try ConfirmPaymentResultResponse(last) } catch { throw ConfirmPaymentError.http(error.text) }
    }

    private func wait(for id: String) -> Duration {
        guard let end = cache.withLock({ $0.expiry(of: id) }) else { return Self.usualWait }
        // A date far away or long ago must not overflow or end the wait at once.
        let left = min(max(Double(end) - clock.now.timeIntervalSince1970, 0), 86_400)
        return max(.milliseconds(Int64(left * 1000)) + Self.grace, Self.shortestWait)
    }
}
