import Foundation
import PaymentCore
import PaymentLoopback
import PaymentTransport
import TestSupport
import Testing
import WalletConnectPaySandbox

/// The command `payroute serve`, as a process.
@Suite("The command serve", .timeLimit(.minutes(2)))
struct ServeCommandTests {
    @Test("It says where it is called and how it ends, and warns without tokens", arguments: [true, false])
    func process(hasTokens: Bool) async throws {
        let folder = ScratchFolder()
        let (file, tokens) = (folder.file("ready.json"), folder.file("tokens"))
        let line = "ann \(String(repeating: "0", count: 64)) read\n"
        let isMade = FileManager.default.createFile(
            atPath: tokens, contents: Data(line.utf8), attributes: [.posixPermissions: 0o600])
        try #require(isMade)
        let sandbox = try LoopbackServer(WalletConnectPaySandbox())
        defer { sandbox.stop() }
        let words = ["--journal", folder.file("journal"), "--sandbox", sandbox.baseURL.text, "--ready-file", file]
        let program = try Program(["serve"] + words + (hasTokens ? ["--tokens", tokens] : []))
        while !FileManager.default.fileExists(atPath: file) { await Task.yield() }
        let ready = try JSONValue(parsing: Array(try Data(contentsOf: URL(filePath: file))))
        let url = try #require(ready["url"]?.string)
        let request = HTTPRequest(.get, try HTTPURL(url + "/openapi.json"))
        let status = try await StandardTransport().send(request).status
        program.signal(SIGTERM)
        let lines = await program.lines.reduce(into: []) { $0.append($1) }
        let (code, errors) = await program.end()
        #expect(code == 0 && status == (hasTokens ? 401 : 200))
        #expect(lines == ["API at \(url), described at /openapi.json", "Ctrl-C stops it."])
        #expect(errors.contains("Every program of this machine can pay here") != hasTokens, "\(errors)")
        #expect(!FileManager.default.fileExists(atPath: file))
    }
}
