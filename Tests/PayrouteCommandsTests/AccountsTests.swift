import Foundation
import PaymentCore
import PaymentLoopback
import PaymentTesting
import SandboxSupport
import TestSupport
import Testing

@testable import PayrouteCommands

/// `--accounts`: the ``Shop`` as a real service, at the address of an account.
@Suite("accounts at the services")
struct AccountsTests {
    private let folder = ScratchFolder()
    private static let vendors = SandboxVendors([ShopVendor()])

    /// Writes a file, which only its owner may read unless `mode` says otherwise.
    private func write(_ text: String, _ name: String, mode: Int = 0o600) throws {
        let path = folder.file(name)
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// Writes the accounts and a key.
    ///
    /// - Returns: The words of a line that names them.
    private func place(_ accounts: JSONValue, mode: Int = 0o600, key: String = "sk-shop") throws -> [String] {
        try write(key + "\n", "key")
        try write(accounts.text, "accounts.json", mode: mode)
        return ["--accounts", folder.file("accounts.json"), "--journal", folder.file("journal")]
    }

    private static func account(_ url: String) -> JSONValue { ["shop": ["url": .string(url), "keyFile": "key"]] }

    private func run(_ words: [String]) async -> Captured { await payroute(words, input: [], vendors: Self.vendors) }

    @Test("doctor asks the service of an account whether it knows the merchant, and prints no key")
    func doctor() async throws {
        let server = try LoopbackServer(Shop())
        defer { server.stop() }
        for (key, state) in [("sk-shop", "ok"), ("sk-other", "bad")] {
            let words = try place(Self.account(server.baseURL.text), key: key).prefix(2)
            let result = await run(["doctor", "--json"] + words)
            let finding = try result.objects.first { $0["what"] == "shop account" }
            #expect(finding?["state"]?.string == state, "\(result)")
            // A build of this suite alone has not every library.
            let isSound = try result.objects.allSatisfy { $0["state"] == "ok" }
            #expect(result.code == (isSound ? 0 : 1), "\(result)")
            #expect(!(result.output + result.errors).contains("sk-"))
        }
    }

    @Test("A merchant refunds with an account, once, and asks for the status")
    func refund() async throws {
        let shop = Shop()
        let server = try LoopbackServer(shop)
        defer { server.stop() }
        let words = try place(Self.account(server.baseURL.text)) + ["--json"]
        for _ in 0..<2 {
            let refunded = await run(["refund", "https://shop.example/order/7", "--amount", "1.00 EUR"] + words)
            #expect(refunded.code == 0, "\(refunded)")
        }
        #expect(await shop.refunds(of: "7") == 1)
        let status = await run(["status", "https://shop.example/order/7"] + words)
        #expect(status.output.contains(#""outcome":"pending""#), "\(status)")
    }

    @Test("serve pays at the address of an account, and its callers are the payers")
    func served() async throws {
        let shop = Shop()
        let server = try LoopbackServer(shop)
        defer { server.stop() }
        let line = try ParsedArguments(try place(Self.account(server.baseURL.text)), for: ServeCommand.syntax)
        let api = try await ServeCommand.api(line, ServedShop.console, tokens: nil)
        let body: JSONValue = ["link": "https://shop.example/order/7", "option": "tab"]
        #expect(try await api.pay(body)["outcome"]?["outcome"] == "succeeded")
        #expect(await shop.charges(of: "7") == 1)
    }

    @Test(
        "A file that cannot be used is refused with the place of its fault",
        arguments: [
            (#"{"stripe":{}}"#, "no service 'stripe' has accounts; these have: shop"),
            (#"{"shop":[]}"#, "shop: give an object"), (#"[]"#, "it is not a JSON object"),
            (#"{"shop":{"url":"https://a.example","key":"sk-shop"}}"#, "shop: it has no member 'key'"),
            (#"{"shop":{"url":"https://a.example"}}"#, "shop: keyFile is missing"),
            (#"{"shop":{"url":7,"keyFile":"key"}}"#, "shop: url is not a text"),
            (#"{"shop":{"url":"http://a.example","keyFile":"key"}}"#, "shop: "),
            (#"{"shop":{"url":"https://a.example","keyFile":"none"}}"#, "none cannot be used"),
            (
                #"{"shop":{"url":"https://a.example","keyFile":"key","certificateFile":"key"}}"#,
                "shop: certificateFile and certificateKeyFile belong together"
            ),
            (
                #"{"shop":{"url":"https://a.example","keyFile":"key","certificateFile":"key","certificateKeyFile":"key"}}"#,
                "shop: the client's certificate: no certificate in it"
            ),
            (#"{"shop":{"url":"https://a.example","url":"https://b.example","keyFile":"key"}}"#, "twice"),
        ])
    func faults(text: String, message: String) async throws {
        let words = try place([:])
        try write(text, "accounts.json")
        let result = await run(["status", "shop/7"] + words)
        #expect(result.code == 1 && result.errors.contains(message), "\(result)")
        #expect(!result.errors.contains("sk-shop"))
    }

    @Test("Real money needs a journal, no sandbox, no simulated wallet, and files that others cannot touch")
    func guards() async throws {
        let words = try place(Self.account("http://127.0.0.1:1"))
        func errors(_ more: [String], dropping dropped: Int = 0) async -> String {
            await run(["refund", "shop/7", "--amount", "1.00 EUR"] + words.dropLast(dropped) + more).errors
        }
        #expect(await errors([], dropping: 2).contains("Real money needs '--journal <file>'"))
        #expect(await errors(["--sandbox", "http://127.0.0.1:1"]).contains("exclude each other"))
        let status = await run(["status", "shop/7", "--wallet", "1"] + words)
        #expect(status.errors.contains("A development wallet is for the sandbox only"))
        try write("sk-shop\n", "key", mode: 0o604)
        #expect(await errors([]).contains("other users of this machine may read it"))
        _ = try place(Self.account("http://127.0.0.1:1"), mode: 0o622)
        #expect(await errors([]).contains("other users of this machine may change it"))
    }
}
