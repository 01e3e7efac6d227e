/// The sink of a payment's events. One value per event; events never hold secrets or personal data.
///
/// The sink is called in the task of the payment, so that task-local values that were set around `PaymentRouter.pay`
/// (the span of a trace, a logger's metadata) are there. A slow sink delays the payment: pass the event on and return.
public struct PaymentLog: Sendable {
    private let sink: @Sendable (PaymentEvent) -> Void

    /// Creates a log that sends every event to `sink`.
    ///
    /// - Parameter sink: receives every event, from any task.
    public init(_ sink: @escaping @Sendable (PaymentEvent) -> Void) {
        self.sink = sink
    }

    /// Drops every event.
    public static let silent = PaymentLog { _ in }

    /// Reports `event`.
    public func callAsFunction(_ event: PaymentEvent) { sink(event) }
}
