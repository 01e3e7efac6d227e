import ChildProcesses
import PaymentCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A running program that speaks one JSON object per line over its standard streams.
///
/// Waiting for it blocks its caller, in short turns that notice when the task is cancelled: its own work takes
/// milliseconds, because slow work (the network, the clock) is done for it. It is killed, with its process group, when
/// it is late, sends too much, or is not needed any more, and on Linux with every process that has left the group, too
/// (``OrphanedProcesses``). Its standard error is shown line by line, escaped as any foreign text.
///
/// Unchecked, because it belongs to one call at a time and passes from one to the next under a lock.
package final class ExternalProcess: @unchecked Sendable {
    /// The reason why the program sends nothing more.
    enum ProcessError: Error {
        /// It could not be started; the text gives the reason.
        case cannotStart(String)
        /// It sent nothing in this time.
        case late(Duration)
        /// It ended, or closed its output.
        case ended
        /// Its line is longer than ``ExternalProcess/lineLimit``.
        case tooLong
        /// Its line is not a JSON object.
        case malformed
        /// The caller was cancelled.
        case cancelled
    }

    /// The most bytes of a line.
    static let lineLimit = 1 << 20

    /// The running programs. This program exits without clean-up, so that nothing else would end them.
    private static let running = Mutex<Set<pid_t>>([])

    /// Kills every running program, before this one ends.
    package static func endAll() {
        running.withLock { list in
            for process in list {
                killGroup(process)
                reap(process)
            }
            list = []
            OrphanedProcesses.end(but: [])
        }
    }

    private let process: pid_t
    private let input: Int32
    private let output: Int32
    private var errors: ErrorLines
    private var buffer: [UInt8] = []
    private var isOver = false
    /// True if it has ended and its number may belong to another process.
    private var isReaped = false

    /// A program that closed its pipe is an error of the call, and must not end this program.
    private static let ignoresBrokenPipes: Void = { signal(SIGPIPE, SIG_IGN) }()

    /// Starts the program at `path`, with only the variables of `environment`.
    init(_ path: String, environment: [String: String], report: @escaping ErrorLines.Report) throws(ProcessError) {
        _ = Self.ignoresBrokenPipes
        var opened: [Int32] = []
        func pipe() throws(SpawnError) -> (read: Int32, write: Int32) {
            let ends = try Spawning.pipe()
            opened += [ends.read, ends.write]
            return ends
        }
        do throws(SpawnError) {
            let ((toChild, fromUs), (toUs, fromChild), (errorsToUs, errorsFromChild)) = (
                try pipe(), try pipe(), try pipe()
            )
            OrphanedProcesses.adopt()
            // Under the lock, so that it is not taken for an orphan.
            process = try Self.running.withLock { list throws(SpawnError) in
                let process = try Spawning.start(
                    path, [], environment: environment, streams: [toChild, fromChild, errorsFromChild])
                list.insert(process)
                return process
            }
            for end in [toChild, fromChild, errorsFromChild] { close(end) }
            (input, output) = (fromUs, toUs)
            errors = ErrorLines(of: errorsToUs, report: report)
        } catch {
            for end in opened { close(end) }
            throw .cannotStart(error.reason)
        }
        // A program that does not read must not block this one.
        _ = fcntl(input, F_SETFL, O_NONBLOCK)
    }

    deinit { end() }

    private static func killGroup(_ process: pid_t) {
        kill(-process, SIGKILL)
        kill(process, SIGKILL)
    }

    private static func reap(_ process: pid_t) {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    /// Kills the program, everything in its process group, and what it has left outside of that.
    func end() {
        guard !isOver else { return }
        isOver = true
        close(input)
        close(output)
        Self.running.withLock { list in
            list.remove(process)
            if !isReaped {
                Self.killGroup(process)
                Self.reap(process)
            }
            OrphanedProcesses.end(but: list)
        }
        errors.end()
    }

    /// True if the program still runs and has sent nothing unrequested.
    var isReady: Bool {
        var status: Int32 = 0
        guard !isOver, !isReaped, buffer.isEmpty else { return false }
        isReaped = waitpid(process, &status, WNOHANG) != 0
        guard !isReaped else { return false }
        errors.read()
        var polls = [pollfd(fd: output, events: Int16(POLLIN), revents: 0)]
        return systemPoll(&polls, 0) == 0
    }

    // MARK: Lines

    /// Sends one object.
    func send(_ message: JSONValue, within limit: Duration) throws(ProcessError) {
        let bytes = message.serialized() + [0x0A]
        let end = ContinuousClock.now + limit
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { systemWrite(input, $0) }
            if count > 0 {
                sent += count
            } else if count < 0, errno == EAGAIN {
                try wait(for: input, POLLOUT, until: end, limit)
            } else if count < 0, errno == EINTR {
                continue
            } else {
                throw .ended
            }
        }
    }

    /// Returns the next object that the program sends.
    func receive(within limit: Duration) throws(ProcessError) -> JSONValue {
        let end = ContinuousClock.now + limit
        while true {
            if let newline = buffer.firstIndex(of: 0x0A) {
                let line = Array(buffer[..<newline])
                buffer.removeSubrange(...newline)
                guard line.count <= Self.lineLimit else { throw .tooLong }
                guard let message = try? JSONValue(parsing: line), message.object != nil else { throw .malformed }
                return message
            }
            guard buffer.count <= Self.lineLimit else { throw .tooLong }
            try wait(for: output, POLLIN, until: end, limit)
            var chunk = [UInt8](repeating: 0, count: 16 << 10)
            let count = chunk.withUnsafeMutableBytes { systemRead(output, $0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .ended }
            buffer += chunk[..<count]
        }
    }

    private func wait(
        for descriptor: Int32, _ event: Int32, until end: ContinuousClock.Instant, _ limit: Duration
    ) throws(ProcessError) {
        while true {
            guard !Task.isCancelled else { throw .cancelled }
            let left = end - .now
            guard left > .zero else { throw .late(limit) }
            var polls = [
                pollfd(fd: descriptor, events: Int16(event), revents: 0),
                pollfd(fd: errors.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            guard systemPoll(&polls, Int32(min(left / .milliseconds(1), 50)) + 1) > 0 else { continue }
            if polls[1].revents != 0 { errors.read() }
            if polls[0].revents != 0 { return }
        }
    }
}

// Free functions, because the members above hide the system's names.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

private func systemPoll(_ descriptors: inout [pollfd], _ milliseconds: Int32) -> Int32 {
    poll(&descriptors, nfds_t(descriptors.count), milliseconds)
}
