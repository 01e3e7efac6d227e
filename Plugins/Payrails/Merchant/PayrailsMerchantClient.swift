import PaymentCore
import ServiceSupport

/// The calls of a merchant's server that are not journaled: opening sessions for its app, and managing its
/// customers' stored instruments.
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

    // MARK: For all of them

    /// Returns the execution of `payment`.
    func found(_ payment: PaymentReference) async throws(PaymentError) -> ExecutionRecord {
        try await asMerchant(id) { () throws(CallError) in
            guard PathSegment.isSafe(payment.id) else { throw .unsendable("the payment's id is not one of Payrails'") }
            return try await calls.execution(payment.id)
        }
    }

    /// Requests an action that moves money.
    ///
    /// - Parameter before: the statuses of such actions before the request.
    func act(
        _ action: PayrailsAction, on payment: PaymentReference, _ body: JSONValue, key: String,
        since before: ActionTally
    ) async throws(PaymentError) -> ActionReceipt {
        do throws(CallError) { return try await calls.act(action, on: payment.id, body, key: key) } catch {
            let open = ErrorTable.payrailsMerchant.paymentError(from: error, isMutation: true, at: id)
            guard case .refused(let refusal) = error, refusal.isOfState, open.phase == .maybeSent,
                let execution = try? await StepScope.asking({ try await found(payment) }),
                execution.tally(action) == before
            else { throw open }
            // The state forbids it, a copy under the same key would have received the first answer, and no such action
            // shows.
            throw ErrorTable.payrailsMerchant.paymentError(from: error, isMutation: false, at: id)
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
