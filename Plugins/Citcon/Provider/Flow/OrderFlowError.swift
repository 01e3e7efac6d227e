import PaymentCore

/// The reason why an order cannot continue, in the terms of the vendor's client: the cause of the router's error where
/// that is less specific. The router's error has none of the service's own texts, which may contain sent values.
package struct OrderFlowError: Error, Sendable {
    /// The error for the vendor's client.
    package let words: OrderError
    /// The error for the vendor's client where money may have moved, in place of ``words``.
    package var warning: OrderError?
    /// The service's refusal or silence, if that was the cause.
    package var call: CitconCallError?

    /// Creates an error.
    package init(_ words: OrderError, warning: OrderError? = nil, call: CitconCallError? = nil) {
        self.words = words
        self.warning = warning
        self.call = call
    }

    /// Creates the reason from an error that a flow threw. A foreign error may contain anything, so only its type is
    /// named.
    package init(behind error: any Error) {
        guard let error = error as? PaymentError else {
            self.init(OrderError("\(VendorText.unknown): stopped by \(type(of: error))"))
            return
        }
        switch error.cause {
        case let cause as OrderFlowError: self = cause
        case let call as CitconCallError: self.init(OrderError(call), call: call)
        default: self.init(OrderError("\(VendorText.unknown): \(error.message)"))
        }
    }
}
