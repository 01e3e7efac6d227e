import PaymentCore
import PaymentRouting
import TestSupport
import Testing
import WalletConnectPayProvider

/// The verified links, and that no look-alike is verified (Protocol 6.5).
@Suite struct LinkTrustTests {
    static let router = try! PaymentRouter(
        registry: ProviderRegistry([WalletConnectPayProvider(configuration: GatewayConfiguration(appID: "test"))]),
        transport: Unreachable(), journal: InMemoryJournal())

    static let verified: [(String, String)] = [
        ("https://pay.walletconnect.com/?pid=pay_123", "pay_123"),
        ("https://pay.walletconnect.com/pay_123", "pay_123"),
        ("https://pay.walletconnect.com//pay_123", "pay_123"),
        ("https://pay.walletconnect.com:443/pay_123", "pay_123"),
        ("HTTPS://PAY.WALLETCONNECT.COM/?pid=pay_1", "pay_1"),
        ("https://staging.pay.walletconnect.com/?pid=pay_123", "pay_123"),
        ("https://pay.walletconnect.com/pay_123?foo=bar", "pay_123"),
        ("https://pay.walletconnect.com/collect/?pid=pay_123&accounts=eip155%3A1%3A0xF977", "pay_123"),
        ("https://pay.wct.me/123", "https%3A%2F%2Fpay.wct.me%2F123"),
        ("https://pay.wct.me/abc_xyz", "https%3A%2F%2Fpay.wct.me%2Fabc_xyz"),
        ("https%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3Dpay_123", "pay_123"),
        ("wc:abc@2?pay=https%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3Dpay_123", "pay_123"),
        ("wc:abc@2?pay=https://pay.walletconnect.com/?pid=pay_123", "pay_123"),
        ("WC:abc@2?relay-protocol=irn&symKey=xyz&pay=https%3A%2F%2Fpay.wct.me%2F123", "https%3A%2F%2Fpay.wct.me%2F123"),
        ("wc%3Aabc%402%3Fpay%3Dhttps%253A%252F%252Fpay.walletconnect.com%252F%253Fpid%253Dpay_1", "pay_1"),
    ]

    @Test("The service's own links are verified", arguments: verified)
    func verifies(_ text: String, _ id: String) throws {
        let route = try Self.router.matched(text)
        #expect(route.match.trust == .verified)
        #expect(route.match.reference == id)
        #expect(route.match.role == .payment)
        #expect(Self.router.route(route.link) == .matched(route))
    }

    static let doubtful: [(String, String)] = [
        ("pay_123", "bare id"),
        ("http://pay.walletconnect.com/pay_123", "plain http"),
        ("https://pay.walletconnect.com/?pid=pay_1&pid=pay_2", "more than once"),
        ("https://pay.walletconnect.com/?pid=pay_1&%70id=pay_2", "more than once"),
        ("https://pay.walletconnect.com/?pid=pay_1&PID=pay_2", "more than once"),
        ("https://pay.walletconnect.com/pay_1?pid=pay_2", "different payments"),
        ("https://pay.walletconnect.com/%70ay_1?pid=pay_2", "different payments"),
        ("https://pay.walletconnect.com/%2570ay_1?pid=pay_2", "different payments"),
        ("https://pay.walletconnect.com/x/p%61y_1?pid=pay_2", "different payments"),
        ("https://pay.walletconnect.com/pay%5F1?pid=pay_2", "different payments"),
        ("https://pay.walletconnect.com/pay%255F1?pid=pay_2", "different payments"),
        ("https://pay.walletconnect.com/pay_123/", "malformed"),
        ("https://pay.walletconnect.com/?pid=checkout", "malformed"),
        ("https://pay.walletconnect.com/pay_123/cancel", "malformed"),
        ("https://pay.walletconnect.com/pay_123%2Fcancel", "malformed"),
        ("https://pay.walletconnect.com/?pid=pay_123%2Fcancel", "malformed"),
        ("https://pay.walletconnect.com/?pid=pay_1/../pay_2", "malformed"),
        ("https://pay.walletconnect.com/x/../pay_123", "malformed"),
        ("https://pay.walletconnect.com/./pay_123", "malformed"),
        ("https://pay.walletconnect.com/?pid=..%2Fpay_123", "malformed"),
        ("https://pay.walletconnect.com/?pid=pay_1%00", "malformed"),
        ("https://pay.walletconnect.com/?pid=pay_1%0Acancel", "malformed"),
        ("https://pay.wct.me/a/../b", "not a plain short link"),
        ("https://pay.wct.me/..", "not a plain short link"),
        ("wc:abc@2?pay=https%3A%2F%2Fpay.walletconnect.com%2Fpay_123%2Fcancel", "malformed"),
        ("wc:abc@2?symKey=b0487747&pay=wc%3Adef%402%3FsymKey%3Dc1598858", "malformed"),
        ("https://pay.walletconnect.com/?pid=pay_1%202", "malformed"),
        ("https://pay.walletconnect.com/?x=a%26pid%3Dpay_2&pid=pay_1", "different ids"),
        ("wc:abc@2?pay=https%3A%2F%2Fevil.example%2F%3Fpid%3Dpay_123", "does not lead"),
        ("wc:abc@2?pay=http%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3Dpay_123", "does not lead"),
        ("wc:abc@2?pay=https%3A%2F%2Fpay.walletconnect.com%2Fpay_1&pay=https%3A%2F%2Fx.example", "more than once"),
    ]

