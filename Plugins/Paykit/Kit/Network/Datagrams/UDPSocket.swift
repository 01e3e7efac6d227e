import PaykitProvider
import PaymentCore

/// One of the system's sockets. One thread waits for the arrivals at all of them.
final class UDPSocket: DatagramSocket {
    let localAddress: DatagramAddress
    private let handle: SocketHandle
    private let inbox: Inbox<Datagram, DatagramError>

    init(_ address: DatagramAddress, datagramLimit: Int, queueLimit: Int) throws(DatagramError) {
        let inbox = Inbox<Datagram, DatagramError>(capacity: queueLimit)
        switch SystemSockets.open(.datagrams, at: StreamAddress(address)) {
        case .failed(let detail): throw .unavailable(address, detail)
        case .done(let socket):
            handle = SocketHandle(socket.descriptor)
            localAddress = DatagramAddress(socket.bound) ?? address
        }
        self.inbox = inbox
        handle.watch { descriptor in
            // A bounded batch, so that a flood at one socket does not starve the others.
            for _ in 0..<64 {
                switch SystemSockets.receiveDatagram(over: descriptor, limit: datagramLimit) {
                case .datagram(let datagram): inbox.offer(datagram)
                case .unusable: continue
                case .nothing: return
                }
            }
        }
    }

    deinit { close() }

    func send(_ bytes: [UInt8], to address: DatagramAddress) async throws(DatagramError) {
        guard !Task.isCancelled else { throw .cancelled }
        guard let step = handle.use({ SystemSockets.sendDatagram(bytes, to: address, over: $0) }) else { throw .closed }
        if case .failed(let detail) = step { throw .notSent(address, detail) }
    }

    func receive() async throws(DatagramError) -> Datagram { try await inbox.take().get() }

    func close() {
        handle.close()
        inbox.close()
    }
}
