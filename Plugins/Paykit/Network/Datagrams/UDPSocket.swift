import Dispatch
import PaykitPubky
import PaymentCore
import Synchronization

/// One of the system's sockets. The system reports arrivals; no thread waits for them.
final class UDPSocket: DatagramSocket {
    let localAddress: DatagramAddress
    private let handle: Handle
    private let inbox: DatagramInbox
    // Dispatch's objects may be used from any thread; its interface for Linux does not declare it.
    nonisolated(unsafe) private let source: any DispatchSourceRead

    init(
        _ address: DatagramAddress, queue: DispatchQueue, datagramLimit: Int, queueLimit: Int
    ) throws(DatagramError) {
        let (descriptor, bound) = try SystemSockets.open(address)
        let handle = Handle(descriptor)
        let inbox = DatagramInbox(capacity: queueLimit)
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            // A bounded batch, so that a flood at one socket does not starve the others.
            for _ in 0..<64 {
                switch SystemSockets.receive(from: descriptor, limit: datagramLimit) {
                case .datagram(let datagram): inbox.offer(datagram)
                case .unusable: continue
                case .nothing: return
                }
            }
        }
        // Runs after the last event, on the same queue.
        source.setCancelHandler { handle.close() }
        source.activate()
        self.handle = handle
        self.localAddress = bound
        self.inbox = inbox
        self.source = source
    }

    deinit { close() }

    func send(_ bytes: [UInt8], to address: DatagramAddress) async throws(DatagramError) {
        guard !Task.isCancelled else { throw .cancelled }
        try handle.send(bytes, to: address)
    }

    func receive() async throws(DatagramError) -> Datagram { try await inbox.take() }

    func close() {
        handle.refuse()
        source.cancel()
        inbox.close()
    }

    /// The system's number of the socket. Once closed it may name another file, so nothing is sent over it then.
    private final class Handle: Sendable {
        private let state: Mutex<(descriptor: Int32?, isRefused: Bool)>

        init(_ descriptor: Int32) { state = Mutex((descriptor, false)) }

        func send(_ bytes: [UInt8], to address: DatagramAddress) throws(DatagramError) {
            let result: Result<Void, DatagramError> = state.withLock { state in
                guard let descriptor = state.descriptor, !state.isRefused else { return .failure(.closed) }
                do throws(DatagramError) {
                    return .success(try SystemSockets.send(bytes, to: address, over: descriptor))
                } catch { return .failure(error) }
            }
            try result.get()
        }

        func refuse() { state.withLock { $0.isRefused = true } }

        func close() {
            state.withLock { state in
                if let descriptor = state.descriptor { SystemSockets.close(descriptor) }
                state.descriptor = nil
            }
        }
    }
}
