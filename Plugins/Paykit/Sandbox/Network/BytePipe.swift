import PaykitKit
import PaykitProvider
import PaymentCore
import Synchronization

/// One direction of a stream in this process.
final class BytePipe: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var written = 0
        /// The writer has ended it, or the stream broke.
        var isEnded = false
        var isBroken = false
        /// The reader has closed it.
        var isClosed = false
    }

    private let faults: StreamFaults
    private let state = Mutex(State())
    /// Signals a change. Several signals count as one.
    private let changes = Inbox<Void, StreamError>(capacity: 1)

    init(_ faults: StreamFaults) { self.faults = faults }

    func write(_ bytes: [UInt8]) throws(StreamError) {
        let failure: StreamError? = state.withLock { state in
            guard !state.isEnded else { return .closed }
            guard !state.isBroken, !state.isClosed else { return .lost("Broken pipe") }
            for byte in bytes {
                if let end = faults.breaksAfter, state.written >= end {
                    state.isBroken = true
                    break
                }
                state.bytes.append(state.written == faults.damagedByte ? byte ^ 1 : byte)
                state.written += 1
            }
            return nil
        }
        if let failure { throw failure }
        changes.offer(())
    }

    func end() {
        state.withLock { $0.isEnded = true }
        changes.offer(())
    }

    func close() {
        state.withLock { $0.isClosed = true }
        changes.close()
    }

    func read(atMost limit: Int) async throws(StreamError) -> [UInt8] {
        while true {
            let found: Result<[UInt8], StreamError>? = state.withLock { state in
                if state.isClosed { return .failure(.closed) }
                guard state.bytes.isEmpty else {
                    let count = max(1, min(limit, faults.piece ?? .max, state.bytes.count))
                    defer { state.bytes.removeFirst(count) }
                    return .success(Array(state.bytes.prefix(count)))
                }
                if state.isBroken { return .failure(.lost("Connection reset by peer")) }
                return state.isEnded ? .success([]) : nil
            }
            if let found { return try found.get() }
            try await changes.take().get()
        }
    }
}
