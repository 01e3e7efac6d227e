import Synchronization

/// An answer's body that continues as long as there are bytes to send, such as server-sent events.
///
/// The maker sends pieces; the server passes them on as fast as the reader takes them. A reader that falls too far
/// behind loses the connection, and the sender's memory stays bounded.
public final class SandboxStream: Sendable {
    /// The most bytes that wait for a reader: 256 KiB.
    public static let maximumBacklog = 256 << 10

    /// The next part of the body for a server.
    package enum Piece: Sendable {
        case bytes([UInt8])
        /// There is nothing yet; the server is woken.
        case wait
        case end
    }

    private struct State {
        /// Shared with the other streams that the same piece was sent to, so that many readers cost little.
        var pieces: [ArraySlice<UInt8>] = []
        var size = 0
        var isFinished = false
        var wake: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Creates a stream without a reader.
    public init() {}

    /// Sends `bytes` to the reader.
    ///
    /// - Returns: False when the reader has gone, or has fallen too far behind, which ends the stream.
    @discardableResult public func send(_ bytes: [UInt8]) -> Bool {
        state.withLock { state in
            guard !state.isFinished else { return false }
            guard state.size + bytes.count <= Self.maximumBacklog else {
                state.pieces = []
                Self.finish(&state)
                return false
            }
            state.pieces.append(bytes[...])
            state.size += bytes.count
            Self.wake(&state)
            return true
        }
    }

    /// Ends the body after what was sent.
    public func finish() { state.withLock { Self.finish(&$0) } }

    /// True if nothing more can be sent.
    public var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Returns the next bytes, at most `limit`. Where there are none, calls `sleep` and, once there are some again,
    /// `wake`: both under the stream's own lock, so that no wake-up can come before the sleep or after ``close()``.
    package func take(_ limit: Int, sleep: () -> Void, wake: @escaping @Sendable () -> Void) -> Piece {
        state.withLock { state in
            guard let first = state.pieces.first else {
                if state.isFinished { return .end }
                sleep()
                state.wake = wake
                return .wait
            }
            let taken = first.prefix(limit)
            if taken.count == first.count {
                state.pieces.removeFirst()
            } else {
                state.pieces[0] = first.dropFirst(limit)
            }
            state.size -= taken.count
            return .bytes(Array(taken))
        }
    }

    /// Closes the stream because its reader has gone.
    package func close() {
        state.withLock { state in
            state.isFinished = true
            state.pieces = []
            state.size = 0
            state.wake = nil
        }
    }

    private static func finish(_ state: inout State) {
        state.isFinished = true
        wake(&state)
    }

    private static func wake(_ state: inout State) {
        let wake = state.wake
        state.wake = nil
        wake?()
    }
}
