import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Processes that external providers have left behind: started by them, and no longer in their process groups.
///
/// Linux gives a process whose parent has ended to the nearest ancestor that asks for such, whatever its group and
/// session. A program that starts nothing but providers can so find what they left, and end it. Elsewhere nothing is
/// found.
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

    /// Adopts orphaned processes from now on, where ``allow()`` was called.
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

    /// Kills every child of this program but `kept`, and what these leave in turn.
    static func end(but kept: Set<pid_t>) {
        guard state.withLock(\.isAdopting) else { return }
        // What is killed may have started another process before it was.
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
            // The program's name stands in brackets and may hold any character; the state and the parent follow.
            let fields = text.split(separator: ")").last?.split(separator: " ")
            return fields?.dropFirst().first.flatMap { pid_t($0) } == own ? number : nil
        }
    }
}
