import Foundation
import PaymentCore
import PaymentTransport
import TestSupport
import Testing

/// The programs that the sandbox's home page offers to copy: each is copied from the page, and run.
@Suite("The programs of the sandbox's home page") struct HomeSnippetTests {
    private let folder = ScratchFolder()

    /// Starts a sandbox, and passes its address and the page's programs, as a browser copies them.
    private func visit(_ work: (String, [String: String]) async throws -> Void) async throws {
        let file = folder.file("ready.json")
        let program = try Program(["sandbox", "--port", "0", "--ready-file", file])
        for await line in program.lines where line == "Ctrl-C stops it." { break }
        let ready = try await Program.ready(in: file)
        let base = try #require(ready["url"]?.string)
        let answer = try await StandardTransport().send(HTTPRequest(.get, try HTTPURL(base)))
        let page = String(decoding: answer.body, as: UTF8.self)
        var snippets: [String: String] = [:]
        for match in page.matches(of: /data-copy="([^"]*)" hidden>Copy (\w+)</) {
            var text = String(match.output.1)
            for (name, mark) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
                text = text.replacing(name, with: mark)
            }
            snippets[String(match.output.2)] = text
        }
        do { try await work(base, snippets) } catch {
            program.signal(SIGTERM)
            _ = await program.end()
            throw error
        }
        program.signal(SIGTERM)
        #expect(await program.end().code == 0)
    }

    /// Returns the first program of this name in `PATH`.
    private static func tool(_ name: String) -> URL? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { URL(filePath: String($0)).appending(path: name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    @Test(
        "Each runs as copied, and its payment is paid",
        arguments: [
            ("Shell", "bash", "succeeded"), ("curl", "bash", "\"events\":[\"created\"]"),
            ("JavaScript", "node", " succeeded\n"), ("Python", "python3", " succeeded\n"),
        ])
    func runs(_ name: String, _ tool: String, _ ending: String) async throws {
        guard let executable = Self.tool(tool) else {
            return print("\(tool) is not installed; its program was not run")
        }
        try await visit { base, snippets in
            #expect(Set(snippets.keys) == ["address", "Shell", "curl", "Swift", "JavaScript", "Python"])
            let file = folder.file("program")
            try Data(try #require(snippets[name]).utf8).write(to: URL(filePath: file))
            let own = try #require(Program.url("payroute")).deletingLastPathComponent().path
            let path = "\(own):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
            let run = try await Program.run(file, environment: ["PATH": path], executable: executable)
            #expect(run.code == 0 && run.output.contains(ending), "\(run.output) \(run.errors)")
            let answer = try await StandardTransport().send(
                HTTPRequest(.get, try HTTPURL(base + "/_sandbox/ledger")))
            let events = try JSONValue(parsing: answer.body)["ledger"]?[0]?["events"]?.array ?? []
            #expect(events.count { $0 == "captured" } == (name == "curl" ? 0 : 1))
        }
    }

    @Test("The Swift program is the example, which runs and pays")
    func swift() async throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Examples/sandbox-payment/main.swift")
        let example = try String(contentsOf: source, encoding: .utf8)
        let executable = try #require(Program.url("sandbox-payment"))
        try await visit { base, snippets in
            #expect(snippets["Swift"].map { $0 + "\n" } == example.replacing("http://127.0.0.1:8080", with: base))
            let run = try await Program.run(base, executable: executable)
            #expect(run.code == 0 && run.output.hasPrefix("paid "), "\(run.output) \(run.errors)")
        }
    }

    @Test("The playground's examples are sound, and one of them is a look-alike")
    func examples() async throws {
        try await visit { base, _ in
            func page(_ path: String) async throws -> String {
                let answer = try await StandardTransport().send(HTTPRequest(.get, try HTTPURL(base + path)))
                return String(decoding: answer.body, as: UTF8.self)
            }
            var decisions: [String: Int] = [:]
            for match in try await page("/playground").matches(of: /href="(\/playground\?text=[^"]+)"/) {
                let shown = try await page(String(match.output.1).replacing("&amp;", with: "&"))
                decisions[String(try #require(shown.firstMatch(of: /id="decision">(\w+)</)).output.1), default: 0] += 1
            }
            #expect(decisions == ["matched": 1, "recognized": 4, "unroutable": 1])
        }
    }
}
