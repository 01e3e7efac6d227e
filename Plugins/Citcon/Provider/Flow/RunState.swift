import Synchronization

/// The state of one run of a flow that no step stores; what the payer answers, its context keeps.
final class RunState: Sendable {
    struct Content: Sendable {
        /// What the service said of the method, with its gateway's keys.
        var config: GatewayConfig?
        /// The service's latest answer about the charge, whole.
        var answer: CitconService.Answer?
    }

    private let content = Mutex(Content())

    subscript<Value: Sendable>(_ member: any WritableKeyPath<Content, Value> & Sendable) -> Value {
        get { content.withLock { $0[keyPath: member] } }
        set { content.withLock { $0[keyPath: member] = newValue } }
    }
}
