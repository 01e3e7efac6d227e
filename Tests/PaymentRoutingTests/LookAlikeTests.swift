import PaymentCore
import PaymentTesting
import TestSupport
import Testing

@testable import PaymentRouting

@Suite("Hosts that resemble a registered one")
struct LookAlikeTests {
    private static let index = LookAlikeIndex([
        ("pay.walletconnect.com", "walletconnect-pay", true), ("pay.wct.me", "walletconnect-pay", false),
        ("citconpay.com", "citcon", true), ("payments.example", "shop", false),
    ])

    @Test(
        "Each kind of imitation names the real host and the difference",
        arguments: [
            ("pay.walletconnect.com.evil.example", LookAlike.Difference.embedded),
            ("pay.walletconnect.com-secure.example", .embedded), ("pay.walletconnect.comevil.example", .embedded),
            ("staging.pay.walletconnect.com.evil.example", .embedded), ("pay.walletconnect.evil.example", .embedded),
            ("pay.walletconnect.org", .otherSuffix), ("pay.walletconnect.co.uk", .otherSuffix),
            ("pay.walletconnect.xn--m1abbbg", .otherSuffix), ("paywalletconnect.com", .separators),
            ("pay-walletconnect.com", .separators), ("pay.wallet-connect.com", .separators),
            ("pay.walletconnectcom.example", .separators), ("pay.wa1letconnect.com", .confusable),
            ("pay.vvalletconnect.com", .confusable), ("pay.walletc0nnect.com", .confusable),
            ("pay.xn--wlletconnect-x9j.com", .international), ("pay.xn--walletcnnect-bgk.com", .international),
            ("pay.walletconect.com", .misspelt), ("pay.walletconnnect.com", .misspelt),
            ("pay.walletconnetc.com", .misspelt), ("pay.wallteconnect.com", .misspelt),
            ("pay.walletcomnect.com", .misspelt), ("pay-secure-walletconnect.com", .words),
            ("walletconnect-pay.com", .words), ("com.walletconnect.pay", .words), ("pay.evilwalletconnect.com", .words),
            ("fakepay.walletconnect.com", .sibling), ("xn--py-7kc.walletconnect.com", .sibling),
            ("walletconnect.com", .sibling),
        ])
    func kinds(_ host: String, _ difference: LookAlike.Difference) {
        let found = Self.index.find(host)
        #expect(found?.host == "pay.walletconnect.com", "\(host)")
        #expect(found?.difference == difference, "\(host)")
    }

    @Test(
        "Short hosts are resembled too",
        arguments: ["pay.wct.mi", "pay-wct.me", "pay.wcl.me", "pay.vvct.me", "pay.wct.mex"])
    func shortHost(_ host: String) {
        #expect(Self.index.find(host)?.host == "pay.wct.me", "\(host)")
    }

    @Test("A host beside the real one is explained by its letters, not its other labels")
    func otherWords() {
        #expect(Self.index.find("checkout.citc0npay.com")?.difference == .confusable)
        #expect(Self.index.find("checkout.citconnpay.com")?.difference == .misspelt)
        #expect(Self.index.find("checkout.citconpay-login.com")?.difference == .words)
    }

    @Test(
        "Hosts of others, and such as are registered, resemble nothing",
        arguments: [
            "example.com", "evil.example", "github.com", "wallet.example", "connect.example", "pay.example",
            "payments.other.org", "online-payments.org", "pay.walletconnect.com", "staging.pay.walletconnect.com",
            "www.citconpay.com", "localhost", "xn--a.example", "xn--99999999.example", "a-b-c-d.e-f.g",
        ])
    func others(_ host: String) {
        #expect(Self.index.find(host) == nil, "\(host)")
    }

    @Test("The decision says which host is imitated, and why it is not it")
    func decision() throws {
        let registry = try ProviderRegistry([Claimer()])
        let decision = registry.route(try PaymentLink("https://pay.acrneshop.example/1"), readers: [])
        guard case .unroutable(_, let real?) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(
            real
                == LookAlike(
                    host: "pay.acmeshop.example", provider: "acme", difference: .confusable,
                    owner: "acrneshop.example"))
        #expect(
            decision.explanation
                == "this looks like pay.acmeshop.example but is not: the address belongs to acrneshop.example; "
                + "it has characters that only look the same")
    }

    @Test("The order of registration changes nothing")
    func order() {
        let claims = (0..<40).map {
            (host: "pay.shopname\($0).example", provider: ProviderID(rawValue: "p\($0)"), hasSubdomains: false)
        }
        let (one, two) = (LookAlikeIndex(claims), LookAlikeIndex(claims.reversed()))
        for number in 0..<40 {
            // Of many names that share half their letters only a few are compared, always the same ones.
            #expect(
                one.find("pay.shopnamme\(number).example") == two.find("pay.shopnamme\(number).example"))
            for host in ["pay.shopname\(number).test", "pay-shopname\(number).example"] {
                #expect(one.find(host)?.host == "pay.shopname\(number).example")
                #expect(one.find(host) == two.find(host))
            }
        }
    }

    @Test("Any host is searched for without harm, the longest too")
    func anyHost() {
        var random = SplitMix64(seed: 11)
        let letters = Array("abcnpaywletxr-_.01".utf8)
        for _ in 0..<400 {
            let bytes = (0..<Int.random(in: 0...253, using: &random)).map { _ in
                letters[Int.random(in: letters.indices, using: &random)]
            }
            _ = Self.index.find("xn--" + String(decoding: bytes, as: UTF8.self))
            _ = Self.index.find(String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test("Punycode of RFC 3492 and of names that imitate")
    func punycode() {
        #expect(Punycode.decode("bcher-kva").map { String(String.UnicodeScalarView($0)) } == "bücher")
        #expect(Punycode.decode("80a5ak").map { String(String.UnicodeScalarView($0)) } == "рау")
        #expect(Punycode.decode("99999999") == nil)
        #expect(Punycode.decode("") == [])
    }
}

/// Claims one host.
private struct Claimer: PaymentProvider {
    let descriptor = ProviderDescriptor(
        id: "acme", name: "Acme", patterns: [.host("pay.acmeshop.example")], outboundHosts: [])

    func recognize(_ link: PaymentLink) -> LinkMatch? { LinkMatch(nil) }
    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        throw CancellationError()
    }
    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport { .cancelled }
    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport { .cancelled }
}
