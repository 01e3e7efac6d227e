import Foundation
import PaymentSandbox
import TestSupport
import Testing

@testable import PayrouteCommands

/// Errors of users: a helpful line, the right exit code, no stack trace.
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
            (["sandbox", "--port", "0", "--ready-file", "/nowhere/ready.json"], "/nowhere/ready.json"),
            (
                ["status", "citcon/7", "--sandbox", "http://127.0.0.1:1", "--journal", "/nowhere/journal"],
                "No such file"
            ),
            (["new-provider", "tea", "--folder", "/proc/tea"], "cannot be made"),
        ])
    func files(words: [String], message: String) async throws {
        let result = try await Program(words).captured()
        #expect(result.code == 1, "\(result)")
        #expect(result.errors.contains(message))
        #expect(result.errors.hasPrefix("Error: "))
        Self.expectNoTrace(result)
    }

    @Test("What may not be read or written to says so", .enabled(if: Forbidden.isPossible))
    func permission() async throws {
        let forbidden = try Forbidden()
        for words in [
            ["inspect", "--image", forbidden.file], ["review", forbidden.file],
            ["journal", "list", "--journal", forbidden.file], ["qr", "pay_1", "-o", forbidden.folder + "/x.png"],
            ["sandbox", "--port", "0", "--ready-file", forbidden.folder + "/ready"],
            ["pay", "pay_1", "--sandbox", "http://127.0.0.1:1", "--journal", forbidden.folder + "/journal"],
            ["new-provider", "tea", "--folder", forbidden.folder + "/tea"],
        ] {
            let result = try await Program(words).captured()
            #expect(result.code == 1 && result.errors.hasPrefix("Error: "), "\(words): \(result)")
            let says = ["Permission denied", "not permitted", "writable"].contains { result.errors.contains($0) }
            #expect(says, "\(words): \(result.errors)")
            Self.expectNoTrace(result)
        }
    }

    /// An unreadable file and an unwritable folder, for any user: Linux has some for the superuser, too.
    private struct Forbidden {
        private static let unreadable = "/sys/bus/cpu/drivers_probe"
        /// True if there are such paths.
        static var isPossible: Bool {
            if geteuid() != 0 { return true }
            let descriptor = open(unreadable, O_RDONLY)
            if descriptor >= 0 { close(descriptor) }
            return descriptor < 0 && errno == EACCES
        }

        let file: String
        let folder: String
        private let scratch = ScratchFolder()

        init() throws {
            guard geteuid() != 0 else {
                (file, folder) = (Self.unreadable, "/sys")
                return
            }
            (file, folder) = (scratch.file("secret"), scratch.file("closed"))
            try Data("x".utf8).write(to: URL(filePath: file))
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for path in [file, folder] {
                try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
            }
        }
    }

    @Test(
        "Links that are none",
        arguments: [
            "", " ", "\u{1B}[31m", "https://", "https://pay.walletconnect.com@evil.example/", "wc:",
            "citcon:charge?token=",
        ])
    func links(text: String) async throws {
        for command in ["route", "inspect"] {
            let result = try await Program([command, text]).captured()
            #expect(result.code == 1 || text == "wc:" || text == "citcon:charge?token=", "\(result)")
            #expect(!result.output.contains("\u{1B}"))
            Self.expectNoTrace(result)
        }
        for command in ["pay", "quote"] {
            let result = try await Program([command, text, "--sandbox", "http://127.0.0.1:1"]).captured()
            #expect(result.code == 1 && result.output.contains("reason"), "\(result)")
            Self.expectNoTrace(result)
        }
    }

    @Test(
        "A reader that has disconnected is no error worth a message",
        arguments: ["providers", "help", "demo", "manual"])
    func closedPipe(command: String) async throws {
        let program = try #require(Program.url("payroute")?.path)
        let shell = try Program(["-c", "'\(program)' \(command) | true"], executable: URL(filePath: "/bin/sh"))
        #expect(await shell.captured().errors == "")
    }

    @Test("NO_COLOR keeps colours away from a terminal, and nothing else", arguments: ["1", ""])
    func noColor(value: String) async throws {
        let (code, shown) = try await payrouteOnTerminal(
            ["route", "pay_1"], columns: 40, environment: ["NO_COLOR": value])
        #expect(code == .done)
        #expect(shown.contains("\u{1B}") == value.isEmpty)
        #expect(shown.contains("matched"))
    }

    @Test("Where lines are read one by one, rows are lists of whole lines, and nothing is drawn", arguments: [40, 80])
    func linear(columns: UInt16) async throws {
        let link = "https://pay.walletconnect.com/?pid=pay_7fa2ecc101ARZ3NDEKTSV4RRFFQ69G5FAV"
        for words in [["providers"], ["route", link, link], ["inspect", link], ["demo", "--help"]] {
            let (code, shown) = try await payrouteOnTerminal(words, columns: columns, environment: ["TERM": "dumb"])
            #expect(code == .done)
            #expect(!shown.contains { "\u{1B}█▀▄".contains($0) }, "\(shown)")
            if words[0] == "route" {
                #expect(shown.split(whereSeparator: \.isNewline).count { $0.hasPrefix("LINK") } == 2, "\(shown)")
                #expect(shown.contains("claimed by walletconnect-pay"), "\(shown)")
            }
        }
        let terminal = try PseudoTerminal(columns: columns)
        #expect(Console(vendors: .all, diagnostics: terminal.terminal) { _ in nil }.progress(totalBytes: 9) != nil)
        #expect(Console(vendors: .all, diagnostics: terminal.terminal) { _ in "dumb" }.progress(totalBytes: 9) == nil)
        _ = terminal.close()
    }

    private static func expectNoTrace(_ result: Captured) {
        for word in ["Fatal error", "Thread ", "Swift/", ".swift:", "Crash"] {
            #expect(!result.errors.contains(word) && !result.output.contains(word), "\(result)")
        }
        #expect(result.errors.split(separator: "\n").count <= 4)
    }
}
