import Foundation

/// A command with all processes that it starts, with a time limit.
struct Command {
    /// The end of the command.
    enum Ending: Equatable {
        case exited(Int32)
        case signalled(Int32)
        case outOfTime
        /// The output contained the wanted text.
        case foundEarly

        var isGood: Bool { self == .exited(0) }
    }

    struct Ended {
        let ending: Ending
        let output: String
        let seconds: Double
    }

    struct CannotStart: Error {
        let command: String
        let code: Int32
    }

    let words: [String]
    let folder: URL
    let limit: Duration
    /// True for an output line that makes the rest unnecessary, so that the command can end.
    var isEnough: @Sendable (Substring) -> Bool = { _ in false }

    /// Runs it. After the time limit, or a sufficient line of output, it is killed with all processes that it started.
    func run() throws -> Ended {
        let start = ContinuousClock.now
        let log = FileManager.default.temporaryDirectory.appending(path: "mutants-\(UUID().uuidString).log")
        defer { try? FileManager.default.removeItem(at: log) }
        let child = try spawn(writingTo: log)
        var status: Int32 = 0
        var early: Ending?
        while waitpid(child, &status, WNOHANG) == 0 {
            if ContinuousClock.now - start > limit { early = .outOfTime }
            if lines(of: log).contains(where: isEnough) { early = .foundEarly }
            if early != nil {
                for process in Self.family(of: child) { kill(process, SIGKILL) }
                waitpid(child, &status, 0)
                break
            }
            usleep(100_000)
        }
        let signal = status & 0x7F
        let ending = early ?? (signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal))
        let output = String(decoding: (try? Data(contentsOf: log)) ?? Data(), as: UTF8.self)
        return Ended(ending: ending, output: output, seconds: (ContinuousClock.now - start) / .seconds(1))
    }

    private func lines(of log: URL) -> [Substring] {
        String(decoding: (try? Data(contentsOf: log)) ?? Data(), as: UTF8.self).split(separator: "\n")
    }

    /// A process and all its descendants: those that run tests create separate groups.
    private static func family(of process: pid_t) -> [pid_t] {
        let list = Process()
        let pipe = Pipe()
        list.executableURL = URL(filePath: "/bin/ps")
        list.arguments = ["-A", "-o", "pid=,ppid="]
        list.standardOutput = pipe
        guard (try? list.run()) != nil else { return [process] }
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        list.waitUntilExit()
        let pairs = text.split(separator: "\n").map { $0.split(separator: " ").compactMap { pid_t($0) } }
        let children = Dictionary(grouping: pairs.filter { $0.count == 2 }, by: { $0[1] })
        var family = [process]
        var index = 0
        while index < family.count {
            family += (children[family[index]] ?? []).map { $0[0] }
            index += 1
        }
        return family
    }

    private func spawn(writingTo log: URL) throws -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        let arguments = (["sh", "-c", "cd \"$0\" && exec \"$@\"", folder.path] + words).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, "/bin/sh", &actions, nil, arguments, environ)
        guard code == 0 else { throw CannotStart(command: words.joined(separator: " "), code: code) }
        return child
    }
}
