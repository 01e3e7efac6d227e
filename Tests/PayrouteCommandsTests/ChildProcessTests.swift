import ChildProcesses
import Foundation
import TestSupport
import Testing

@Suite("Programs that run beside this one")
struct ChildProcessTests {
    private static let shell = "/bin/sh"

    /// Runs a script with the descriptors 0, 1 and 2 that are given.
    private func code(_ script: String, _ words: [String] = [], input: Int32? = nil, output: Int32? = nil) async throws
        -> Int32
    {
        try await ChildProcess(Self.shell, ["-c", script] + words, input: input, output: output).end()
    }

    @Test("A program's code is returned to all that wait, and a signal that ended it is negative")
    func codes() async throws {
        let child = try ChildProcess(Self.shell, ["-c", "exit 7"])
        async let first = child.end()
        async let second = child.end()
        #expect(await [first, second] == [7, 7])
        #expect(await child.end() == 7 && !child.isRunning)
        let pipe = Pipe()
        let reader = try ChildProcess("/bin/cat", input: pipe.fileHandleForReading.fileDescriptor)
        #expect(reader.isRunning)
        reader.signal(SIGKILL)
        #expect(await reader.end() == -SIGKILL)
        // Its number belongs to the system again.
        reader.signal(SIGKILL)
        #expect(waitpid(reader.id, nil, WNOHANG) == -1 && errno == ECHILD)
    }

    @Test("A program that is not there is an error with the system's reason")
    func missing() {
        let error = #expect(throws: SpawnError.self) { try ChildProcess("/nowhere/program") }
        #expect(error?.reason == String(cString: strerror(ENOENT)))
        let closed = #expect(throws: SpawnError.self) { try ChildProcess("/bin/cat", input: 1 << 20) }
        #expect(closed?.reason == String(cString: strerror(EBADF)))
    }

    @Test("Output, arguments and variables pass, and what is not given is empty")
    func streams() throws {
        let (code, output) = try ChildProcess.run(
            Self.shell, ["-c", "cat; echo lost >&2; echo \"$0 $A\"", "two words"], environment: ["A": "ä"])
        #expect(code == 0 && String(decoding: output, as: UTF8.self) == "two words ä\n")
    }

    @Test("A program gets no other open file")
    func files() async throws {
        // Not closed by itself when a program starts.
        let file = ScratchFile()
        let kept = fcntl(file.descriptor, F_DUPFD, 100)
        defer { for descriptor in [file.descriptor, kept] { close(descriptor) } }
        #expect(fcntl(kept, F_GETFD) == 0)
        #expect(try await code("test ! -e /dev/fd/$0 && test -e /dev/fd/0", ["\(kept)"]) == 0)
    }

    @Test("A program blocks and ignores no signal, whatever its starter does", arguments: [SIGTERM, SIGPIPE])
    func signals(number: Int32) async throws {
        func start() throws -> ChildProcess {
            // Left so: this process ignores broken pipes as soon as it has started an external provider, too.
            if number == SIGPIPE { Foundation.signal(number, SIG_IGN) }
            var (blocked, before) = (sigset_t(), sigset_t())
            sigemptyset(&blocked)
            sigaddset(&blocked, number)
            pthread_sigmask(SIG_BLOCK, &blocked, &before)
            defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
            return try ChildProcess(Self.shell, ["-c", "kill -\(number) $$; exit 0"])
        }
        #expect(await (try start()).end() == -number)
    }

    #if os(Linux)
        @Test("Streams of this process pass crosswise")
        func crossed() async throws {
            let links = try (0...1).map {
                try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
            let script = "test \"$(readlink /proc/$$/fd/0)\" = \"$0\" && test \"$(readlink /proc/$$/fd/1)\" = \"$1\""
            #expect(try await code(script, [links[1], links[0]], input: 1, output: 0) == 0)
        }
    #endif
}
