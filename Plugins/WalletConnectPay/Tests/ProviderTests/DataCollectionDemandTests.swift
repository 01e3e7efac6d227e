import PaymentCore
import Testing

@testable import WalletConnectPayKit
@testable import WalletConnectPayProvider

/// The vendor's decision table (Protocol 5.1), and the effect of random input on the whole folder.
@Suite struct DataCollectionDemandTests {
    static let table: [(isInResponse: Bool, isInOption: Bool, hasPage: Bool, DataCollectionDemand)] = [
        (true, true, true, .page),
        (true, true, false, .form),
        (true, false, false, .notForThisOption),
        (false, false, false, .none),
        // Not in the vendor's table: the option decides.
        (false, true, true, .page),
        (false, true, false, .form),
        // An empty page counts as none.
        (true, false, true, .notForThisOption),
        (false, false, true, .none),
    ]

    @Test("What is demanded follows the vendor's table", arguments: table)
    func decides(_ row: (isInResponse: Bool, isInOption: Bool, hasPage: Bool, DataCollectionDemand)) {
        #expect(
            DataCollectionDemand(isInResponse: row.isInResponse, isInOption: row.isInOption, hasPage: row.hasPage)
                == row.3)
    }

    // MARK: Random input

    /// A small seeded generator (SplitMix64), so that a failure can be repeated.
    struct Seeded: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    static let pieces = [
        "{", "}", "[", "]", "\"type\":", "\"IC_COMPLETE\"", "\"IC_ERROR\"", "\"success\":", "true", "false", "null",
        ",",
        "\"error\":", "\"\u{202E}\"", "\\u0000", "\\ud800", "https://", "http://", "pay.walletconnect.com",
        "evil.example",
        "@", "\\", ":443", ":0", "/", "?", "#", "&", "=", "prefill", "%70", "%", "javascript:", "data:", "wc:",
        "uri=", "payUrl=", "paymentId=", "pay_1", "mywallet://", "\u{0}", "ü", "😀", "\n", " ", "^[A-Z]{2}$",
        "127.0.0.1",
    ]

    @Test("Random input never traps, and strangers are never believed", arguments: 0..<8)
    func neverTrapsAndNeverBelievesStrangers(_ seed: UInt64) throws {
        var random = Seeded(state: seed)
        let page = try DataCollectionPage("https://pay.walletconnect.com/collect/")
        let rules = DataCollectionNavigation(for: page)
        let links = AppLinks(schemes: ["mywallet"], hosts: ["wallet.example"])
        let stranger = WebOrigin(scheme: "https", host: "evil.example", port: 0)
        for _ in 0..<1500 {
            let text = (0..<Int.random(in: 0...12, using: &random))
                .map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
            var bridge = DataCollectionBridge(for: page)
            #expect(bridge.receive(.string(text), from: stranger, isMainFrame: true) == .ignored(.otherOrigin))
            if case .failed(let message) = bridge.receive(.string(text), from: BridgeTests.own, isMainFrame: true) {
                #expect(message.unicodeScalars.count <= 201)
                #expect(!message.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
            }
            if rules.decide(text, in: .main, isLinkFollowed: false) == .stay {
                #expect(try HTTPURL(text).authority == "pay.walletconnect.com")
            }
            if rules.decide(text, in: .main, isLinkFollowed: true) == .openOutside {
                #expect(text.lowercased().hasPrefix("https://") && !text.contains("@evil"))
            }
            if let page = try? DataCollectionPage(text) {
                #expect(DataCollectionPage.hosts.contains(page.origin.host))
                #expect(page.origin.scheme == "https" && page.origin.port == 443)
            }
            if let inner = links.unwrap(text) { #expect(LinkReading.routed(try PaymentLink(inner)) != nil) }
            _ = try? DataForm(schema: .string(text)).errors(in: ["x": Redacted(text)])
            _ = TextPattern(text)?.matches(text)
            _ = TagRecord.link(uriPayload: Array(text.utf8))
        }
    }
}
