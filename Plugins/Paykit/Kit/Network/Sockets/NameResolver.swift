import Dispatch
import PaykitProvider
import PaymentCore

/// The system's resolver, which blocks its thread for as long as it likes: a cancelled caller does not wait for it.
struct NameResolver: Sendable {
    private let queue = DispatchQueue(label: "payment-names", attributes: .concurrent)

    /// Returns the addresses of a host, none for an unknown one; nil for a task that was cancelled.
    func addresses(of host: String, port: UInt16, _ family: SystemSockets.Family) async -> [StreamAddress]? {
        guard !Task.isCancelled else { return nil }
        let answer = Inbox<[StreamAddress], StreamError>(capacity: 1)
        queue.async { answer.offer(SystemSockets.addresses(of: host, port: port, family)) }
        return try? await answer.take().get()
    }
}
