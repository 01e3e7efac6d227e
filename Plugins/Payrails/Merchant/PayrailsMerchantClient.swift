public import PaymentCore

/// The calls of a merchant's server that are not journaled: opening sessions for its app, capturing authorised money,
/// and managing its customers' stored instruments.
///
/// ```swift
/// let shop = merchant.client(over: StandardTransport(), clock: SystemPaymentClock())
/// let session = try await shop.open(PayrailsSessionOrder(order: "order-7", holder: "customer-1", amount: amount))
/// ```
public struct PayrailsMerchantClient: Sendable {
    let merchant: PayrailsMerchant
    let calls: MerchantCalls

    /// The maximum number of queries, a second apart, for an action that was just begun to show. After that,
    /// notifications report it.
    static let looks = 5

    var id: ProviderID { merchant.id }

    /// Captures authorised money: all of it, or `amount`, and then the rest is released. Only workflows of
    /// ``PayrailsCaptureMode/manual`` take another amount than the authorised one. A repeated call returns the report.
    ///
    /// - Parameters:
    ///   - payment: the payment.
    ///   - amount: the amount to capture; nil for all.
    ///   - reason: the reason, for the service's records.
    /// - Returns: the report of the payment; pending if the service does not report it yet. If this call captured, the
    ///   receipt has the requested amount. Unknown if a capture has ended that may be another server's, over another
    ///   amount.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the payment may have been captured.
    public func capture(
        _ payment: PaymentReference, amount: Money? = nil, reason: PayrailsReason? = nil
    ) async throws(PaymentError) -> ServiceReport {
        let execution = try await found(payment)
        let before = execution.tally(.capture)
        if let amount { try check(amount, against: execution.amount, "the amount to capture") }
        guard execution.status(merchant.captureMode) == .authorized, !before.isInFlight else {
            return execution.report(of: payment, mode: merchant.captureMode)
        }
        var body: JSONValue = [:]
        body["amount"] = amount.map(WireAmount.body)
        body["reason"] = reason.map { .string($0.rawValue) }
        // A failed capture may be requested again; one of another amount is a separate request, of which the service
        // takes the first.
        let key = key(["capture", payment.id, "\(before.failures)", amount?.description ?? "all"])
        try await asMerchant(id) { () throws(CallError) in try await calls.prepare() }
        var failure: CallError?
        do throws(CallError) { _ = try await calls.act(.capture, on: payment.id, body, key: key) } catch {
            failure = error
        }
        let after = await look(at: payment, once: failure != nil) { $0.hasEnded(.capture, since: before) }
        let now = after?.tally(.capture)
        let isOwn = failure == nil && now?.requests == before.requests + 1
        switch now.flatMap({ try? $0.ending(since: before) }) {
        case .some where !isOwn:
            return .unknown(
                UnknownOutcome(
                    reference: payment,
                    message: "a capture of the payment has ended, but it may be another one than this, over another "
                        + "amount; the notifications, or the portal, say how much was captured"))
        case true?: return .succeeded(PaymentReceipt(reference: payment, amount: amount ?? execution.amount))
        case false?:
            let reason = after?.failure(of: .capture) ?? ""
            throw PaymentError(
                .requestRefused, "the capture failed: \(reason); the money may still be set aside", provider: id,
                phase: .answered, vendorCode: reason)
        case nil:
            if let failure, (now?.requests ?? 0) <= before.requests {
                throw ErrorTable.payrailsMerchant.paymentError(from: failure, isMutation: true, at: id)
            }
            return .pending(retryAfter: nil)
        }
    }

    // MARK: For all of them

    /// Returns the execution of `payment`.
    func found(_ payment: PaymentReference) async throws(PaymentError) -> ExecutionRecord {
        try await asMerchant(id) { () throws(CallError) in
            guard PathSegment.isSafe(payment.id) else { throw .unsendable("the payment's id is not one of Payrails'") }
            return try await calls.execution(payment.id)
        }
    }

    /// Queries the execution a few times, until it fulfils `isEnough`; nil if every query fails.
    ///
    /// - Parameter once: true if one query is enough.
    func look(
        at payment: PaymentReference, once: Bool = false, until isEnough: (ExecutionRecord) -> Bool
    ) async -> ExecutionRecord? {
        var last: ExecutionRecord?
        let loop = PollingLoop(clock: calls.clock, limit: .pauses(.seconds(once ? 0 : Self.looks - 1)))
        return await loop.run(whenCancelled: { $0 }) { _ in
            last = (try? await found(payment)) ?? last
            if let last, isEnough(last) { return .last(last) }
            return .again(last, after: .seconds(1))
        }
    }

    /// Returns a key for this client of the service; the same for the same `parts`, in every process.
    func key(_ parts: [String]) -> String {
        IdempotencyKey.make([calls.credentials.clientID, calls.workflow] + parts)
    }

    /// Rejects an invalid amount: zero, in another currency, or above the whole.
    func check(_ amount: Money, against whole: Money?, _ name: String) throws(PaymentError) {
        func unfit(_ message: String) -> PaymentError { PaymentError(.requestRefused, message, provider: id) }
        guard case .fiat(let currency) = amount.currency, amount.exponent == currency.exponent, !amount.isZero else {
            throw unfit("\(name) must be above zero, in a state's currency")
        }
        guard let whole else { return }
        guard whole.currency == amount.currency, whole.exponent == amount.exponent else {
            throw unfit("\(name) is in another currency than the payment")
        }
        guard amount.minorUnits <= whole.minorUnits else { throw unfit("\(name) is more than the payment") }
    }
}

extension ExecutionRecord {
    /// Returns true if more actions of the kind `action` have ended than in `earlier`.
    func hasEnded(_ action: PayrailsAction, since earlier: ActionTally) -> Bool {
        let now = tally(action)
        return now.successes + now.failures > earlier.successes + earlier.failures
    }
}

/// Amounts in the service's form: a decimal number of main units, and the currency.
enum WireAmount {
    static func body(_ amount: Money) -> JSONValue {
        ["value": .string(amount.decimalText), "currency": .string(amount.currency.description)]
    }
}
