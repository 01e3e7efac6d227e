package import Foundation

/// This program, started once more as a server that serves until its standard input ends.
package struct OwnServer {
    private let process = Process()
    private let input = Pipe()
    private let pipe = Pipe()

    /// The server's output.
    package var output: FileHandle { pipe.fileHandleForReading }

    /// - Parameter word: the argument by which the program serves.
    package init(_ word: String) throws {
        process.executableURL = Bundle.main.executableURL
        process.arguments = [word]
        process.standardInput = input
        process.standardOutput = pipe
        try process.run()
    }

    /// Ends the server, and waits until it has ended.
    package func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
