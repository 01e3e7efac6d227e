import ChildProcesses
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

    private let words: [String]
    private let folder: URL
    private let limit: Duration
    private let isEnough: @Sendable (Substring) -> Bool

    /// Makes a command that other work on the machine goes before.
    ///
    /// - Parameter isEnough: true for an output line that makes the rest unnecessary, so that the command can end.
    init(
        _ words: [String], in folder: URL, within limit: Duration = .seconds(300),
        isEnough: @escaping @Sendable (Substring) -> Bool = { _ in false }
    ) {
        self.words = ["nice", "-n", "5"] + words
        self.folder = folder
        self.limit = limit
        self.isEnough = isEnough
    }

    /// The words of a printed command, as a shell parts them.
    static func words(of line: String) -> [String] {
        var words: [String] = []
        var word = ""
        var isInside = false
        var isEscaped = false
        for character in line {
            switch character {
            case _ where isEscaped:
                word.append(character)
                isEscaped = false
            case "\\" where !isInside: isEscaped = true
            case "'": isInside.toggle()
            case " " where !isInside:
                if !word.isEmpty { words.append(word) }
                word = ""
            default: word.append(character)
            }
        }
        return word.isEmpty ? words : words + [word]
    }

    /// The first error of a compiler's output.
    static func firstError(_ output: String) -> String {
        output.split(separator: "\n").first { $0.contains("error:") }.map(String.init) ?? String(output.prefix(500))
    }

    /// Runs it. After the time limit, or a sufficient line of output, it is killed with all processes that it started.
    func run() throws -> Ended {
        let start = ContinuousClock.now
        let log = FileManager.default.temporaryDirectory.appending(path: "mutants-\(UUID().uuidString).log")
        defer { try? FileManager.default.removeItem(at: log) }
        let child = try spawn(writingTo: log)
        let reader = try FileHandle(forReadingFrom: log)
        defer { try? reader.close() }
        var output = Data()
        var lineStart = 0
        func readOn() throws -> Bool {
            output += try reader.readToEnd() ?? Data()
            guard let lineEnd = output[lineStart...].lastIndex(of: 10) else { return false }
            defer { lineStart = lineEnd + 1 }
            let lines = String(decoding: output[lineStart..<lineEnd], as: UTF8.self)
            return lines.split(separator: "\n").contains(where: isEnough)
        }
        var status: Int32 = 0
        var early: Ending?
        while waitpid(child, &status, WNOHANG) == 0 {
            if ContinuousClock.now - start > limit { early = .outOfTime }
            if try readOn() { early = .foundEarly }
            if early != nil {
                // The stream of events follows the output.
                if early == .foundEarly { usleep(60_000) }
                for process in Self.family(of: child) { kill(process, SIGKILL) }
                waitpid(child, &status, 0)
                break
            }
            usleep(20_000)
        }
        _ = try readOn()
        let signal = status & 0x7F
        let ending = early ?? (signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal))
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        return Ended(ending: ending, output: String(decoding: output, as: UTF8.self), seconds: seconds)
    }

    /// Ends this program on a signal, with all processes that it has started: a test that hangs would run on.
    static func endWithChildren(on signals: [Int32]) -> [any DispatchSourceSignal] {
        signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                endChildren()
                exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    /// Kills all processes that this program has started.
    static func endChildren() {
        for process in family(of: getpid()).dropFirst() { kill(process, SIGKILL) }
    }

    /// A process and all its descendants: those that run tests create separate groups.
    private static func family(of process: pid_t) -> [pid_t] {
        guard let list = try? ChildProcess.run("/bin/ps", ["-A", "-o", "pid=,ppid="]) else { return [process] }
        let text = String(decoding: list.output, as: UTF8.self)
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
