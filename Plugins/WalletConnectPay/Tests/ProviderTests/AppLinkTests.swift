import PaymentCore
import Testing

@testable import WalletConnectPayProvider

/// Payment links inside the wallet's own links, on tags, and in capitals (Protocol 6.3 and 6.4).
@Suite struct AppLinkTests {
    static let links = AppLinks(schemes: ["MyWallet", "walletapp"], hosts: ["Wallet.Example"])
    static let pairing =
        "wc:abc@2?relay-protocol=irn&symKey=xyz&pay=https%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3Dpay_1"

    enum Expected: Sendable, Equatable {
        case verified(String)
        case doubtful(String, because: String)
        case nothing
    }

    static let wrapped: [(String, Expected)] = [
        ("walletapp://wc?uri=\(PercentCoding.encode(pairing))", .verified("pay_1")),
        ("WalletApp://wc?uri=\(PercentCoding.encode(pairing))", .verified("pay_1")),
        ("walletapp:wc?uri=\(PercentCoding.encode(pairing))", .verified("pay_1")),
        ("walletapp://wc?x=1&uri=\(PercentCoding.encode(pairing))#f", .verified("pay_1")),
        ("https://wallet.example/wc?uri=\(PercentCoding.encode(pairing))", .verified("pay_1")),
        ("walletapp://x?payUrl=https%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3Dpay_1", .verified("pay_1")),
        ("walletapp://x?payUrl=https://pay.walletconnect.com/?pid=pay_1", .verified("pay_1")),
        ("walletapp://x?payUrl=https%3A%2F%2Fstaging.pay.walletconnect.com%2Fpay_1", .verified("pay_1")),
        ("https://wallet.example/tap?payUrl=https%3A%2F%2Fpay.walletconnect.com%2Fpay_1", .verified("pay_1")),
        ("walletapp://x?payUrl=https%3A%2F%2Fpay.wct.me%2F123", .verified("https%3A%2F%2Fpay.wct.me%2F123")),
        // A wrapper never makes a link more trusted.
        ("walletapp://walletconnectpay?paymentId=pay_1", .doubtful("pay_1", because: "bare id")),
        ("walletapp://walletconnectpay?pid=pay_1", .doubtful("pay_1", because: "bare id")),
        ("https://wallet.example/?paymentId=pay_1", .doubtful("pay_1", because: "bare id")),
        ("walletapp://x?payUrl=http%3A%2F%2Fpay.walletconnect.com%2Fpay_1", .doubtful("pay_1", because: "plain http")),
        (
            "walletapp://x?payUrl=https%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3Dpay_1%26pid%3Dpay_2",
            .doubtful("pay_1", because: "more than once")
        ),
        (
            "walletapp://x?uri=\(PercentCoding.encode("wc:a@2?pay=https%3A%2F%2Fevil.example%2F%3Fpid%3Dpay_1"))",
            .doubtful("https%3A%2F%2Fevil.example%2F%3Fpid%3Dpay_1", because: "does not lead")
        ),
        // It contains no payment.
        ("walletapp://x?payUrl=https%3A%2F%2Fevil.example%2F%3Fpid%3Dpay_1", .nothing),
        ("walletapp://x?payUrl=https%3A%2F%2Fpay.walletconnect.com.evil.example%2Fpay_1", .nothing),
        ("walletapp://x?payUrl=https%3A%2F%2Fevilpay.walletconnect.com%2Fpay_1", .nothing),
        ("walletapp://x?payUrl=https%3A%2F%2Fpay.walletconnect.com%40evil.example%2Fpay_1", .nothing),
        ("walletapp://x?payUrl=https%3A%2F%2Fpay.walletconnect.com%3A8443%2Fpay_1", .nothing),
        ("walletapp://x?payUrl=pay_1", .nothing),
        ("walletapp://x?payUrl=ftp%3A%2F%2Fpay.walletconnect.com%2Fpay_1", .nothing),
        ("walletapp://x?payUrl=https%253A%252F%252Fpay.walletconnect.com%252Fpay_1", .nothing),
        ("walletapp://x?payUrl=%20https%3A%2F%2Fpay.walletconnect.com%2Fpay_1", .nothing),
        ("walletapp://x?payUrl=%GGhttps%3A%2F%2Fpay.walletconnect.com%2Fpay_1", .nothing),
        ("walletapp://x?uri=wc%3Aabc%402%3Frelay-protocol%3Dirn", .nothing),
        ("walletapp://x?uri=\(pairing)", .nothing),
        ("walletapp://x?paymentId=checkout", .nothing),
        ("walletapp://x?paymentId=pay_1%2Fcancel", .nothing),
        ("walletapp://x?paymentId=", .nothing),
        ("walletapp://x", .nothing),
        ("walletapp://x#paymentId=pay_1", .nothing),
        // It is ambiguous.
        ("walletapp://x?paymentId=pay_1&paymentId=pay_2", .nothing),
        ("walletapp://x?paymentId=pay_1&pid=pay_2", .nothing),
        ("walletapp://x?paymentId=pay_1&uri=\(PercentCoding.encode(pairing))", .nothing),
        ("walletapp://x?paymentid=pay_1", .nothing),
        ("walletapp://x?paymentId=pay_1&%70id=pay_2", .nothing),
        // One wrapper at most.
        ("walletapp://x?uri=\(PercentCoding.encode("walletapp://x?paymentId=pay_1"))", .nothing),
        ("walletapp://x?payUrl=\(PercentCoding.encode("https://wallet.example/?paymentId=pay_1"))", .nothing),
        // Not the application's.
        ("otherwallet://x?paymentId=pay_1", .nothing),
        ("http://wallet.example/?paymentId=pay_1", .nothing),
        ("https://wallet.example:8443/?paymentId=pay_1", .nothing),
        ("https://x.wallet.example/?paymentId=pay_1", .nothing),
        ("https://wc-pay-buyer-experience-dev.walletconnect-v1-bridge.workers.dev/?pid=pay_1", .nothing),
    ]

    @Test("Payment links are unwrapped", arguments: wrapped)
    func unwraps(_ text: String, _ expected: Expected) throws {
        let link = try PaymentLink(text)
        let match = Self.links.contains(link) ? LinkReading.match(link, in: Self.links) : nil
        switch expected {
        case .verified(let id):
            #expect(match == LinkMatch(.payment(id)))
        case .doubtful(let id, let reason):
            #expect(match?.reference == id)
            guard case .unverified(let why)? = match?.trust else {
                Issue.record("verified")
                return
            }
            #expect(why.contains(reason))
        case .nothing:
            #expect(match == nil)
        }
        let inner = Self.links.unwrap(text)
        #expect((inner == nil) == (expected == .nothing))
        if let inner, case .verified(let id) = expected {
            #expect(PaymentID.extract(from: inner) == id)
            #expect(Self.links.unwrap(inner) == nil)
        }
    }

    /// Links without wrappers are read as before.
    @Test("Other links are left alone")
    func leavesOtherLinksAlone() throws {
        for (text, _) in LinkTrustTests.verified + LinkTrustTests.doubtful {
            let link = try PaymentLink(text)
            #expect(LinkReading.match(link, in: AppLinks()) == LinkReading.match(link))
            #expect(LinkReading.match(link, in: Self.links) == LinkReading.match(link))
        }
    }

    @Test("An application claims its own schemes and hosts only")
    func claims() {
        #expect(Self.links.patterns == [.scheme("mywallet"), .scheme("walletapp"), .host("wallet.example")])
        #expect(AppLinks().patterns.isEmpty)
        #expect(AppLinks().unwrap("walletapp://x?paymentId=pay_1") == nil)
        #expect(Self.links.unwrap("") == nil)
        #expect(Self.links.unwrap(String(repeating: "a", count: 100_000)) == nil)
    }

    // MARK: Tags

    static let records: [([UInt8], String?)] = [
        ([0x04] + "pay.walletconnect.com/?pid=pay_1".utf8, "https://pay.walletconnect.com/?pid=pay_1"),
        ([0x00] + "https://pay.walletconnect.com/?pid=pay_1".utf8, "https://pay.walletconnect.com/?pid=pay_1"),
        ([0x03] + "pay.walletconnect.com/pay_1".utf8, "http://pay.walletconnect.com/pay_1"),
        ([0x01] + "a.example".utf8, "http://www.a.example"),
        ([0x02] + "a.example".utf8, "https://www.a.example"),
        ([0x05] + "+1".utf8, "tel:+1"),
        ([0x13] + "nbn:x".utf8, "urn:nbn:x"),
        ([0x1D] + "etc".utf8, "file://etc"),
        ([0x22] + "x".utf8, "urn:epc:x"),
        ([0x23] + "x".utf8, "urn:nfc:x"),
        ([0x00] + "wc:abc@2".utf8, "wc:abc@2"),
        ([0x04], "https://"),
        ([0x24] + "x".utf8, nil),
        ([0xFF] + "x".utf8, nil),
        ([0x04, 0xFF, 0xFE], nil),
        ([], nil),
    ]

    @Test("Tags are read", arguments: records)
    func readsTags(_ payload: [UInt8], _ link: String?) {
        #expect(TagRecord.link(uriPayload: payload) == link)
    }

    @Test("Tags are bounded")
    func tagsAreBounded() throws {
        #expect(TagRecord.beginnings.count == 0x24)
        let room = PaymentLink.maximumLength - "https://".utf8.count
        let longest = try #require(TagRecord.link(uriPayload: [0x04] + Array(repeating: 0x61, count: room)))
        #expect(longest.utf8.count == PaymentLink.maximumLength)
        #expect(TagRecord.link(uriPayload: [0x04] + Array(repeating: 0x61, count: room + 1)) == nil)
    }

    /// A tag is exactly as trusted as a scanned code.
    @Test("Tags are routed as text")
    func tagsAreRoutedAsText() throws {
        let text = try #require(TagRecord.link(uriPayload: [0x04] + "pay.walletconnect.com/?pid=pay_1".utf8))
        #expect(LinkReading.match(try PaymentLink(text)) == LinkMatch(.payment("pay_1")))
    }

    // MARK: Capitals

    static let capitals: [(String, id: String?, isExplained: Bool)] = [
        ("HTTPS://PAY.WALLETCONNECT.COM/?PID=PAY_95A2ECC101KEYG1NH580DF2J04MBNRWE7V", nil, true),
        (
            "HTTPS://PAY.WALLETCONNECT.COM/PAY_95A2ECC101KEYG1NH580DF2J04MBNRWE7V",
            "PAY_95A2ECC101KEYG1NH580DF2J04MBNRWE7V", true
        ),
        ("HTTPS://PAY.WALLETCONNECT.COM/?pid=PAY_1", "PAY_1", false),
        ("https://pay.walletconnect.com/PAY_1?utm=x", "PAY_1", false),
    ]

    @Test("Capitals that hide the id are explained", arguments: capitals)
    func explainsCapitals(_ text: String, _ id: String?, _ isExplained: Bool) throws {
        let match = try #require(LinkReading.match(try PaymentLink(text)))
        #expect(match.reference == id)
        guard case .unverified(let why) = match.trust else {
            Issue.record("verified")
            return
        }
        #expect(why.contains("capitals") == isExplained)
    }

    /// Scheme and host ignore case: such a link is as good as any.
    @Test("Capitals in scheme and host are fine")
    func capitalsInSchemeAndHostAreFine() throws {
        let link = try PaymentLink("HTTPS://PAY.WALLETCONNECT.COM/?pid=pay_1")
        #expect(LinkReading.match(link) == LinkMatch(.payment("pay_1")))
        #expect(LinkReading.match(try PaymentLink("HTTPS://PAY.WALLETCONNECT.COM/")) == nil)
        #expect(LinkReading.match(try PaymentLink("https://pay.walletconnect.com/?PID=pay_1")) == nil)
    }
}
