import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A program that runs beside this one, started by ``Spawning``.
///
/// A thread waits for its end, so that none stays behind as a zombie, and no task's thread is blocked. Foundation's
/// `Process` is not used: on Linux it reads beyond the end of a buffer in a process with many open files.
package final class ChildProcess: Sendable {
    /// Its number, which is its process group's, too.
    package let id: Int32
    /// Its code after its end.
    private let code = Mutex<Int32?>(nil)
    private let running = DispatchGroup()

    /// Starts the program at the path `program`.
    ///
    /// - Parameters:
    ///   - words: Its arguments after its name.
    ///   - environment: Its variables, by default those of this process.
    ///   - input: The descriptor that becomes its standard input; nil for an empty one. It stays open here.
    ///   - output: That of its standard output; nil if the output is not wanted.
    ///   - errors: That of its standard errors; nil if they are not wanted.
    package init(
        _ program: String, _ words: [String] = [],
        environment: [String: String] = ProcessInfo.processInfo.environment, input: Int32? = nil, output: Int32? = nil,
        errors: Int32? = nil
    ) throws(SpawnError) {
        id = try Spawning.start(program, words, environment: environment, streams: [input, output, errors])
        running.enter()
        Thread.detachNewThread { self.awaitEnd() }
    }

    /// Runs a program to its end, and returns its code and output. This blocks the calling thread.
    package static func run(
        _ program: String, _ words: [String] = [],
        environment: [String: String] = ProcessInfo.processInfo.environment, errors: Int32? = nil
    ) throws(SpawnError) -> (code: Int32, output: [UInt8]) {
        let pipe = try Spawning.pipe()
        defer { close(pipe.read) }
        let started = Result { () throws(SpawnError) in
            try ChildProcess(program, words, environment: environment, output: pipe.write, errors: errors)
        }
        close(pipe.write)
        let child = try started.get()
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while case let count = read(pipe.read, &chunk, chunk.count), count > 0 || count < 0 && errno == EINTR {
            output += chunk[..<max(count, 0)]
        }
        return (child.wait(), output)
    }

    /// True until its end.
    package var isRunning: Bool { code.withLock { $0 == nil } }

    /// Sends a signal, if the program has not ended: never to another process that has got its number.
    package func signal(_ number: Int32) {
        code.withLock { if $0 == nil { _ = kill(id, number) } }
    }

    /// Waits for the end, and returns the code: that of the program, or negative the signal that ended it.
    package func end() async -> Int32 {
        await withCheckedContinuation { ended in
            running.notify(queue: .global()) { ended.resume() }
        }
        return code.withLock(\.self) ?? .min
    }

    /// The same as ``end()``, and blocks the calling thread.
    @discardableResult
    package func wait() -> Int32 {
        running.wait()
        return code.withLock(\.self) ?? .min
    }

    /// Waits for the end without a lock, and gives the number back to the system under it.
    private func awaitEnd() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        code.withLock { code in
            var status: Int32 = 0
            let isOurs = waitpid(id, &status, 0) == id
            let signal = status & 0x7F
            code = !isOurs ? .min : signal == 0 ? status >> 8 & 0xFF : -signal
        }
        running.leave()
    }
}
