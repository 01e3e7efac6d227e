import ChildProcesses
package import Foundation

/// This program, started once more as a server that serves until its standard input ends.
package struct OwnServer {
    private let child: ChildProcess
    private let input = Pipe()
    private let pipe = Pipe()

    /// The server's output.
    package var output: FileHandle { pipe.fileHandleForReading }

    /// - Parameter word: the argument by which the program serves.
    package init(_ word: String) throws {
        child = try ChildProcess(
            Bundle.main.executablePath ?? CommandLine.arguments[0], [word],
            input: input.fileHandleForReading.fileDescriptor, output: pipe.fileHandleForWriting.fileDescriptor,
            errors: 2)
        try input.fileHandleForReading.close()
        try pipe.fileHandleForWriting.close()
    }

    /// Ends the server, and waits until it has ended.
    package func stop() {
        try? input.fileHandleForWriting.close()
        child.wait()
    }
}
