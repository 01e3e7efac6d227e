import Foundation
import TestSupport
import Testing

@testable import payroute

/// What people get wrong: a line that helps, the right exit code, no stack trace.
@Suite("Wrong usage")
struct WrongUsageTests {
    @Test(
        "Files that are not there, are folders or may not be written",
        arguments: [
            (["inspect", "--image", "/nowhere/code.png"], "No such file"),
            (["inspect", "--image", "/"], "Is a directory"),
            (["qr", "pay_1", "-o", "/proc/code.png"], "cannot be written"),
            (["qr", "pay_1", "-o", "/dev/full/x.png"], "Not a"),
            (["journal", "list", "--journal", "/nowhere/journal"], "No such file"),
            (["review", "/nowhere/list"], "No such file"),

            (
                ["status", "citcon/7", "--sandbox", "http://127.0.0.1:1", "--journal", "/nowhere/journal"],
                "No such file"
            ),
            (["new-provider", "tea", "--folder", "/proc/tea"], "cannot be made"),
        ])
    func files(words: [String], message: String) async throws {
        let result = try await run(words)
        #expect(result.code == 1, "\(result)")
        #expect(result.errors.contains(message))
        #expect(result.errors.hasPrefix("Error: "))
        Self.expectNoTrace(result)
    }

    @Test(
        "Links that are none",
        arguments: [
            "", " ", "\u{1B}[31m", "https://", "https://pay.walletconnect.com@evil.example/", "wc:",
            "citcon:charge?token=",
        ])
    func links(text: String) async throws {
        for command in ["route", "inspect"] {
            let result = try await run([command, text])
            #expect(result.code == 1 || text == "wc:" || text == "citcon:charge?token=", "\(result)")
            #expect(!result.output.contains("\u{1B}"))
            Self.expectNoTrace(result)
        }
        for command in ["pay", "quote"] {
            let result = try await run([command, text, "--sandbox", "http://127.0.0.1:1"])
            #expect(result.code == 1 && result.output.contains("reason"), "\(result)")
            Self.expectNoTrace(result)
        }
    }

    @Test("A reader that has gone away is no error worth a word", arguments: ["providers", "help", "demo", "manual"])
    func closedPipe(command: String) async throws {
        let program = try #require(Program.url("payroute")?.path)
        let shell = try Program(["-c", "'\(program)' \(command) | true"], executable: URL(filePath: "/bin/sh"))
        for await _ in shell.lines {}
        #expect(await shell.end().errors == "")
    }

    @Test("NO_COLOR keeps colours away from a terminal, and nothing else", arguments: ["1", ""])
    func noColor(value: String) async throws {
        let terminal = try PseudoTerminal(columns: 40)
        let console = Console(output: terminal.terminal) { $0 == "NO_COLOR" ? value : nil }
        #expect(await CommandLineTool.run(["route", "pay_1"], console) == .done)
        let shown = terminal.close()
        #expect(shown.contains("\u{1B}") == value.isEmpty)
        #expect(shown.contains("matched"))
    }

    private func run(_ words: [String]) async throws -> Captured {
        let program = try Program(words)
        let output = await program.lines.reduce(into: "") { $0 += $1 + "\n" }
        let (code, errors) = await program.end()
        return Captured(code: code, output: output, errors: errors)
    }

    private static func expectNoTrace(_ result: Captured) {
        for word in ["Fatal error", "Thread ", "Swift/", ".swift:", "Crash"] {
            #expect(!result.errors.contains(word) && !result.output.contains(word), "\(result)")
        }
        #expect(result.errors.split(separator: "\n").count <= 4)
    }
}
