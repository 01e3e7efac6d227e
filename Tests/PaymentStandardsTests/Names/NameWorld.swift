import Foundation
import PaymentCore
import TestSupport
import Testing

@testable import PaymentStandards

/// Names with finished proofs, and look-ups of them at a resolver that has the proofs' records.
struct NameWorld {
    static let url = "https://dns.example/dns-query"

    /// The proofs of a file, with what they lead to.
    let rows: [(proof: [UInt8], row: JSONValue)]
    /// The root's keys, where they are not the real ones.
    let anchors: [[UInt8]]
    let time: Date

    /// Names of the real DNS, which were looked up on 6 August 2025.
    static func real(_ list: String = "valid") throws -> NameWorld {
        try NameWorld("lib-bip353-dns", list, anchors: DNSSECChain.rootAnchors)
    }

    /// Names below another root, with every kind of alias and wildcard.
    static func made(_ list: String = "valid") throws -> NameWorld {
        let json = try JSONValue(parsing: Array(Vectors.data("lib-dnssec-aliases")))
        let anchor = try #require(Hex.decode(json["anchor"]?.string ?? "-"))
        return try NameWorld("lib-dnssec-aliases", list, anchors: [anchor])
    }

    private init(_ file: String, _ list: String, anchors: [[UInt8]]) throws {
        let json = try JSONValue(parsing: Array(Vectors.data(file)))
        rows = (json[list]?.array ?? []).compactMap { row in
            row["input"]?["proof"]?.string.flatMap { Hex.decode($0) }.map { ($0, row) }
        }
        self.anchors = anchors
        time = Date(timeIntervalSince1970: Double(json["time"]?.int64 ?? 1_754_500_000))
    }

    /// The name that a proof begins with.
    static func name(of proof: [UInt8]) throws -> BIP353 {
        try BIP353(TextPart(bytes: proof[1...Int(proof[0])]))
    }

    /// Looks up a name.
    func proof(
        of name: BIP353, at server: any HTTPTransport, clock: (any PaymentClock)? = nil
    ) async throws(PaymentError) -> BIP353Proof {
        let url: HTTPURL
        do { url = try HTTPURL(service: Self.url) } catch { throw PaymentError(.rejectedLink, "\(error)") }
        return try await DNSResolver(url, anchors: anchors).proof(
            of: name, over: server, clock: clock ?? VirtualClock(time))
    }
}
