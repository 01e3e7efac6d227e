import BitcoinSandbox
import Foundation
import PaymentCore
import PaymentLoopback
import PaymentTesting
import TestSupport
import Testing

@testable import PayrouteCommands

@Suite("a wallet of one's own")
struct OwnWalletTests {
    private static let kinds: [(SimulatedNode.Face, String)] = [
        (.lnbits, "lnbits"), (.lnd, "lnd+http"), (.coreLightning, "cln+http"), (.phoenixd, "phoenixd"),
    ]

    /// A node on this machine, and the words of a line that pays from it.
    private struct Place {
        let node: SimulatedNode
        let server: LoopbackServer
        let words: [String]
        private let folder = ScratchFolder()

        init(_ face: SimulatedNode.Face, _ scheme: String, key: String = SimulatedNode.key) throws {
            node = SimulatedNode(face)
            server = try LoopbackServer(node)
            let file = folder.file("key")
            try Data((key + "\n").utf8).write(to: URL(filePath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            words = [
                "--wallet", "\(scheme)://127.0.0.1:\(server.baseURL.port)", "--wallet-key-file", file,
                "--wallet-network", "regtest", "--journal", folder.file("journal"),
            ]
        }
    }

    @Test("An invoice is paid once by each kind of wallet, and its key is printed nowhere", arguments: kinds)
    func pays(face: SimulatedNode.Face, scheme: String) async throws {
        let place = try Place(face, scheme)
        defer { place.server.stop() }
        let invoice = try place.node.invoice(21_000)
        for _ in 0..<2 {
            let result = await payroute(["pay", invoice.text, "--json"] + place.words, input: [])
            #expect(try result.ending["outcome"] == "succeeded", "\(result.output) \(result.errors)")
            #expect(result.code == 0)
            #expect(!(result.output + result.errors).contains(SimulatedNode.key))
        }
        #expect(place.node.attemptCount == 1)
        let status = await payroute(["status", "bitcoin/\(invoice.hash)"] + place.words, input: [])
        #expect(status.code == 0, "\(status.output) \(status.errors)")
    }

    @Test("What the wallet refuses is not called paid, and what is in flight stays unknown until it says")
    func others() async throws {
        let place = try Place(.lnbits, "lnbits")
        defer { place.server.stop() }
        place.node.scenario = .refuses
        let refused = await payroute(["pay", try place.node.invoice(21_000).text, "--json"] + place.words, input: [])
        #expect(try ["failed", "declined"].contains(refused.ending["outcome"]?.string), "\(refused.output)")
        #expect(refused.code == 1)
        place.node.scenario = .staysInFlight
        let open = await payroute(["pay", try place.node.invoice(21_000).text, "--json"] + place.words, input: [])
        #expect(try open.ending["outcome"] == "unknown", "\(open.output)")
        #expect(open.code == 1)
    }

    @Test("Limits hold for it as for any payer")
    func limits() async throws {
        let place = try Place(.phoenixd, "phoenixd")
        defer { place.server.stop() }
        let words = place.words + ["--auto-within", "30 sat/day", "--json"]
        let first = await payroute(["pay", try place.node.invoice(21_000).text] + words, input: [])
        #expect(try first.ending["outcome"] == "succeeded", "\(first.output) \(first.errors)")
        let second = await payroute(["pay", try place.node.invoice(21_000).text] + words, input: [])
        #expect(try second.ending["outcome"] != "succeeded")
        #expect(place.node.attemptCount == 1)
    }

    @Test("doctor asks the wallet", arguments: kinds)
    func doctor(face: SimulatedNode.Face, scheme: String) async throws {
        let place = try Place(face, scheme)
        defer { place.server.stop() }
        let words = place.words.dropLast(2) + ["--json"]
        let good = await payroute(["doctor"] + words, input: [])
        let finding = try good.objects.first { $0["what"] == "wallet" }
        #expect(finding?["state"] == "ok", "\(good.output)")
        let wrong = try Place(face, scheme, key: "00ff00ff")
        defer { wrong.server.stop() }
        let bad = await payroute(["doctor"] + wrong.words.dropLast(2) + ["--json"], input: [])
        #expect(try bad.objects.first { $0["what"] == "wallet" }?["state"] == "bad", "\(bad.output)")
        #expect(!bad.output.contains("00ff00ff") && bad.code == 1)
    }

    @Test("A line that could pay twice, or show the key, is refused before anything is sent")
    func refusals() async throws {
        let place = try Place(.lnbits, "lnbits")
        defer { place.server.stop() }
        let invoice = try place.node.invoice(21_000).text
        let withoutJournal = await payroute(["pay", invoice] + place.words.dropLast(2), input: [])
        #expect(withoutJournal.code == 64 && withoutJournal.errors.contains("from being made twice"))
        let sandbox = await payroute(["pay", invoice, "--sandbox", "http://127.0.0.1:1"] + place.words, input: [])
        #expect(sandbox.code == 64 && sandbox.errors.contains("exclude each other"))
        for address in ["lnbits+http://node.example", "ftp://node.example", "lnbits://", "lnbits://a/?k=v"] {
            let result = await payroute(["pay", invoice] + place.words + ["--wallet", address], input: [])
            #expect(result.code == 64, "\(address): \(result.output) \(result.errors)")
        }
        let file = place.words[3]
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        let readable = await payroute(["pay", invoice] + place.words, input: [])
        #expect(readable.code != 0 && readable.errors.contains("chmod 600"))
        #expect(place.node.attemptCount == 0)
    }
}
