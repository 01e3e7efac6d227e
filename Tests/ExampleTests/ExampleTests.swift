import Foundation
import TestSupport
import Testing

/// The exact output of the examples.
@Suite struct ExampleTests {
    private func output(of example: String) async throws -> String {
        let executable: URL = try #require(Program.url(example))
        let run = try await Program.run(executable: executable)
        #expect(run.code == 0, "\(run.errors)")
        return run.output
    }

    @Test("The quick start")
    func quickStart() async throws {
        #expect(
            try await output(of: "quick-start") == """
                https://pay.walletconnect.com/?pid=pay_123 -> claimed by walletconnect-pay \
                (https://(*.)pay.walletconnect.com/)
                https://pay.walletconnect.com.evil.example/?pid=pay_123 -> this looks like pay.walletconnect.com but is \
                not: the address belongs to evil.example

                """)
    }

    /// The program ends while its transport's thread is still starting. One run in a hundred failed when libcrypto
    /// freed its state meanwhile.
    @Test("Programs end cleanly")
    func programsEndCleanly() async throws {
        let executable: URL = try #require(Program.url("quick-start"))
        for _ in 0..<100 { #expect(try await Program.run(executable: executable).code == 0) }
    }

    @Test("The custom provider")
    func customProvider() async throws {
        #expect(
            try await output(of: "custom-provider") == """
                https://coffee.example/order/42
                  claimed by coffee (https://coffee.example/order)
                https://coffee.example/menu
                  no registered provider claims links to coffee.example
                https://pay.walletconnect.com/?pid=pay_95a2ecc101KEYG1NH580DF2J04MBNRWE7V
                  claimed by walletconnect-pay (https://(*.)pay.walletconnect.com/)
                paying order 42: paid
                paying it again: paid
                the gateway was asked to pay 1 time

                """)
    }

    @Test("The custom provider is small")
    func customProviderIsSmall() throws {
        let source = try text("Examples/custom-provider/CoffeeProvider.swift")
        #expect(source.count { $0 == "\n" } <= 40)
    }

    @Test(
        "Prints what its file says",
        arguments: [
            "route-links", "stored-instrument-checkout", "wallet-checkout", "citcon-order", "payrails-merchant",
            "merchant-checkout", "paykit-contacts", "auto-pay", "subscriptions", "own-provider", "own-store",
            "claim-a-standard",
            "crash-recovery", "merchant-server", "progress", "pay-a-lightning-address",
        ])
    func printsWhatItsFileSays(_ example: String) async throws {
        // Times differ from run to run.
        let time = try Regex(#"until [0-9:]{8} UTC on [0-9-]{10}, in [0-9]+ [a-z]+"#)
        let printed = try await output(of: example).replacing(time, with: "until TIME")
        #expect(Self.lines(printed) == Self.lines(try text("Examples/\(example)/expected-output.txt")))
    }

    @Test("An application that is a separate package")
    func standaloneApp() async throws {
        let folder = "Examples/standalone-app"
        let printed = try await output(of: "standalone-app")
        #expect(printed == (try text("\(folder)/expected-output.txt")))
        // It is built here as a target and in `.ci/standalone` as a package: both name the same libraries.
        let manifest = try text("\(folder)/Package.swift")
        let products = manifest.matches(of: /\.product\(name: "(\w+)"/).map { String($0.1) }
        let imports = try text("\(folder)/Sources/standalone-app/main.swift").matches(of: /(?m)^import (\w+)$/)
        #expect(products.sorted() == imports.map { String($0.1) })
    }

    @Test("The index of the examples names every one of them, and nothing else")
    func index() throws {
        let folders = try FileManager.default.contentsOfDirectory(
            at: Self.root.appending(path: "Examples"), includingPropertiesForKeys: [.isDirectoryKey]
        ).filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }.map(\.lastPathComponent)
        let named = try text("Examples/README.md").matches(of: /(?m)^\| \[([a-z-]+)\]\(([a-z-]+)\) \|/)
        #expect(named.map { String($0.1) } == named.map { String($0.2) })
        #expect(named.map { String($0.1) }.sorted() == folders.sorted())
    }

    /// The code in the README is the quick start, which the build compiles and the test above runs.
    @Test("README shows the quick start")
    func readmeShowsTheQuickStart() throws {
        let readme = try text("README.md")
        let start = try #require(readme.range(of: "```swift\n"))
        let end = try #require(readme.range(of: "```\n", range: start.upperBound..<readme.endIndex))
        #expect(readme[start.upperBound..<end.lowerBound] == (try text("Examples/quick-start/main.swift")))
    }

    private static func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    private static let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
}
