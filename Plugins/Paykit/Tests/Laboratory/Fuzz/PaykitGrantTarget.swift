import FuzzModel
import PaykitProvider
import PaykitSandbox
import PaymentCore

/// Texts of homeservers and key managers with grants: grants, proofs, stored grants, descriptions of sessions.
struct PaykitGrantTarget: FuzzTarget {
    static let name = "Paykit's grants"
    static let share = 4

    let corpus: Corpus
    private(set) var counts: [String: Int] = [:]
    private let grant: PubkyGrant
    private let server: PubkyKey
    private static let time: UInt64 = 1_767_225_600

    init() throws {
        let owner = try PubkyKeyPair(seed: [UInt8](repeating: 0x11, count: 32))
        let client = try PubkyKeyPair(seed: [UInt8](repeating: 0x33, count: 32))
        server = try PubkyKeyPair(seed: [UInt8](repeating: 0x22, count: 32)).publicKey
        grant = try PubkyGrant([.paykit], to: client.publicKey, called: "fuzz", id: "id", at: Self.time, by: owner)
        let proof = try GrantProof(of: grant.id, for: server, nonce: "nonce", at: Self.time, by: client)
        let held = try HeldGrant(grant, at: server, seed: Redacted([UInt8](repeating: 0x33, count: 32)))
        let session = GrantSession.json(
            homeserver: server, user: owner.publicKey, clientID: "fuzz", capabilities: [.paykit], grantID: "id",
            tokenExpiresAt: 2, grantExpiresAt: 3, createdAt: 1)
        corpus = Corpus(
            [
                grant.text.reveal(), proof.text.reveal(), held.credential.reveal(), session.text,
                PubkyGrantRecord.json(of: grant).text,
            ],
            pieces: [
                ".", ":", "=", "eyJhbGciOiJFZERTQSIsInR5cCI6InB1Ymt5LWdyYW50In0", "pubky-grant-credential-v1:",
                server.text, "\"exp\":", "\"caps\":[", "18446744073709551615", "-1", "1e9",
            ])
    }

    mutating func violation(_ input: [UInt8]) -> String? {
        let text = String(decoding: input, as: UTF8.self)
        if let read = try? PubkyGrant(parsing: text) {
            counts["grants", default: 0] += 1
            if read.issuer == grant.issuer, read != grant { return "a grant that nobody signed is taken" }
        }
        if (try? CheckedProof(text, of: grant, for: server, now: Self.time)) != nil {
            counts["proofs", default: 0] += 1
        }
        if let held = try? HeldGrant(Redacted(text), now: Self.time) {
            counts["stored grants", default: 0] += 1
            if held.grant != grant, held.grant.issuer == grant.issuer { return "a stored grant that nobody signed" }
            if held.credential.reveal() != text { counts["stored otherwise", default: 0] += 1 }
        }
        if let json = try? JSONValue(parsing: input) {
            if let session = try? GrantSession(json) {
                counts["sessions", default: 0] += 1
                guard (try? GrantSession(session.json)) == session else { return "a session changes when written" }
            }
            if let record = try? PubkyGrantRecord(json) {
                counts["records", default: 0] += 1
                guard (try? PubkyGrantRecord(record.json)) == record else { return "a record changes when written" }
            }
        }
        counts["all", default: 0] += 1
        return nil
    }
}
