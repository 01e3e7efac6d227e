public import PaymentCore
import Synchronization

/// A simulated backend: answers HTTP requests, independent of sockets.
///
/// The same service runs in-process behind ``SandboxTransport`` and on loopback behind `LoopbackServer`. Its requests'
/// URLs keep path and query exactly as sent, percent-encoding included.
public protocol SandboxService: Sendable {
    /// Answers `request`. Called from many tasks at once.
    func respond(to request: HTTPRequest) async -> HTTPResponse

    /// Answers `request`, or misbehaves, for example by dropping the connection.
    ///
    /// Services implement ``respond(to:)``; the default of this method calls it.
    func answer(to request: HTTPRequest) async -> SandboxAnswer
}

extension SandboxService {
    /// Returns the answer of ``respond(to:)``.
    public func answer(to request: HTTPRequest) async -> SandboxAnswer {
        .response(await respond(to: request))
    }
}

/// The response of a server to a request.
@nonexhaustive
public enum SandboxAnswer: Sendable {
    /// It sends this answer.
    case response(HTTPResponse)
    /// It sends status 200 and a body of this many bytes `x`, made while sending: nothing of that size is held in
    /// memory.
    case endless(bytes: Int)
    /// It sends this answer's status and header fields, and then the bytes of the stream until it ends.
    case stream(HTTPResponse, SandboxStream)
    /// It closes the connection without sending a byte.
    case drop
}

/// The reason why a sandbox cannot run.
@nonexhaustive
public enum SandboxError: Error, Sendable, Hashable {
    /// Another process listens on this port.
    case portInUse(UInt16)
    /// The system refuses to listen on this port; the detail is its own short text.
    case cannotListen(UInt16, String)
    /// The HTTP server did not start on this port.
    case cannotStart(UInt16)
}

extension SandboxError: CustomStringConvertible {
    /// One sentence for people, with what to do.
    public var description: String {
        switch self {
        case .portInUse(let port):
            "port \(port) is in use by another program; stop that program, choose another port, or use port 0 for any free one"
        case .cannotListen(let port, let detail):
            "cannot listen on 127.0.0.1 port \(port): \(detail); choose another port, or use port 0 for any free one"
        case .cannotStart(let port):
            "the HTTP server did not start on 127.0.0.1 port \(port); the system may be out of threads or file descriptors"
        }
    }
}

// MARK: - Streams

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
        /// Shared with the other streams that the same piece was sent to: many readers cost little.
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

    /// Returns the next bytes, at most `limit`. If there are none, calls `sleep` and, once there are some again,
    /// `wake`. Both run under the stream's own lock: no wake-up can come before the sleep or after ``close()``.
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

// MARK: - Ledger

/// The events of a sandbox's payments, in order. The truth that clients are compared with.
public struct SandboxLedger: Sendable, Hashable {
    /// One event.
    @nonexhaustive
    public enum Event: Sendable, Hashable {
        /// The payment was made.
        case created
        /// A request to confirm it arrived, acceptable or not.
        case confirmRequested
        /// Money was set aside for the payee, who has yet to take it: option and amount in minor units with its unit.
        case authorized(option: String, amount: String)
        /// Money was taken: option, amount in minor units with its unit, and the account it was taken from.
        case captured(option: String, amount: String, account: String)
        /// The money arrived.
        case settled
        /// Money was refunded after it had arrived: amount in minor units with its unit.
        case refunded(amount: String)
        /// The settlement failed or the payer was refused; the money was returned.
        case failed
        /// It was cancelled.
        case cancelled
        /// Its time ran out.
        case expired
    }

    /// One event of one payment.
    public struct Entry: Sendable, Hashable {
        /// The payment's id.
        public let payment: String
        /// The event.
        public let event: Event
    }

    /// All events, oldest first.
    public private(set) var entries: [Entry] = []

    /// Creates an empty ledger.
    public init() {}

    /// Adds an event of `payment`.
    public mutating func record(_ event: Event, of payment: String) {
        entries.append(Entry(payment: payment, event: event))
    }

    /// Returns the events of one payment, oldest first.
    public func events(of payment: String) -> [Event] {
        entries.filter { $0.payment == payment }.map(\.event)
    }

    /// Returns the number of times that money was taken for `payment`: never more than once.
    public func captures(of payment: String) -> Int {
        events(of: payment).count { if case .captured = $0 { true } else { false } }
    }

    /// Returns the number of requests to confirm `payment`.
    public func confirmRequests(of payment: String) -> Int {
        events(of: payment).count { $0 == .confirmRequested }
    }
}
