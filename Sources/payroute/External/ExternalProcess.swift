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
/// milliseconds, because slow work (the network, the clock) is done for it. It is killed, with all its children, when
/// it is late, sends too much, or is not needed any more.
///
/// Unchecked, because it belongs to one call at a time and passes from one to the next under a lock.
final class ExternalProcess: @unchecked Sendable {
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
    static func endAll() {
        running.withLock { list in
            for process in list { kill(-process, SIGKILL) }
            list = []
        }
    }

    private let process: pid_t
    private let input: Int32
    private let output: Int32
    private var buffer: [UInt8] = []
    private var isOver = false
    /// True if it has ended and its number may belong to another process.
    private var isReaped = false

    /// A program that closed its pipe is an error of the call, and must not end this program.
    private static let ignoresBrokenPipes: Void = { signal(SIGPIPE, SIG_IGN) }()

    /// Starts the program at `path`, with only the variables of `environment`.
    init(_ path: String, environment: [String: String]) throws(ProcessError) {
        _ = Self.ignoresBrokenPipes
        guard let (toChild, fromUs) = Self.pipe(), let (toUs, fromChild) = Self.pipe() else {
            throw .cannotStart(String(cString: strerror(errno)))
        }
        defer {
            close(toChild)
            close(fromChild)
        }
        do throws(ProcessError) {
            process = try Self.spawn(path, environment, reading: toChild, writing: fromChild)
        } catch {
            close(fromUs)
            close(toUs)
            throw error
        }
        input = fromUs
        output = toUs
        Self.running.withLock { _ = $0.insert(process) }
        // A program that does not read must not block this one.
        _ = fcntl(input, F_SETFL, O_NONBLOCK)
    }

    deinit { end() }

    /// Kills the program, and everything in its process group.
    func end() {
        guard !isOver else { return }
        isOver = true
        Self.running.withLock { _ = $0.remove(process) }
        close(input)
        close(output)
        guard !isReaped else { return }
        kill(-process, SIGKILL)
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    /// True if the program still runs and has sent nothing unrequested.
    var isReady: Bool {
        var status: Int32 = 0
        guard !isOver, !isReaped, buffer.isEmpty else { return false }
        isReaped = waitpid(process, &status, WNOHANG) != 0
        guard !isReaped else { return false }
        var poll = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        return systemPoll(&poll, 0) == 0
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
            var poll = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            if systemPoll(&poll, Int32(min(left / .milliseconds(1), 50)) + 1) > 0 { return }
        }
    }

    // MARK: Starting

    private static func pipe() -> (read: Int32, write: Int32)? {
        var ends: [Int32] = [0, 0]
        guard systemPipe(&ends) == 0 else { return nil }
        // Other programs that are started meanwhile do not inherit them.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func spawn(
        _ path: String, _ environment: [String: String], reading: Int32, writing: Int32
    ) throws(ProcessError) -> pid_t {
        #if canImport(Glibc) || canImport(Musl)
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #else
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, reading, 0)
        posix_spawn_file_actions_adddup2(&actions, writing, 1)
        // A separate process group: Ctrl-C is for this program, which then stops that one, and its children die with
        // it.
        posix_spawnattr_setpgroup(&attributes, 0)
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF))
        let words: [UnsafeMutablePointer<CChar>?] = [strdup(path), nil]
        let variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var process: pid_t = 0
        let problem = posix_spawn(&process, path, &actions, &attributes, words, variables)
        guard problem == 0 else { throw .cannotStart(String(cString: strerror(problem))) }
        return process
    }
}

// Free functions, because the members above hide the system's names.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

private func systemPoll(_ descriptor: inout pollfd, _ milliseconds: Int32) -> Int32 {
    poll(&descriptor, 1, milliseconds)
}

private func systemPipe(_ ends: inout [Int32]) -> Int32 { pipe(&ends) }
