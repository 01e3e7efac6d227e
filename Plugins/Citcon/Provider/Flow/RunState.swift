import Synchronization

/// The state of one run of a flow that no step stores; the context keeps the payer's answers.
final class RunState: Sendable {
    struct Content: Sendable {
        /// The service's configuration of the method, with its gateway's keys.
        var config: GatewayConfig?
        /// The service's latest answer about the charge, complete.
        var answer: CitconService.Answer?
    }

    private let content = Mutex(Content())

    subscript<Value: Sendable>(_ member: any WritableKeyPath<Content, Value> & Sendable) -> Value {
        get { content.withLock { $0[keyPath: member] } }
        set { content.withLock { $0[keyPath: member] = newValue } }
    }
}
