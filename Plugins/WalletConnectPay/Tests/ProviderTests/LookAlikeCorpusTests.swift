import PaymentCore
import PaymentRouting
import TestSupport
import Testing

/// Deceptive hosts of the corpus, with the real hosts that they resemble.
@Suite("Deceptive hosts")
struct LookAlikeCorpusTests {
    struct File: Decodable { let links: [Row] }

    struct Row: Decodable {
        let input: String
        let `class`: String
        let why: String
    }

    /// Hosts that share no name with a real one, or too little to name it.
    private static let unlike: Set<String> = [
        "evil.example", "localhost", "pay", "pay.reown.com", "pay.connectwallet.com", "connect.paywallet.com",
    ]
    private static let real: Set<String> = ["pay.walletconnect.com", "pay.wct.me"]

    private static func rows(_ classes: Set<String>) throws -> [Row] {
        try JSONValue(parsing: Vectors.data("phishing-links")).decode(File.self).links.filter {
            classes.contains($0.class)
        }
    }

    @Test("Every imitating host is named with the host that it imitates")
    func imitations() throws {
        var found = 0
        for row in try Self.rows(["punycode-host", "suffix-trick", "prefix-trick", "look-alike-host"]) {
            let decision = LinkTrustTests.router.route(row.input)
            guard case .unroutable(let link, let resembles) = decision, let host = link.host else { continue }
            guard !Self.unlike.contains(String(host)) else {
                #expect(resembles == nil, "\(host): \(row.why)")
                continue
            }
            guard let resembles else {
                Issue.record("\(host) resembles nothing: \(row.why)")
                continue
            }
            found += 1
            #expect(Self.real.contains(resembles.host), "\(host)")
            #expect(resembles.provider == "walletconnect-pay")
            #expect(host.hasSuffix(resembles.owner) && decision.explanation.contains(resembles.owner), "\(host)")
            #expect(decision.explanation.contains(resembles.host))
        }
        #expect(found >= 75)
    }

    @Test("Sites that only carry a real name in path or query resemble nothing")
    func carriers() throws {
        for row in try Self.rows(["nested-link"]) {
            guard case .unroutable(let link, let resembles) = LinkTrustTests.router.route(row.input), link.isHTTP,
                let host = link.host, !host.contains("walletconnect")
            else { continue }
            #expect(resembles == nil, "\(host): \(row.why)")
        }
    }
}
