import PaymentCore
import Synchronization
import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PayClient {
    /// Submits the signatures and waits for the settlement. This moves money.
    ///
    /// After a lost answer, the payment's status shows if the confirmation arrived; the identical confirmation is sent
    /// again only while the payment still waits for it.
    ///
    /// - Parameters:
    ///   - paymentId: the payment.
    ///   - optionId: the option whose actions were signed.
    ///   - signatures: one result for each action, in the actions' order: a signature, or a transaction hash.
    ///   - collectedData: the payer's data from the application's own form. Nil after the service's form, which submits
    ///     it itself.
    ///   - maxPollMs: the maximum wait for the settlement, in milliseconds from now, including the confirmation itself;
    ///     a failing network can add to it. The service receives the value, too. Nil (and 0 or less) waits until a few
    ///     minutes after the payment's expiry if that is known, otherwise five minutes.
    /// - Returns: the final status of the payment: ``PaymentStatus/succeeded``, ``PaymentStatus/failed`` or
    ///   ``PaymentStatus/expired``. If the time is over first: the service's latest status, usually
    ///   ``PaymentStatus/processing``, with ``ConfirmPaymentResultResponse/isFinal`` false. Then call
    ///   ``getPaymentStatus(paymentId:)`` later; do not pay again. A payment that failed or expired while a signature
    ///   can still pay it is not final either.
    /// - Throws: ``ConfirmPaymentError``: a refusal by its case; ``ConfirmPaymentError/http(_:)`` for everything else,
    ///   also when the payment was cancelled, when its state is unknown to this version and when the network fails
    ///   while waiting. Every failure and every ending but success is ``ConfirmPaymentError/http(_:)`` for coins that
    ///   the wallet sent: the service's answer does not bring them back. `CancellationError` when the task was
    ///   cancelled before anything was sent.
    public func confirmPayment(
        paymentId: String, optionId: String, signatures: [String], collectedData: [CollectDataFieldResult]? = nil,
        maxPollMs: Int64? = nil
    ) async throws -> ConfirmPaymentResultResponse {
        let body = ConfirmRequestBody(
            optionId: optionId, results: signatures.map(ConfirmRequestBody.Result.init(text:)),
            collectedData: (collectedData ?? []).map(CollectedBody.init))
        return try await confirm(paymentId, body, signatures, maxPollMs: maxPollMs)
    }

    /// Confirms as ``confirmPayment(paymentId:optionId:signatures:collectedData:maxPollMs:)`` without data: the form in
    /// which the vendor's newer guide refers to the function.
    ///
    /// - Throws: as ``confirmPayment(paymentId:optionId:signatures:collectedData:maxPollMs:)``.
    public func confirmPayment(
        paymentId: String, optionId: String, signatures: [String], maxPollMs: Int64?
    ) async throws -> ConfirmPaymentResultResponse {
        try await confirmPayment(
            paymentId: paymentId, optionId: optionId, signatures: signatures, collectedData: nil, maxPollMs: maxPollMs)
    }

    /// Confirms as ``confirmPayment(paymentId:optionId:signatures:collectedData:maxPollMs:)``, with results of any
    /// form: a text that is a JSON object or array is sent as JSON, any other one as text. Wallets of some chains
    /// return objects.
    ///
    /// - Throws: as ``confirmPayment(paymentId:optionId:signatures:collectedData:maxPollMs:)``.
    public func confirmPayment(
        paymentId: String, optionId: String, data: [String], collectedData: [CollectDataFieldResult]? = nil,
        maxPollMs: Int64? = nil
    ) async throws -> ConfirmPaymentResultResponse {
        let body = ConfirmRequestBody(
            optionId: optionId, results: data.map(ConfirmRequestBody.Result.init(data:)),
            collectedData: (collectedData ?? []).map(CollectedBody.init))
        return try await confirm(paymentId, body, data, maxPollMs: maxPollMs)
    }

    /// The wait when neither the caller nor an expiry limits it.
    private static let usualWait = Duration.seconds(300)
    /// The time after the payment's expiry in which signatures remain valid, and in which it may settle.
    private static let grace = Duration.seconds(300)
    /// The minimum wait when the caller sets no limit.
    private static let shortestWait = Duration.seconds(60)

    private func confirm(
        _ id: String, _ body: ConfirmRequestBody, _ results: [String], maxPollMs: Int64?
    ) async throws -> ConfirmPaymentResultResponse {
        let hold = maxPollMs.flatMap { $0 > 0 ? $0 : nil }
        let deadline = hold.map { clock.uptime + .milliseconds($0) }
        log(message: "confirmPayment: \(body.results.count) results")
        let (flow, confirmed) = try await call(
            "confirmPayment", of: id, { ConfirmPaymentError($0) }, unusable: { .http($0) }
        ) { flow throws(GatewayError) in
            recordConfirmation(of: id, body.optionId, results, flow)
            return (flow, try await sent(id, body, hold: hold, flow))
        }
        let limit = deadline.map { max($0 - clock.uptime, .zero) } ?? wait(for: id)
        return try await settled(id, confirmed, within: limit, isHeld: hold != nil, flow)
    }

    /// Sends the confirmation until its outcome is known.
    private func sent(
        _ id: String, _ body: ConfirmRequestBody, hold: Int64?, _ flow: PaymentFlow
    ) async throws(GatewayError) -> StatusBody {
        do { return try await flow.confirm(id, body, hold: hold) } catch {
            let cause = GatewayError(behind: error)
            guard case .cancelled(let mayHaveArrived) = cause, mayHaveArrived || mayHaveMovedMoney(paymentId: id) else {
                throw cause
            }
            // A silent end would be wrong: money may move.
            throw .unusableAnswer("cancelled \(mayHaveArrived ? "after" : "before") the confirmation was sent")
        }
    }

    /// Waits for the end of a confirmed payment, or of the time limit.
    private func settled(
        _ id: String, _ confirmed: StatusBody, within limit: Duration, isHeld: Bool, _ flow: PaymentFlow
    ) async throws -> ConfirmPaymentResultResponse {
        let last: StatusBody
        do { last = try await flow.settle(id, confirmed, within: limit, isHeld: isHeld) } catch {
            log(message: "confirmPayment failed while waiting: \(error.text)")
            throw failure(error, of: id, ConfirmPaymentError.init(polling:))
        }
        log(message: "confirmPayment: \(last.status.printable)\(last.isFinal ? "" : ", not settled in time")")
        do throws(GatewayError) {
            return try ConfirmPaymentResultResponse(last, try judge(last.status, of: id))
        } catch { throw failure(error, of: id) { ConfirmPaymentError.http($0.text) } }
    }

    private func wait(for id: String) -> Duration {
        guard let end = cache.withLock({ $0.expiry(of: id) }) else { return Self.usualWait }
        // A date far ahead or in the past must neither overflow nor end the wait at once.
        let left = min(max(Double(end) - clock.now.timeIntervalSince1970, 0), 86_400)
        return max(.milliseconds(Int64(left * 1000)) + Self.grace, Self.shortestWait)
    }
}
