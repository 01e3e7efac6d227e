package import PaymentCore
import Synchronization

/// Why an order goes no further, as both faces of the flow need it: the router's error, and the words of the vendor's client.
package struct Setback: Error, Sendable {
    /// For the router: without the service's own texts, which may hold what was sent.
    package let error: PaymentError
    /// For the vendor's client.
    package let words: OrderFailure
    /// For the vendor's client, where money may have moved: instead of ``words``.
    package var warning: OrderFailure?
    /// The service's refusal or silence, where that was it.
    package var cause: CitconCallError?

    /// Creates a setback of this library's own finding.
    package init(_ error: PaymentError, _ words: OrderFailure, warning: OrderFailure? = nil) {
        self.error = error
        self.words = words
        self.warning = warning
    }

    /// A call that has no result.
    package init(_ cause: CitconCallError, isMutation: Bool, at provider: ProviderID) {
        self.init(ErrorTable.error(cause, isMutation: isMutation, at: provider), OrderFailure(cause))
        self.cause = cause
    }

    /// Whatever stopped a flow. What is not this library's own may hold anything, so only its type is told.
    package init(foreign error: any Error, at provider: ProviderID) {
        switch error {
        case let error as Setback: self = error
        case let error as PaymentError: self.init(error, OrderFailure("\(VendorText.unknown): \(error.message)"))
        default:
            let error = PaymentError(.providerFault, "stopped by \(type(of: error))", provider: provider)
            self.init(error, OrderFailure("\(VendorText.unknown): \(error.message)"))
        }
    }
}

/// What one run of a flow remembers of the service and no step stores; what the payer answers, its context does.
final class RunMemory: Sendable {
    struct Content: Sendable {
        /// What the service said of the method, with its gateway's keys.
        var config: GatewayConfig?
        /// The service's latest word on the charge, whole.
        var answer: CitconService.Answer?
        /// What the latest step that failed failed for.
        var setback: Setback?
    }

    private let content = Mutex(Content())

    subscript<Value: Sendable>(_ member: any WritableKeyPath<Content, Value> & Sendable) -> Value {
        get { content.withLock { $0[keyPath: member] } }
        set { content.withLock { $0[keyPath: member] = newValue } }
    }
}
