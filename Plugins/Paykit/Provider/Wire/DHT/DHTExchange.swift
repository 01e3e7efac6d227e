import PaymentCore

/// A conversation over datagrams that keeps its own time-table: it says what to send and how long to wait.
protocol DHTExchange {
    /// What is to be sent now. Whoever was silent for too long is given up here.
    mutating func outgoing(now: Duration) -> [DHTOutgoing]
    /// Takes what has arrived.
    mutating func receive(_ datagram: Datagram, now: Duration)
    /// How long to wait for something to arrive; nil when nothing is waited for any more.
    func wake(now: Duration) -> Duration?
}

/// A datagram that is to be sent.
struct DHTOutgoing {
    let bytes: [UInt8]
    let address: DatagramAddress
}

extension DHTExchange {
    /// Has the conversation over a socket.
    ///
    /// - Returns: why something could not be sent, if that happened.
    mutating func run(
        over socket: any DatagramSocket, clock: any PaymentClock
    ) async throws(DHTError) -> DatagramError? {
        var failure: DatagramError?
        do throws(DatagramError) {
            while true {
                let now = clock.uptime
                for message in outgoing(now: now) {
                    do throws(DatagramError) {
                        try await socket.send(message.bytes, to: message.address)
                    } catch .notSent(let address, let detail) {
                        // The node is silent then, as others are; only where all are is this the reason.
                        failure = .notSent(address, detail)
                    }
                }
                guard let wait = wake(now: now) else { return failure }
                if let datagram = try await socket.receive(within: wait, clock: clock) {
                    receive(datagram, now: clock.uptime)
                }
            }
        } catch {
            throw error == .cancelled ? .cancelled : .network(error)
        }
    }
}
