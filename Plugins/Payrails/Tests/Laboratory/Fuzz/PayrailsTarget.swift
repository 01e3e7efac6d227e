import Foundation
import FuzzModel
import PaymentCore
import PaymentRouting
import PayrailsKit
import PayrailsProvider

/// Payrails' init data, as a link, as a merchant's answer and as bare JSON, and the URLs by which payers return.
struct PayrailsTarget: FuzzTarget {
    static let name = "Payrails' sessions and returns"
    static let share = 12
    private static let token = "canary-token-0123456789"

    private static let payload =
        #"{"token":"canary-token-0123456789","holderReference":"h","amount":{"value":"12.50","currency":"EUR"},"#
        + #""execution":{"id":"e1","merchantReference":"order-1","links":{"self":"https://api.payrails.io/e1"},"#
        + #""initialResults":[{"body":{"name":"lookup","data":{"paymentCompositionOptions":[{"paymentMethodCode":"card","#
        + #""integrationType":"api"}]},"links":{"authorize":{"method":"POST","href":"https://api.payrails.io/a"}}}}]},"#
        + #""vaultConfiguration":{"providerConfigId":"p","links":{"saveInstrument":{"href":"https://v.payrails.io/s"}}},"#
        + #""links":{"instrumentDelete":{"href":"https://api.payrails.io/d"},"#
        + #""instrumentUpdate":{"href":"https://api.payrails.io/u"}}}"#

    let corpus: Corpus
    private(set) var counts: [String: Int] = [:]
    private let router: PaymentRouter
    private let returns = ReturnURLs(
        success: "shop://paid", cancel: "shop://cancelled", error: "https://shop.example/failed", pending: "shop://wait"
    )

    init() throws {
        router = PaymentRouter(
            registry: try ProviderRegistry([PayrailsProvider(returnURLs: returns)]),
            transport: Surroundings.Service { _ in HTTPResponse(status: 500) }, journal: InMemoryJournal())
        let data = Self.initData(Array(Self.payload.utf8))
        corpus = Corpus(
            [
                Self.payload, Self.payload, Self.payload, SessionLink.link(to: data).reveal(),
                #"{"version":"1.0.0","data":"\#(data.data)"}"#, #"{"data":"\#(data.data)","version":"1.0.0"}"#,
                "shop://paid?x=1", "shop://cancelled", "https://shop.example/failed#x",
                "https://assets.payrails.io/html/payrails-success.html",
                "https://api.staging.payrails.io/public/redirect/merchant/w/e1/t",
            ],
            pieces: [
                "payrails:", "session", "?", "&", "=", "#", "version=", "data=", "version=1.0.0", "%", "%3D", "-", "_",
                "{",
                "}", "[", "]", "\"", ":", ",", "\\u0000", "\\/", "null", "0", "\"token\":\"\"",
                "\"href\":\"http://evil.example/\"",
                "https://evil.example/", "https://payrails.io.evil.example/", "https://evilpayrails.io/",
                "https://user@api.payrails.io/", "https://api.payrails.io:8443/", "http://api.payrails.io/",
                ".payrails.io",
                "payrails.io", "shop://", "shop.example", "\"self\":", "\"value\":\"-1\"", "\"currency\":\"XXX\"", "e1",
                "..",
                "/public/redirect/merchant/", "\u{0}", "é", "\u{200B}",
            ])
    }

    private static func initData(_ payload: [UInt8]) -> PayrailsInitData {
        PayrailsInitData(version: "1.0.0", data: Data(payload).base64EncodedString())
    }

    mutating func violation(_ input: [UInt8]) -> String? {
        let text = String(decoding: input, as: UTF8.self)
        return wrongRoute(text) ?? wrongPayload(input)
    }