    @Test("Doubtful links are reported with a reason", arguments: doubtful)
    func doubts(_ text: String, _ reason: String) throws {
        guard case .unverified(let why) = try Self.router.matched(text).match.trust else {
            Issue.record("\(text) is trusted")
            return
        }
        #expect(why.contains(reason), "\(why)")
    }

    /// Consent to a doubtful link does not make a valid id of an invalid one.
    @Test(
        "What cannot be an id names no payment",
        arguments: [
            "https://pay.walletconnect.com/pay_123/cancel", "https://pay.walletconnect.com/?pid=pay_123%2Fcancel",
            "https://pay.walletconnect.com/?pid=pay_1/../pay_2", "https://pay.walletconnect.com/?pid=..%2Fpay_123",
            "https://pay.walletconnect.com/?pid=pay_1%00x", "https://pay.walletconnect.com/?pid=pay_1%1Bx",
            "https://pay.walletconnect.com/?pid=pay_1%C2%85", "https://pay.walletconnect.com/?pid=..",
            "https://pay.walletconnect.com/?pid=%252e%252e%252fpay_1", "https://pay.walletconnect.com/pay_123/",
            "wc:abc@2?pay=https%3A%2F%2Fpay.walletconnect.com%2Fpay_123%2Fcancel",
            "wc:abc@2?symKey=b0487747&pay=wc%3Adef%402%3FsymKey%3Dc1598858",
        ])
    func namesNoPayment(_ text: String) throws {
        let route = try Self.router.matched(text)
        #expect(route.match.trust != .verified)
        #expect(route.match.reference == nil)
    }

    @Test("Dot segments give the id that the vendor reads")
    func dotSegmentsGiveTheIdThatTheVendorReads() throws {
        let link = "https://pay.walletconnect.com/x/../pay_123"
        #expect(try Self.router.matched(link).match.reference == "pay_123")
    }

    static let unroutable = [
        "wc:abc123@2?relay-protocol=irn&symKey=xyz", "https://pay.walletconnect.com/", "https://pay.walletconnect.com",
        "https://pay.walletconnect.com:8443/?pid=pay_1", "https://fakepay.walletconnect.com/?pid=pay_1",
        "https://pay.walletconnect.org/?pid=pay_1", "https://payments.example.com/process", "hello", "pay_1?x=1",
        "pay%5F123", "ftp://pay.walletconnect.com/pay_1",
    ]

    @Test("Links of others are left alone", arguments: unroutable)
    func leaves(_ text: String) {
        guard case .unroutable = Self.router.route(text) else {
            Issue.record("\(Self.router.route(text))")
            return
        }
    }

    struct Lookalike: Decodable, Sendable, CustomTestStringConvertible {
        let input: String
        let why: String
        let expect: String
        var testDescription: String { why }
    }

    static let lookalikes: [Lookalike] = {
        struct File: Decodable { let links: [Lookalike] }
        return try! JSONValue(parsing: Vectors.data("phishing-links")).decode(File.self).links
    }()

    @Test("The corpus is large")
    func corpusIsLarge() {
        #expect(Self.lookalikes.count >= 300)
        #expect(Set(Self.lookalikes.map(\.input)).count == Self.lookalikes.count)
    }

    @Test("Look-alikes are never verified")
    func neverVerifiesLookalikes() {
        for link in Self.lookalikes {
            let decision = Self.router.route(link.input)
            if case .matched(let route) = decision {
                #expect(route.match.trust != .verified, "\(link.input.debugDescription): \(link.why)")
            }
            if link.expect == "rejected" {
                guard case .rejected = decision else {
                    Issue.record("not rejected: \(link.input.debugDescription): \(link.why)")
                    continue
                }
            }
        }
    }
}

/// Routing must not touch the network.
struct Unreachable: HTTPTransport {
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        Issue.record("a request was sent")
        throw TransportError(.notSent, .hostNotFound, origin: request.url.origin)
    }
}

extension PaymentRouter {
    /// Returns the route of `text`, which one provider takes.
    func matched(_ text: String) throws -> Route {
        let decision = route(text)
        guard case .matched(let route) = decision else {
            return try #require(nil, "\(decision.explanation)")
        }
        return route
    }
}
