import BitcoinSandbox
import Foundation
import PaymentCore
import PaymentLoopback
import PaymentTesting
import PaymentWallet
import SandboxSupport
import TestSupport
import Testing

@testable import PayrouteCommands

@Suite("--dns")
struct NameOptionTests {
    private static let name = "₿override.x_domain_cname_wild@dnssec_proof_tests.bitcoin.ninja"
    private static let time = Date(timeIntervalSince1970: 1_754_500_000)

    /// A resolver on this machine.
    private struct Service: SandboxService {
        let server: NameServer

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            (try? await server.send(request)) ?? HTTPResponse(status: 500)
        }
    }

    private static let vendors = SandboxVendors([BitcoinVendor()])

    /// Runs the tool in this process.
    private func payroute(_ words: String...) async -> Captured { await payroute(words) }

    private func payroute(_ words: [String]) async -> Captured {
        await Captured(input: []) { output, errors, input in
            let console = Console(
                vendors: Self.vendors, output: output, diagnostics: errors, input: input, environment: { _ in nil })
            return await CommandLineTool.run(words, console).rawValue
        }
    }

    private static func names() throws -> NameServer {
        let file = try JSONValue(parsing: Array(Vectors.data("lib-bip353-dns")))
        return NameServer(
            (file["valid"]?.array ?? []).compactMap { $0["input"]?["proof"]?.string.flatMap { Hex.decode($0) } })
    }

    @Test("Without a resolver it is said what a name needs", arguments: ["pay", "quote"])
    func missing(command: String) async throws {
        let result = await payroute(command, Self.name, "--sandbox", "http://127.0.0.1:9", "--json")
        #expect(result.code == 1 && result.output.contains("'--dns <url>'") && result.output.contains("PAYROUTE_DNS"))
        let usage = await payroute(
            command, Self.name, "--sandbox", "http://127.0.0.1:9", "--dns", "http://dns.example/")
        #expect(usage.code == 64 && usage.errors.contains("--dns"), "what is not encrypted shows the name to others")
    }

    @Test("A name is looked up at the resolver, and quoted with what is proved")
    func quoted() async throws {
        let server = try Self.names()
        let amount = try Money(minorUnits: 1000, currency: .satoshi)
        let session = try PaymentSession(
            Self.vendors, sandbox: try HTTPURL("http://127.0.0.1:9"), wallet: DevelopmentWallet(seed: 1),
            transport: server, clock: VirtualClock(Self.time), names: try HTTPURL("https://dns.example/dns-query"),
            amount: amount
        ) { _ in }
        let (quote, result) = await session.quote(Self.name)
        #expect(quote?.payee.name == Self.name && quote?.amount == amount, "\(result.reason)")
        #expect(quote?.options.map(\.id) == ["bitcoin-address"])
        // A sandbox's coins are worth nothing, and its wallet has no others.
        #expect(quote?.options.first?.unmet.isEmpty == false)
        #expect(server.requests.allSatisfy { $0.url.host == "dns.example" })
    }

    @Test("What is not proved is neither paid nor quoted, and it is said why")
    func refused() async throws {
        let (node, folder) = (SimulatedNode(.lnbits), ScratchFolder())
        let (wallet, resolver) = (try LoopbackServer(node), try LoopbackServer(Service(server: Self.names())))
        defer {
            wallet.stop()
            resolver.stop()
        }
        let key = folder.file("key")
        try Data(SimulatedNode.key.utf8).write(to: URL(filePath: key))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        let words = [
            "--wallet", "lnbits://127.0.0.1:\(wallet.baseURL.port)", "--wallet-key-file", key, "--wallet-network",
            "regtest", "--journal", folder.file("journal"), "--dns", "\(resolver.baseURL.origin)/dns-query",
            "--amount", "1000",
        ]
        // The records are of 2025.
        let old = await payroute(["pay", Self.name] + words)
        #expect(old.code == 1 && old.output.contains("one has run out"), "\(old.output) \(old.errors)")
        let unknown = await payroute(["quote", "₿ann@pay.example"] + words)
        #expect(unknown.code == 1 && unknown.output.contains("there is no payment record of this name"))
        #expect(node.attemptCount == 0)
    }

    @Test("doctor asks a resolver for the root's keys")
    func doctor() async throws {
        let resolver = try LoopbackServer(Service(server: Self.names()))
        defer { resolver.stop() }
        let old = await payroute("doctor", "--json", "--dns", "\(resolver.baseURL.origin)/dns-query")
        #expect(old.code == 1 && old.output.contains(#""state":"bad","what":"dns""#), "\(old.output)")
        #expect(old.output.contains("does not prove the root's keys"))
    }
}
