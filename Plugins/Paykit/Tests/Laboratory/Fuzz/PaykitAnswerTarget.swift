import FuzzModel
import PaykitProvider
import PaykitSandbox
import PaymentCore

/// Answers of homeservers and signers, and other users' files: listings, capabilities, grants, their proofs and stored
/// forms, descriptions of sessions, profiles.
struct PaykitAnswerTarget: FuzzTarget {
    static let name = "Paykit's grants, lists and profiles"
    static let share = 10

    let corpus: Corpus
    private(set) var counts: [String: Int] = [:]
    private let owner: PubkyKey
    private let grant: PubkyGrant
    /// The signed parts of the genuine texts.
    private let signed: Set<Substring>

    init() throws {
        let issuer = try PubkyKeyPair(seed: [UInt8](repeating: 0x11, count: 32))
        let client = try PubkyKeyPair(seed: [UInt8](repeating: 0x22, count: 32))
        owner = issuer.publicKey
        let now: UInt64 = 1_767_225_600
        grant = try PubkyGrant(
            [.paykit, .profile], to: client.publicKey, called: "wallet.example", id: "abc", at: now, by: issuer)
        let proof = try GrantProof(of: "abc", for: owner, nonce: "n", at: now, by: client)
        signed = Set([grant.text.reveal(), proof.text.reveal()].map { Self.signedPart($0) })
        let held = try HeldGrant(grant, at: owner, seed: Redacted([UInt8](repeating: 0x22, count: 32)))
        let session = GrantSession.json(
            homeserver: client.publicKey, user: owner, clientID: "wallet.example", capabilities: [.root],
            grantID: "abc", tokenExpiresAt: now + 3600, grantExpiresAt: now + 86_400, createdAt: now)
        let profile =
            #"{"name":"Anna","bio":"b","links":["https://b.example",{"title":"C","url":"https://c.example"}]}"#
        let texts: [String] = [
            grant.text.reveal(), proof.text.reveal(), held.credential.reveal(),
            String(decoding: session.serialized(), as: UTF8.self),
            String(decoding: PubkyGrantRecord.json(of: grant).serialized(), as: UTF8.self), profile,
            "pubky://\(owner)/pub/paykit.app/v0/lightning", "pubky://\(owner)/pub/My File/",
            "/pub/paykit.app/v0/:rw,/pub/pubky.app/:r", "\(owner):0123456789ABCDEFGHJKMNPQRS",
        ]
        corpus = Corpus(
            texts,
            pieces: [
                ".", "..", "/", "//", ":", ":rw", ",", "%2F", "%00", "\u{0}", "\u{2028}", "é", "eyJhbGciOiJub25lIn0",
                "\"alg\":\"none\"", "\"caps\":", "\"-1\"", "\"0\"", "18446744073709551615", "9223372036854775807",
                "-9223372036854775808", "1e9", "null", "[]", "{}", "\"type\":", "\"links\":", owner.text, "=", "A",
                "eyJhbGciOiJFZERTQSIsInR5cCI6InB1Ymt5LWdyYW50In0", "pubky-grant-credential-v1:", "\"exp\":",
            ])
    }

    private static func signedPart(_ text: some StringProtocol) -> Substring {
        let text = Substring(text)
        return text.lastIndex(of: ".").map { text[..<$0] } ?? text
    }

    mutating func violation(_ input: [UInt8]) -> String? {
        if let text = String(validating: input, as: UTF8.self), let found = texts(text) { return found }
        guard let json = try? JSONValue(parsing: input) else { return nil }
        counts["JSON", default: 0] += 1
        if let session = try? GrantSession(json) {
            counts["sessions of grants", default: 0] += 1
            guard (try? GrantSession(session.json)) == session else { return "a session changes when written" }
        }
        if let record = try? PubkyGrantRecord(json) {
            counts["records", default: 0] += 1
            guard PubkyGrant.isID(record.id), (try? PubkyGrantRecord(record.json)) == record else {
                return "a record changes when written"
            }
        }
        let profile = PubkyProfile(json)
        let again = PubkyProfile(profile.json)
        let isSame =
            again.name == profile.name && again.bio == profile.bio && again.links == profile.links
        return isSame ? nil : "a profile changes when written"
    }

    private mutating func texts(_ text: String) -> String? {
        if let address = try? PubkyAddress(listed: text) {
            counts["listed", default: 0] += 1
            let segments = address.path.split(separator: "/")
            if segments.contains(".") || segments.contains("..") { return "a listed address climbs" }
            guard (try? PubkyAddress(address.text)) == address else {
                return "a listed address is another when written"
            }
        }
        if let list = try? PubkyCapability.list(text), !list.isEmpty {
            counts["capabilities", default: 0] += 1
            let written = list.map(\.text).joined(separator: ",")
            guard (try? PubkyCapability.list(written)) == list else { return "a capability is another when written" }
        }
        if let (user, cookie) = try? PubkySession.read(Redacted(text)) {
            counts["exported sessions", default: 0] += 1
            let isHeader = cookie.reveal().utf8.contains { $0 <= 0x20 || $0 == UInt8(ascii: ";") || $0 >= 0x7F }
            guard !isHeader, user.text.utf8.count == PubkyKey.textLength else { return "a cookie ends its header" }
        }
        if let read = try? PubkyGrant(parsing: text) {
            counts["grants", default: 0] += 1
            if read.issuer == owner, read != grant || !signed.contains(Self.signedPart(text)) {
                return "a grant that nobody signed is taken"
            }
            if "\(read)".contains(Self.signedPart(text)) { return "a grant is printed" }
        }
        if let held = try? HeldGrant(Redacted(text), now: 1_767_225_600) {
            counts["stored grants", default: 0] += 1
            if held.grant != grant, held.grant.issuer == owner { return "a stored grant that nobody signed is taken" }
        }
        if (try? CheckedProof(text, of: grant, for: owner, now: 1_767_225_600)) != nil {
            counts["proofs", default: 0] += 1
            if !signed.contains(Self.signedPart(text)) { return "a proof that nobody signed is taken" }
        }
        return nil
    }
}
