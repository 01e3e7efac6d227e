package import PaymentCore
package import PaymentRouting
package import PaymentTesting

/// An HTTP interface to a router that takes payments for tenants by their keys, in one process.
package protocol PaymentFace: Sendable {
    /// Answers a call.
    func answer(_ request: HTTPRequest) async -> HTTPResponse

    /// Ends in good order.
    func drain(within bound: Duration) async

    /// Ends what runs in a process that has ended.
    func stop() async
}

/// The interfaces of one history, which share what is stored on a machine.
package protocol PaymentFaces: Sendable {
    /// Opens the interface in a process.
    ///
    /// - Parameter wallet: the wallet that pays by itself; nil asks the callers.
    func open(
        over router: PaymentRouter, in process: SimulatedProcess, wallet: Payer?
    ) async throws -> any PaymentFace
}

/// The tenants of an interface, whose tokens are their names.
package enum Tenant {
    package static let names = ["alice", "bob"]
}
