import PaymentCore
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// The declarations of an application, in the article, in the code and as payers leave and return (Protocol 4.1 and
/// 4.3).
@Suite struct AppSetupTests {
    private static let bundle = "com.shop.app"
    private static let scheme = "com.shop.pay"
    private static let weChat = "wxeb0650d489d69e14"

    private func setup(_ method: String) -> CPayAppSetup {
        CPayAppSetup(method: method, bundleID: Self.bundle, scheme: Self.scheme, weChatAppID: Self.weChat)
    }

    /// The rows of the article's table: the method, and its cells with the application's names filled in.
    private static func rows() throws -> [(method: String, queried: [String], registered: [String], link: String)] {
        let file = Vectors.root.appending(path: "Plugins/Citcon/Kit/CitconKit.docc/AppSetup.md")
        let own = ["<bundle id>": bundle, "<scheme>": scheme, "<WeChat app id>": weChat]
        func words(_ cell: Substring) -> [String] {
            cell.matches(of: /`([^`]+)`/).map { match in
                own.reduce(String(match.output.1)) { $0.replacing($1.key, with: $1.value) }
            }
        }
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("|") }
            .dropFirst(2).map { line in
                let cells = line.split(separator: "|")
                return (
                    words(cells[0]).first ?? "anything else", words(cells[1]), words(cells[2]),
                    cells[3].trimmingCharacters(in: .whitespaces)
                )
            }
    }

    @Test("The article's table is what the code says")
    func article() throws {
        let rows = try Self.rows()
        #expect(rows.count == 9 && rows.last?.method == "anything else")
        for row in rows {
            let setup = setup(row.method)
            #expect(setup.queriedSchemes == row.queried && setup.urlSchemes == row.registered, "\(row.method)")
            #expect(setup.needsUniversalLink == (row.link == "yes"), "\(row.method)")
        }
        // A method without a row requires the declarations of the last one.
        let named = Set(rows.map(\.method))
        for method in ["toss", "gcash", "paynow", "flexa", "hpp", "pix"] {
            #expect(!named.contains(method) && setup(method).queriedSchemes.isEmpty)
            #expect(setup(method).urlSchemes == [Self.scheme] && !setup(method).needsUniversalLink)
        }
    }

    @Test("Every wallet that this library starts is declared")
    func leaving() throws {
        let payload = try #require(CitconWalletURL.WeChatPayload(try JSONValue(parsing: ScriptedCitcon.weChatPayload)))
        let starts: [(String, CitconWalletURL)] = [
            ("wechatpay", .weChat(payload)), ("alipay", .alipay(order: Redacted("o"), scheme: Self.scheme)),
            ("alipay", .alipayPage(url: "https://x.example/")),
            ("upop", .unionPay(payData: Redacted("p"), scheme: Redacted("s"))),
        ]
        for (method, url) in starts {
            let scheme = try #require(try PaymentLink(url.text.reveal()).scheme).description
            #expect(setup(method).queriedSchemes.contains(scheme), "\(method): \(scheme)")
        }
        #expect(setup("venmo").queriedSchemes.contains("com.venmo.touch.v2"))
    }

    @Test("Every way back leads to a scheme that is registered")
    func comingBack() throws {
        let places = CPayReturnPlaces(
            schemes: [Self.scheme], weChatAppIDs: [Self.weChat], bundleIDs: [Self.bundle], pages: ["\(Self.scheme)://"])
        let methods: [(String, WalletReturn.Source)] = [
            ("wechatpay", .weChat), ("alipay", .alipay), ("upop", .unionPay), ("card", .braintree),
            ("paypal", .braintree), ("venmo", .braintree), ("cashapppay", .cashApp), ("klarna", .klarna),
            ("klarna", .page), ("toss", .page),
        ]
        for (method, source) in methods {
            let urls = places.urls(of: source)
            #expect(!urls.isEmpty)
            for url in urls {
                let scheme = try #require(url.split(separator: ":").first).description
                #expect(setup(method).urlSchemes.contains(scheme), "\(method): \(scheme)")
            }
        }
        #expect(Set(methods.map(\.1)).union([.payPal]) == Set(WalletReturn.Source.allCases))
    }

    @Test("What an Info.plist lacks is named")
    func missing() {
        let info: [String: Any] = [
            "LSApplicationQueriesSchemes": ["Weixin", "wechat", "alipay", "safepay", "alipays"],
            "CFBundleURLTypes": [
                ["CFBundleURLName": "wechat", "CFBundleURLSchemes": ["WXEB0650d489d69e14"]],
                ["CFBundleURLSchemes": [Self.scheme]],
            ] as [[String: Any]],
        ]
        #expect(setup("wechatpay").missing(in: info) == ["LSApplicationQueriesSchemes lacks 'weixinULAPI'"])
        #expect(setup("alipay").missing(in: info).isEmpty && setup("toss").missing(in: info).isEmpty)
        #expect(
            setup("card").missing(in: info) == [
                "LSApplicationQueriesSchemes lacks 'com.shop.app.payments'",
                "CFBundleURLTypes lacks 'com.shop.app.payments'",
            ])
        #expect(setup("upop").missing(in: [:]).count == 6)
        #expect(setup("upop").missing(in: ["LSApplicationQueriesSchemes": 7, "CFBundleURLTypes": ["x"]]).count == 6)
    }
}
