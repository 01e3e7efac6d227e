import Foundation
package import FuzzModel
import PaymentCore
import PaymentStandards
import TestSupport

/// The boundaries of names that untrusted bytes cross.
package enum BitcoinFuzz {
    package static let targets: [any FuzzTarget.Type] = [DNSTarget.self]
}

/// Messages of a DNS resolver, and what their records prove.
struct DNSTarget: FuzzTarget {
    static let name = "DNS messages"
    /// Small: a message with true signatures costs many checks of them.
    static let share = 2

    let corpus: Corpus
    private(set) var counts: [String: Int] = [:]
    /// The names of genuine proofs, as proofs begin with them, and the links that they prove.
    private let genuine: [(name: [UInt8], link: String)]
    /// The time at which the genuine proofs are valid.
    private let time = Date(timeIntervalSince1970: 1_754_500_000)

    init() throws {
        let messages = try JSONValue(parsing: Array(Vectors.data("lib-dns-messages")))
        let rows = (messages["valid"]?.array ?? []) + (messages["invalid"]?.array ?? [])
        let known = rows.compactMap { $0["input"]?["message"]?.string.flatMap { Hex.decode($0) } }
        let file = try JSONValue(parsing: Array(Vectors.data("lib-bip353-dns")))
        let proofs = (file["valid"]?.array ?? []).compactMap { row in
            row["input"]?["proof"]?.string.flatMap { Hex.decode($0) }
        }
        var genuine: [(name: [UInt8], link: String)] = []
        for proof in proofs {
            genuine.append((Array(proof.prefix(1 + Int(proof[0]))), try BIP353Proof(proof, at: time).link))
        }
        self.genuine = genuine
        corpus = Corpus(
            bytes: known.filter { !$0.isEmpty } + proofs.map { Self.message($0[(1 + Int($0[0]))...]) },
            pieces: [
                [0], [0, 0], [0xC0], [0xC0, 12], [0xC0, 0], [0xFF, 0xFF], [0x3F], [0x40], [0, 16, 0, 1], [0, 46, 0, 1],
                [0, 5, 0, 1], [0, 0, 0, 30], [0, 0, 41, 0x10, 0, 0, 0, 0x80, 0, 0, 0], [7] + Array("example".utf8),
                [1] + Array("*".utf8), Array("bitcoin:".utf8), [UInt8](repeating: 0xC0, count: 40),
            ])
    }

    /// Returns a message with records that are not compressed.
    private static func message(_ records: ArraySlice<UInt8>) -> [UInt8] {
        let count = DNSRecord.all(in: records)?.count ?? 0
        return [0, 0, 0x81, 0x80, 0, 0, UInt8(count >> 8), UInt8(count & 0xFF), 0, 0, 0, 0] + records
    }

    mutating func violation(_ input: [UInt8]) -> String? {
        guard let message = DNSMessage(input) else {
            counts["refused", default: 0] += 1
            return nil
        }
        counts["read", default: 0] += 1
        let bytes = message.records.flatMap(\.wire)
        guard DNSRecord.all(in: bytes[...]) == message.records else { return "a proof has other records" }
        for (name, link) in genuine {
            guard let proof = try? BIP353Proof(name + bytes, at: time) else { continue }
            counts["proved", default: 0] += 1
            guard proof.link == link else { return "another link is proved" }
        }
        return nil
    }
}
