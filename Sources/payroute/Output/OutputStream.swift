import PaymentCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A buffered stream of text. Shared by tasks that report at the same time: one call writes one whole piece.
///
/// When the reader has closed the stream (`| head`), the rest is dropped silently; any other failure is kept in
/// ``failure`` for the end.
final class OutputStream: Sendable {
    private struct State {
        var buffer: [UInt8] = []
        var errorNumber: Int32 = 0
    }

    private static let capacity = 64 << 10
    private let descriptor: Int32
    private let state = Mutex(State())

    /// Writes to `descriptor`, which stays open.
    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// True if the stream is a terminal.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// The terminal's width in columns, or nil.
    var columns: Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// True if nothing more can be written.
    var isClosed: Bool { state.withLock { $0.errorNumber != 0 } }

    /// The reason why nothing more can be written; nil when there is none or the reader has closed the stream.
    var failure: String? {
        let number = state.withLock { $0.errorNumber }
        return number == 0 || number == EPIPE ? nil : String(cString: strerror(number))
    }

    /// Adds `text`.
    func write(_ text: String) {
        edit { $0 += text.utf8 }
    }

    /// Lets `body` add bytes in place.
    func edit(_ body: (inout [UInt8]) -> Void) {
        state.withLock { state in
            guard state.errorNumber == 0 else { return }
            body(&state.buffer)
            if state.buffer.count >= Self.capacity { empty(&state) }
        }
    }

    /// Adds `text` and a line break, and flushes the buffer.
    func line(_ text: String = "") {
        write(text + "\n")
        flush()
    }

    /// Writes the buffer to the descriptor.
    func flush() {
        state.withLock { empty(&$0) }
    }

    private func empty(_ state: inout State) {
        var sent = 0
        state.buffer.withUnsafeBytes { bytes in
            while sent < bytes.count, state.errorNumber == 0 {
                let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: bytes[sent...]))
                if count >= 0 {
                    sent += count
                } else if errno == EAGAIN {
                    waitUntilWritable()
                } else if errno != EINTR {
                    state.errorNumber = errno
                }
            }
        }
        state.buffer.removeAll(keepingCapacity: true)
    }

    /// Waits for a terminal or pipe that another process made non-blocking.
    private func waitUntilWritable() {
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        systemPoll(&poll)
    }
}

// Free functions, because the members above hide the system's names.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

private func systemPoll(_ descriptor: inout pollfd) {
    _ = poll(&descriptor, 1, -1)
}