    /// Checks the route of a text.
    private mutating func wrongRoute(_ text: String) -> String? {
        guard let link = try? PaymentLink(text), case .matched(let route) = router.route(link) else {
            counts["not routed", default: 0] += 1
            return nil
        }
        let match = route.match
        if "\(match)".contains(Self.token) { return "the token is shown" }
        if match.role == .callback {
            counts["a return", default: 0] += 1
            return isReturn(link.text) ? nil : "a foreign URL is taken for a return"
        }
        if link.isHTTP { return "a page is taken for a session" }
        counts[match.trust == .verified ? "a verified session" : "an unverified session", default: 0] += 1
        guard match.trust == .verified else { return nil }
        guard match.reference?.isEmpty == false else { return "a verified session without a name" }
        return Self.payload(of: link).flatMap(Self.leadsElsewhere)
    }

    /// The same payload in its two wrappings is the same session; reading it never ends the process.
    private mutating func wrongPayload(_ input: [UInt8]) -> String? {
        guard input.count < 5000 else { return nil }
        let data = Self.initData(input)
        let session = try? PayrailsSession(
            Payrails.Configuration(initData: data), transport: Surroundings.Service { _ in HTTPResponse(status: 500) },
            clock: Surroundings.Clock())
        counts[session == nil ? "bare JSON refused" : "bare JSON read", default: 0] += 1
        let link = try? PaymentLink(SessionLink.link(to: data).reveal())
        guard let link, let wrapped = try? PaymentLink(#"{"version":"1.0.0","data":"\#(data.data)"}"#) else {
            return "init data do not fit a link"
        }
        guard case .matched(let route) = router.route(link), case .matched(let other) = router.route(wrapped) else {
            return "a session that was written is not routed"
        }
        guard route.match == other.match else { return "the wrapping changes the session" }
        if route.match.trust == .verified {
            if session == nil { return "a session is verified that cannot be read" }
            return (try? JSONValue(parsing: input)).flatMap(Self.leadsElsewhere)
        }
        return nil
    }

    // MARK: Second opinions

    private func isReturn(_ text: String) -> Bool {
        guard let parts = Oracle.places(of: text) else { return false }
        let host = parts.authority
        let isOwn = parts.scheme == "https" && (host == "payrails.io" || host.hasSuffix(".payrails.io"))
        let plain = parts.scheme + "://" + host + parts.path
        return isOwn || returns.all.contains(plain)
    }

    private static func payload(of link: PaymentLink) -> JSONValue? {
        let data: String?
        if link.form == .text {
            data = (try? JSONValue(parsing: Array(link.text.utf8)))?["data"]?.string
        } else {
            data = link.queryItems.values("data").first.map { value in
                let text = value.replacing("-", with: "+").replacing("_", with: "/")
                return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
            }
        }
        return data.flatMap { Data(base64Encoded: $0) }.flatMap { try? JSONValue(parsing: Array($0)) }
    }

    /// The addresses that a session names must all belong to the service.
    private static func leadsElsewhere(_ payload: JSONValue) -> String? {
        let results = payload["execution"]?["initialResults"]?.array ?? []
        var addresses = [
            payload["vaultConfiguration"]?["links"]?["saveInstrument"]?["href"],
            payload["links"]?["instrumentDelete"]?["href"], payload["links"]?["instrumentUpdate"]?["href"],
            payload["execution"]?["links"]?["self"],
        ]
        // The first usable one is used.
        addresses.append(
            results.lazy.compactMap { $0["body"]?["links"]?["authorize"]?["href"] }.first {
                $0.string?.isEmpty == false
            })
        for address in addresses.compactMap({ $0?.string }) {
            let parts = Oracle.places(of: address)
            let host = parts.map { $0.authority.hasSuffix(":443") ? String($0.authority.dropLast(4)) : $0.authority }
            guard parts?.scheme == "https", let host, host == "payrails.io" || host.hasSuffix(".payrails.io"),
                host.utf8.allSatisfy({ "abcdefghijklmnopqrstuvwxyz0123456789-_.".utf8.contains($0) })
            else { return "a session that leads elsewhere is verified" }
        }
        return nil
    }
}
