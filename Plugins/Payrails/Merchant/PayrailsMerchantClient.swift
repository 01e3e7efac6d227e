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

    /// Queries the execution a few times, until it fulfils `isEnough`; nil if every query fails.
    func look(
        at payment: PaymentReference, until isEnough: (ExecutionRecord) async -> Bool
    ) async -> ExecutionRecord? {
        var last: ExecutionRecord?
        let loop = PollingLoop(clock: calls.clock, limit: .pauses(.seconds(Self.looks - 1)))
        return await loop.run(whenCancelled: { $0 }) { _ in
            guard let now = try? await found(payment) else { return .again(last, after: .seconds(1)) }
            last = now
            return await isEnough(now) ? .last(now) : .again(now, after: .seconds(1))
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
        guard whole.currency == amount.currency else {
            throw unfit("\(name) is in another currency than the payment")
        }
        guard amount.minorUnits <= whole.minorUnits else { throw unfit("\(name) is more than the payment") }
    }
}
