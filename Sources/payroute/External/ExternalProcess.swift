import ChildProcesses
import Foundation
import PaymentCore
import SandboxSupport
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
/// Waiting for it blocks its caller, in short turns that end when the task is cancelled. Its own work takes
/// milliseconds, because slow work (the network, the clock) is done for it. It is killed, with its process group, when
/// it is late, sends too much, or is not needed any more, and on Linux with every process that has left the group, too
/// (``OrphanedProcesses``). Its standard error is shown line by line, escaped as any foreign text.
///
/// Unchecked, because it belongs to one call at a time and passes from one to the next under a lock.
package final class ExternalProcess: @unchecked Sendable {
    /// The reason why the program sends nothing more.
    enum ProcessError: Error {
        /// It could not be started. The text gives the reason.
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

    /// The running programs. This program exits without clean-up, so nothing else would end them.
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

    /// Kills the program, everything in its process group, and the processes that it has left outside of that.
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

// MARK: - Standard error

/// The standard error of a running program, reported line by line, escaped as any foreign text.
struct ErrorLines {
    /// Receives a line, escaped.
    typealias Report = @Sendable (String) -> Void

    /// The most lines that are reported. The rest is read and left out.
    private static let mostReports = 1000
    /// A longer line is reported in parts.
    private static let lineLimit = 4096

    /// This program's end of the pipe, or -1 after it was closed.
    private(set) var descriptor: Int32
    private let report: Report
    private var buffer: [UInt8] = []
    private var reported = 0

    /// - Parameter descriptor: this program's end of the pipe, which ``end()`` closes.
    init(of descriptor: Int32, report: @escaping Report) {
        self.descriptor = descriptor
        self.report = report
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    /// Reports the lines that have come.
    mutating func read() {
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        // A program that writes without end does not keep this one here.
        for _ in 0..<16 where descriptor >= 0 {
            let count = chunk.withUnsafeMutableBytes { systemRead(descriptor, $0) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { break }
            guard count > 0 else {
                close(descriptor)
                descriptor = -1
                break
            }
            buffer += chunk[..<count]
            while let end = buffer.firstIndex(of: 0x0A) ?? cut {
                show(buffer[..<end])
                buffer.removeSubrange(..<(buffer[end] == 0x0A ? end + 1 : end))
            }
        }
    }

    /// Reports the lines that have come, also one without an end, and closes the pipe.
    mutating func end() {
        read()
        if !buffer.isEmpty { show(buffer[...]) }
        buffer = []
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    private var cut: Int? { buffer.count > Self.lineLimit ? Self.lineLimit : nil }

    private mutating func show(_ line: ArraySlice<UInt8>) {
        reported += 1
        guard reported <= Self.mostReports else { return }
        report(Printable.text(String(decoding: line, as: UTF8.self)))
        if reported == Self.mostReports { report("(more is left out)") }
    }
}

// MARK: - Orphaned processes

/// Processes that external providers have left behind: started by them, and no longer in their process groups.
///
/// Linux gives a process whose parent has ended to the nearest ancestor that asks for such, whatever its group and
/// session. A program that starts nothing but providers can thus find the processes that they left, and end them.
/// Elsewhere nothing is found.
package enum OrphanedProcesses {
    private struct State {
        var mayAdopt = false
        var isAdopting = false
    }

    private static let state = Mutex(State())

    /// Lets this program adopt processes as soon as it starts a provider: all others that it starts are ended with
    /// them.
    package static func allow() {
        state.withLock { $0.mayAdopt = true }
    }

    /// Adopts orphaned processes from now on, if ``allow()`` was called.
    static func adopt() {
        #if canImport(Glibc) || canImport(Musl)
            state.withLock { state in
                guard state.mayAdopt, !state.isAdopting else { return }
                // The system's own function takes any number of arguments, which Swift does not call.
                typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
                guard let function = dlsym(nil, "prctl") else { return }
                state.isAdopting = unsafeBitCast(function, to: Control.self)(childSubreaper, 1, 0, 0, 0) == 0
            }
        #endif
    }

    /// Kills every child of this program but `kept`, and the processes that these leave in turn.
    static func end(but kept: Set<pid_t>) {
        guard state.withLock(\.isAdopting) else { return }
        // A killed process may have started another one before.
        for _ in 0..<mostRounds {
            let orphans = children.filter { !kept.contains($0) }
            if orphans.isEmpty { return }
            for orphan in orphans {
                kill(orphan, SIGKILL)
                var status: Int32 = 0
                while waitpid(orphan, &status, 0) < 0, errno == EINTR {}
            }
        }
    }

    /// PR_SET_CHILD_SUBREAPER of `linux/prctl.h`.
    private static let childSubreaper: Int32 = 36
    private static let mostRounds = 100

    /// The children of this program, also those that have ended and were not waited for.
    private static var children: [pid_t] {
        let own = getpid()
        return ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { name in
            guard let number = pid_t(name),
                let text = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8)
            else { return nil }
            // The program's name stands in brackets and may hold any character. The state and the parent follow.
            let fields = text.split(separator: ")").last?.split(separator: " ")
            return fields?.dropFirst().first.flatMap { pid_t($0) } == own ? number : nil
        }
    }
}

// MARK: - System calls

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
