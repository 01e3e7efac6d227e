import PaymentCore
import Testing

@testable import WalletConnectPayKit
@testable import WalletConnectPayProvider

/// The allowed addresses of the web view with the form (Protocol 5.3).
@Suite struct NavigationTests {
    typealias Decision = DataCollectionNavigation.Decision

    /// For each address: in the page itself if the payer follows a link; by a script, a redirect, or as the first page;
    /// in an inner frame; in a new window if the payer follows a link.
    static let table: [(String, link: Decision, other: Decision, inner: Decision, new: Decision)] = [
        ("https://pay.walletconnect.com/collect/?pid=pay_1", .stay, .stay, .stay, .openOutside),
        ("https://pay.walletconnect.com/collect/?pid=pay_1#terms", .stay, .stay, .stay, .openOutside),
        ("https://pay.walletconnect.com", .stay, .stay, .stay, .openOutside),
        ("https://PAY.walletconnect.com:443/next", .stay, .stay, .stay, .openOutside),
        ("https://reown.com/terms-of-service", .openOutside, .block, .stay, .openOutside),
        ("https://reown.com/privacy-policy", .openOutside, .block, .stay, .openOutside),
        ("https://staging.pay.walletconnect.com/", .openOutside, .block, .stay, .openOutside),
        ("https://pay.walletconnect.com.evil.example/", .openOutside, .block, .stay, .openOutside),
        ("https://evilpay.walletconnect.com/", .openOutside, .block, .stay, .openOutside),
        ("https://evil.example/?pay.walletconnect.com", .openOutside, .block, .stay, .openOutside),
        ("https://pay.walletconnect.com:8443/", .openOutside, .block, .stay, .openOutside),
        ("http://pay.walletconnect.com/collect/", .block, .block, .block, .block),
        ("http://reown.com/terms-of-service", .block, .block, .block, .block),
        ("https://pay.walletconnect.com@evil.example/", .block, .block, .block, .block),
        ("https://user:pass@pay.walletconnect.com/", .block, .block, .block, .block),
        ("https://pay.walletconnect.com\\@evil.example/", .block, .block, .block, .block),
        ("https://pay.walletconnect.com./", .block, .block, .block, .block),
        ("https:///", .block, .block, .block, .block),
        ("https:pay.walletconnect.com", .block, .block, .block, .block),
        ("https%3A%2F%2Fpay.walletconnect.com%2F", .block, .block, .block, .block),
        ("javascript:alert(1)", .block, .block, .block, .block),
        ("JavaScript:alert(1)", .block, .block, .block, .block),
        ("java\nscript:alert(1)", .block, .block, .block, .block),
        ("data:text/html,<script>alert(1)</script>", .block, .block, .block, .block),
        ("file:///etc/passwd", .block, .block, .block, .block),
        ("blob:https://pay.walletconnect.com/0", .block, .block, .block, .block),
        ("view-source:https://pay.walletconnect.com/", .block, .block, .block, .block),
        ("about:blank", .block, .block, .stay, .block),
        ("about:srcdoc", .block, .block, .stay, .block),
        ("about:config", .block, .block, .block, .block),
        ("ftp://pay.walletconnect.com/", .block, .block, .block, .block),
        ("ws://pay.walletconnect.com/", .block, .block, .block, .block),
        ("wc:abc@2?pay=https%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3Dpay_1", .block, .block, .block, .block),
        ("mywallet://pay?paymentId=pay_1", .block, .block, .block, .block),
        ("itms-apps://apps.apple.com/x", .block, .block, .block, .block),
        ("mailto:a@b.example", .block, .block, .block, .block),
        ("tel:+1", .block, .block, .block, .block),
        ("//pay.walletconnect.com/", .block, .block, .block, .block),
        ("/collect", .block, .block, .block, .block),
        ("pay.walletconnect.com", .block, .block, .block, .block),
        (" https://pay.walletconnect.com/", .block, .block, .block, .block),
        ("https://pау.walletconnect.com/", .block, .block, .block, .block),
        (":", .block, .block, .block, .block),
        ("", .block, .block, .block, .block),
    ]

    @Test("The form's page stays where it belongs", arguments: table)
    func decides(_ row: (String, link: Decision, other: Decision, inner: Decision, new: Decision)) throws {
        let rules = DataCollectionNavigation(for: try DataCollectionPage("https://pay.walletconnect.com/collect/"))
        #expect(rules.decide(row.0, in: .main, isLinkFollowed: true) == row.link)
        #expect(rules.decide(row.0, in: .main, isLinkFollowed: false) == row.other)
        for isLinkFollowed in [true, false] {
            #expect(rules.decide(row.0, in: .inner, isLinkFollowed: isLinkFollowed) == row.inner)
        }
        #expect(rules.decide(row.0, in: .new, isLinkFollowed: true) == row.new)
        #expect(rules.decide(row.0, in: .new, isLinkFollowed: false) == .block)
    }

    static let onLoopback: [(String, Decision)] = [
        ("http://127.0.0.1:8080/next", .stay),
        ("http://127.0.0.1:8081/next", .block),
        ("https://127.0.0.1:8080/next", .openOutside),
        ("http://localhost:8080/", .block),
        ("http://evil.example/", .block),
        ("https://reown.com/privacy-policy", .openOutside),
    ]

    @Test("A sandbox's page stays on its own origin", arguments: onLoopback)
    func decidesOnLoopback(_ address: String, _ decision: Decision) throws {
        let page = try DataCollectionPage("http://127.0.0.1:8080/collect", allowsLoopback: true)
        #expect(DataCollectionNavigation(for: page).decide(address, in: .main, isLinkFollowed: true) == decision)
    }

    @Test("Long addresses are blocked")
    func longAddressesAreBlocked() throws {
        let rules = DataCollectionNavigation(for: try DataCollectionPage("https://pay.walletconnect.com/"))
        let address = "https://pay.walletconnect.com/" + String(repeating: "a", count: 1_000_000)
        #expect(rules.decide(address, in: .main, isLinkFollowed: false) == .block)
    }
}
