import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A program was not started, or a pipe to it not made; the reason is the system's.
package struct SpawnError: Error {
    package let reason: String

    init(_ code: Int32) { reason = String(cString: strerror(code)) }
}

/// The start of other programs.
package enum Spawning {
    /// Starts the program at the path `program` in a separate process group, with these arguments and variables.
    ///
    /// Of what this process has open it gets the three standard streams and nothing else, whatever another thread opens
    /// meanwhile. It blocks and ignores no signal, whatever the calling thread does.
    ///
    /// - Parameter streams: The descriptors that become its standard input, output and errors; nil for none.
    /// - Returns: The process, for which the caller has to wait.
    package static func start(
        _ program: String, _ words: [String], environment: [String: String], streams: [Int32?]
    ) throws(SpawnError) -> Int32 {
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
        // Copies above the standard streams: none of these is overwritten before it is copied itself.
        var copies: [Int32] = []
        defer { for copy in copies { close(copy) } }
        for (number, stream) in streams.enumerated() {
            guard let stream else {
                posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
                continue
            }
            let copy = fcntl(stream, F_DUPFD_CLOEXEC, 3)
            guard copy >= 0 else { throw SpawnError(errno) }
            copies.append(copy)
            posix_spawn_file_actions_adddup2(&actions, copy, Int32(number))
        }
        var flags = Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        #if canImport(Glibc) || canImport(Musl)
            closeAll(from: 3, &actions)
        #else
            flags |= Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
        #endif
        // A separate process group: Ctrl-C is for this program, which then stops that one with its group.
        posix_spawnattr_setpgroup(&attributes, 0)
        var (blocked, defaults) = (sigset_t(), sigset_t())
        sigemptyset(&blocked)
        sigfillset(&defaults)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        let words = ([program] + words).map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var process: pid_t = 0
        let problem = posix_spawn(&process, program, &actions, &attributes, words, variables)
        guard problem == 0 else { throw SpawnError(problem) }
        return process
    }

    /// Returns the two ends of a new pipe, which no program inherits but as a standard stream.
    package static func pipe() throws(SpawnError) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard systemPipe(&ends) == 0 else { throw SpawnError(errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    #if canImport(Glibc) || canImport(Musl)
        /// Has the new process close every descriptor from `first` on.
        private static func closeAll(from first: Int32, _ actions: inout posix_spawn_file_actions_t) {
            // By name, because glibc has it since 2.34 only, and Musl has not.
            typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
            if let function = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") {
                _ = unsafeBitCast(function, to: CloseFrom.self)(&actions, first)
                return
            }
            for name in (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? [] {
                guard let descriptor = Int32(name), descriptor >= first else { continue }
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            }
        }
    #endif
}

// A free function, because the member above hides the system's name.
private func systemPipe(_ ends: inout [Int32]) -> Int32 { pipe(&ends) }
