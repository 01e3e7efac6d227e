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
        let url = try #require(try await Program.ready(in: file)["url"]?.string)
        let request = HTTPRequest(.get, try HTTPURL(url + "/openapi.json"))
        let status = try await StandardTransport().send(request).status
        program.signal(SIGTERM)
        let ended = await program.captured()
        #expect(ended.code == 0 && status == (hasTokens ? 401 : 200))
        #expect(ended.lines == ["API at \(url), described at /openapi.json", "Ctrl-C stops it."])
        #expect(ended.errors.contains("Every program of this machine can pay here") != hasTokens, "\(ended)")
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test("A server that is asked to end waits for its payments, and is not ready for others")
    func drained() async throws {
        let (folder, sandbox) = (ScratchFolder(), WalletConnectPaySandbox())
        let gate = GatedService(sandbox, holding: "/confirm")
        let gateway = try LoopbackServer(gate)
        defer { gateway.stop() }
        let (file, link) = (folder.file("ready.json"), JSONValue.string(await sandbox.createPayment().link))
        let program = try Program([
            "serve", "--wallet", "1", "--journal", folder.file("journal"), "--sandbox", gateway.baseURL.text,
            "--ready-file", file, "--drain", "600",
        ])
        defer { program.signal(SIGKILL) }
        let url = try #require(try await Program.ready(in: file)["url"]?.string)
        func call(_ method: HTTPRequest.Method, _ path: String, _ body: JSONValue?) async throws -> HTTPResponse {
            try await StandardTransport().send(
                HTTPRequest(
                    method, try HTTPURL(url + path), headers: ["Idempotency-Key": "k"],
                    body: body?.serialized() ?? []))
        }
        let quote = try JSONValue(parsing: try await call(.post, "/v1/quotes", ["link": link]).body)
        let option = try #require(quote["options"]?.array?.first { $0["unmet"] == [] }?["id"], "\(quote.text)")
        let order: JSONValue = ["quote": try #require(quote["id"]), "option": option]
        #expect(try await call(.post, "/v1/payments", order).status == 201)
        for await _ in gate.arrivals { break }
        program.signal(SIGTERM)
        let begun = ContinuousClock.now
        while try await call(.get, "/ready", nil).status != 503 {
            try #require(ContinuousClock.now - begun < .seconds(20), "it does not end")
        }
    }
}
