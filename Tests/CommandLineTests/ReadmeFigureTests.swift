import Foundation
import PaymentCore
import PaymentLoopback
import TestSupport
import Testing
import WalletConnectPaySandbox

@testable import PayrouteCommands

@Suite("The README's figures")
struct ReadmeFigureTests {
    private static let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    private static let files = ["README.md", "Sources/PaymentRouting/PaymentRouting.docc/WhatIsThisText.md"]

    /// A block of a command, `$ payroute …`, and its output.
    struct Figure {
        var command: [String]
        let output: [String]
    }

    private static func figures(in file: String) throws -> [Figure] {
        let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
        return try text.matches(of: /(?s)```console\n\$ payroute ([^\n]+)\n(.*?)```/).map { match in
            // Quoted words stay as they are; the figures use no other quoting.
            let words = match.1.split(separator: "'", omittingEmptySubsequences: false)
            try #require(words.count % 2 == 1)
            let command = words.enumerated().flatMap { index, part in
                index % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
            }
            return Figure(command: command, output: lines(String(match.2)))
        }
    }

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
    }

    /// Returns the first printed line that the program does not print there. `…` stands for lines that are left out;
    /// all others follow each other.
    private static func breach(of printed: [String], in actual: [String]) -> String? {
        var rest = actual[...]
        var mayBeLater = false
        for line in printed {
            if line.trimmingCharacters(in: .whitespaces) == "…" {
                mayBeLater = true
                continue
            }
            guard let index = mayBeLater ? rest.firstIndex(of: line) : rest.first == line ? rest.startIndex : nil else {
                return line
            }
            rest = rest[(index + 1)...]
            mayBeLater = false
        }
        return mayBeLater || rest.isEmpty ? nil : "the end"
    }

    @Test("Each is what the command prints, at a sandbox where one is called", arguments: files)
    func figures(file: String) async throws {
        let figures = try Self.figures(in: file)
        #expect(!figures.isEmpty)
        for var figure in figures {
            var configuration = WalletConnectPaySandbox.Configuration()
            configuration.pollInMs = 10
            let sandbox = WalletConnectPaySandbox(configuration)
            let server = try LoopbackServer(sandbox)
            defer { server.stop() }
            let payment = await sandbox.createPayment(.paidAtOnce)
            // The id and the address are the test's.
            figure.command = figure.command.map {
                $0.hasSuffix("pid=pay_…") ? payment.link : $0 == "http://127.0.0.1:8080" ? server.baseURL.text : $0
            }
            let run = await payroute(figure.command, input: [])
            let breach = Self.breach(of: figure.output, in: Self.lines(run.output))
            #expect(breach == nil, "\(figure.command.joined(separator: " ")) prints otherwise: \(breach ?? "")")
        }
    }

    @Test("A line that is not printed, out of order, or cut off without a mark is found")
    func sharp() {
        let actual = ["a", "b", "c", "d"]
        #expect(Self.breach(of: ["a", "  …", "c", "…"], in: actual) == nil)
        #expect(Self.breach(of: ["a", "c", "d"], in: actual) == "c")
        #expect(Self.breach(of: ["…", "c", "…", "b", "…"], in: actual) == "b")
        #expect(Self.breach(of: ["a", "b"], in: actual) == "the end")
    }
}
