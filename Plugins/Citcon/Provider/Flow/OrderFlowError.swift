import PaymentCore

/// The reason for which an order goes no further, in the words of the vendor's client: the cause of the router's error
/// where that says less. The router's has none of the service's own texts, which may hold what was sent.
package struct OrderFlowError: Error, Sendable {
    /// For the vendor's client.
    package let words: OrderError
    /// For the vendor's client, where money may have moved: instead of ``words``.
    package var warning: OrderError?
    /// The service's refusal or silence, where that was it.
    package var call: CitconCallError?

    /// Creates an error.
    package init(_ words: OrderError, warning: OrderError? = nil, call: CitconCallError? = nil) {
        self.words = words
        self.warning = warning
        self.call = call
    }

    /// Reads an error that came out of a flow. What is not this library's own may hold anything, so only its type is
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
