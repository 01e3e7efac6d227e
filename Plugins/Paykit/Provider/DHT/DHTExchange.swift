/// A conversation over datagrams with its own schedule: it decides what to send and how long to wait.
protocol DHTExchange {
    /// Returns the datagrams to send now. Nodes that have been silent for too long are abandoned here.
    mutating func outgoing(now: Duration) -> [DHTOutgoing]
    mutating func receive(_ datagram: Datagram)
    /// The questions that wait for answers.
    var flights: DHTFlights { get }
}

struct DHTOutgoing {
    let bytes: [UInt8]
    let address: DatagramAddress
}

extension DHTExchange {
    /// Runs the conversation over a socket. Returns the failure of a datagram that could not be sent, if there was one.
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
                        // That node is then silent, like others; only if all nodes are is this the reason.
                        failure = .notSent(address, detail)
                    }
                }
                guard let wait = flights.wake(now) else { return failure }
                if let datagram = try await socket.receive(within: wait, clock: clock) {
                    receive(datagram)
                }
            }
        } catch {
            throw error == .cancelled ? .cancelled : .network(error)
        }
    }
}
