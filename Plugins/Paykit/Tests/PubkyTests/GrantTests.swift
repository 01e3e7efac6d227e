import PaykitSandbox
import PaymentCore
import PaymentCrypto
import PaymentTesting
import Testing

@testable import PaykitProvider

/// Grants, proofs and their stored form (Protocol 10.2 and 10.5).
@Suite("Paykit's grants")
struct GrantTests {
    static let grantText =
        "eyJhbGciOiJFZERTQSIsInR5cCI6InB1Ymt5LWdyYW50In0.eyJpc3MiOiI0YmZtcmN1d2ZxNGtzcW91cG42d2NmeHJoNWVucjFpemRleXN6bWhmcm50dWYxbXpvaDVvIiwiY2xpZW50X2lkIjoicm91dGVyLmV4YW1wbGUiLCJjYXBzIjpbIi9wdWIvcGF5a2l0L3YwLzpydyJdLCJjbmYiOiJuOWZ6dTYzbWVyb3hmY3hjY3oxYnVkbXFibjNlN3lqOTdjeTZqanl5b3FwYW1hY3lvZDh5IiwianRpIjoiQVFFQkFRRUJBUUVCQVFFQkFRRUJBUSIsImlhdCI6MTcwMDAwMDAwMCwiZXhwIjoxNzYzMDcyMDAwfQ.ytDmjgxlAw5x1Q5W9t8GLCsLeuyP0nd9mMhF8iAbMK8Ie1CQkQbt24ZziAn5KZuCJcxBgsMR2LuI2SY1z3jZDQ"
    static let proofText =
        "eyJhbGciOiJFZERTQSIsInR5cCI6InB1Ymt5LXBvcCJ9.eyJhdWQiOiJ3bnBrbTdkNGM3Y2F5bTkza3pocGFtamtuMTFodThqZHo0bTlvM3kxeDlodW9wbml3dWF5IiwiZ2lkIjoiQVFFQkFRRUJBUUVCQVFFQkFRRUJBUSIsIm5vbmNlIjoiQWdJQ0FnSUNBZ0lDQWdJQ0FnSUNBZyIsImlhdCI6MTcwMDAwMDAwMH0.lC19evMfQCog8TRgXpQOgfd29TKSdCuNtDPg_6FJFd4wLMiGx8kcEXTvJt4RJOMy2mbdrRgJyi_AR2c8W6j4Cw"
    static let time: UInt64 = 1_700_000_000

    static func grant() throws -> PubkyGrant { try PubkyGrant(parsing: grantText) }

    @Test("A grant is signed as another library signs it, byte for byte")
    func grant() throws {
        let made = try PubkyGrant(
            PubkyCapability.list("/pub/paykit/v0/:rw"), to: WireTests.pair(0x33).publicKey, called: "router.example",
            id: Base64URL.encode([UInt8](repeating: 1, count: 16)), at: Self.time, by: WireTests.pair(0x11))
        #expect(made.text.reveal() == Self.grantText)
        #expect(Self.grantText.utf8.count == 465)
        #expect(made.clientKey.text == "n9fzu63meroxfcxccz1budmqbn3e7yj97cy6jjyyoqpamacyod8y")
        #expect(made.expiresAt == 1_763_072_000 && made.id == "AQEBAQEBAQEBAQEBAQEBAQ")
        #expect(try Self.grant() == made)
    }

    @Test("A proof is signed as another library signs it, byte for byte")
    func proof() throws {
        let server = try WireTests.pair(0x22).publicKey
        let proof = try GrantProof(
            of: Self.grant().id, for: server, nonce: Base64URL.encode([UInt8](repeating: 2, count: 16)), at: Self.time,
            by: WireTests.pair(0x33))
        #expect(proof.text.reveal() == Self.proofText)
        #expect(Self.proofText.utf8.count == 323)
        let read = try CheckedProof(Self.proofText, of: Self.grant(), for: server, now: Self.time + 180)
        #expect(read.nonce == "AgICAgICAgICAgICAgICAg" && read.grantID == "AQEBAQEBAQEBAQEBAQEBAQ")
    }

    @Test("A proof for another homeserver, grant or time is not believed")
    func foreignProofs() throws {
        let grant = try Self.grant()
        let server = try WireTests.pair(0x22).publicKey
        func read(for key: PubkyKey, _ grant: PubkyGrant, now: UInt64) throws {
            _ = try CheckedProof(Self.proofText, of: grant, for: key, now: now)
        }
        #expect(throws: GrantDefect.audience) { try read(for: WireTests.pair(0x11).publicKey, grant, now: Self.time) }
        for now in [Self.time + 181, Self.time - 181, 0, .max] {
            #expect(throws: GrantDefect.time) { try read(for: server, grant, now: now) }
        }
        let other = try PubkyGrant(
            [.root], to: WireTests.pair(0x33).publicKey, called: "x", id: "other", at: Self.time,
            by: WireTests.pair(0x11))
        #expect(throws: GrantDefect.owner) { try read(for: server, other, now: Self.time) }
        let stranger = try PubkyGrant(
            [.root], to: WireTests.pair(0x44).publicKey, called: "x", id: grant.id, at: Self.time,
            by: WireTests.pair(0x11))
        #expect(throws: GrantDefect.signature) { try read(for: server, stranger, now: Self.time) }
        // The text of one is never the other, although both are signed.
        #expect(throws: GrantDefect.self) { try PubkyGrant(parsing: Self.proofText) }
    }

    @Test("A grant that was changed anywhere is refused")
    func changed() throws {
        let bytes = Array(Self.grantText.utf8)
        for index in bytes.indices {
            var changed = bytes
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: GrantDefect.self, "\(index)") {
                try PubkyGrant(parsing: String(decoding: changed, as: UTF8.self))
            }
        }
        for text in ["", ".", "..", "a.b.c", Self.grantText + ".", "." + Self.grantText, Self.grantText + "="] {
            #expect(throws: GrantDefect.self) { try PubkyGrant(parsing: text) }
        }
    }

    /// Signs claims that no honest signer makes.
    private static func signed(
        _ claims: String, header: String = #"{"alg":"EdDSA","typ":"pubky-grant"}"#
    ) throws -> String {
        let content = [header, claims].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
        return content + "." + Base64URL.encode(try WireTests.pair(0x11).sign(Array(content.utf8)))
    }

    private static let claims = #"{"iss":"ISS","client_id":"c","caps":["/:rw"],"cnf":"ISS","jti":"a","iat":1,"exp":2}"#

    @Test(
        "Claims of another kind are refused, whatever their signature",
        arguments: [
            (#""client_id":"c""#, #""client_id":"""#), (#""caps":["/:rw"]"#, #""caps":"/:rw""#),
            (#""caps":["/:rw"]"#, #""caps":["/:rw",7]"#), (#""caps":["/:rw"]"#, #""caps":["/x//:rw"]"#),
            (#""jti":"a""#, #""jti":"""#), (#""jti":"a""#, #""jti":"12345678901234567890123""#),
            (#""jti":"a""#, #""jti":"a/b""#), (#""iat":1"#, #""iat":"1""#), (#""exp":2"#, #""exp":-2"#),
            (#""exp":2"#, #""exp":1.5"#), (#""cnf":"ISS""#, #""cnf":{"kid":"ISS"}"#),
            (#""cnf":"ISS""#, #""cnf":"pubkyISS""#), (#""iss":"ISS""#, #""iss":"y""#),
        ])
    func claims(_ from: String, _ to: String) throws {
        let key = try WireTests.pair(0x11).publicKey.text
        let good = Self.claims.replacing("ISS", with: key)
        _ = try PubkyGrant(parsing: Self.signed(good))
        _ = try PubkyGrant(parsing: Self.signed(good.replacing("{", with: #"{"extra":{"x":1},"#)))
        let bad = Self.claims.replacing(from, with: to).replacing("ISS", with: key)
        #expect(bad != good)
        #expect(throws: GrantDefect.format) { try PubkyGrant(parsing: Self.signed(bad)) }
    }

    @Test("No other algorithm and no other kind of token is taken, though the signature is right")
    func headers() throws {
        let claims = Self.claims.replacing("ISS", with: try WireTests.pair(0x11).publicKey.text)
        for (header, defect) in [
            (#"{"alg":"none","typ":"pubky-grant"}"#, .signature), (#"{"typ":"pubky-grant"}"#, .signature),
            (#"{"alg":"HS256","typ":"pubky-grant"}"#, .signature), (#"{"alg":"EdDSA","typ":"pubky-pop"}"#, .kind),
            (#"{"alg":"EdDSA"}"#, .kind), (#"[]"#, .format),
        ] as [(String, GrantDefect)] {
            #expect(throws: defect, "\(header)") { try PubkyGrant(parsing: Self.signed(claims, header: header)) }
        }
    }

    @Test(
        "An app's name has 1 to 253 bytes", arguments: [("", false), ("a", true), ("My App ü", true), ("a\nb", false)])
    func clientIDs(_ text: String, _ isOne: Bool) {
        #expect(PubkyGrant.isClientID(text) == isOne)
        #expect(PubkyGrant.isClientID(String(repeating: "a", count: 253)))
        #expect(!PubkyGrant.isClientID(String(repeating: "a", count: 254)))
    }

    // MARK: At rest

    @Test("A stored grant is read as it was written, and says why it cannot be used")
    func stored() throws {
        let held = try HeldGrant(
            Self.grant(), at: WireTests.pair(0x22).publicKey, seed: Redacted([UInt8](repeating: 0x33, count: 32)))
        let text = held.credential.reveal()
        #expect(
            text == "pubky-grant-credential-v1:wnpkm7d4c7caym93kzhpamjkn11hu8jdz4m9o3y1x9huopniwuay:"
                + "MzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzM:" + Self.grantText)
        #expect(try HeldGrant(Redacted(text), now: Self.time) == held)
        func code(_ text: String, now: UInt64 = Self.time) -> PaykitNetworkError.Code? {
            do {
                _ = try HeldGrant(Redacted(text), now: now)
                return nil
            } catch {
                #expect(!error.message.contains("MzMz") && !error.message.contains("eyJ"))
                return error.code
            }
        }
        #expect(code(text, now: 1_763_072_000) == .sessionExpired)
        #expect(code(text.replacing("-v1:", with: "-v2:")) == .validationFailed)
        #expect(code(text.replacing("wnpkm", with: "wnpkl")) == .validationFailed)
        #expect(code(text.replacing("MzMzMzMz", with: "MzMzMzM1")) == .validationFailed)
        #expect(code(text + ":") == .validationFailed)
        #expect(throws: GrantDefect.owner) {
            try HeldGrant(
                Self.grant(), at: WireTests.pair(0x22).publicKey, seed: Redacted([UInt8](repeating: 0x34, count: 32)))
        }
        var dumped = "\(held)"
        dump(held, to: &dumped)
        #expect(!dumped.contains("MzMz") && !dumped.contains("eyJ"))
    }

    // MARK: Through a relay

    @Test("The channel and the sealed texts of the recorded secret are the known ones")
    func sealed() throws {
        let secret = [UInt8](repeating: 0x44, count: 32)
        #expect(Base64URL.encode(secret) == "REREREREREREREREREREREREREREREREREREREREREQ")
        #expect(Base64URL.encode(BLAKE3.hash(secret)) == "9qccw9HChRBFOe4q2Q7-u47GjlgTq1LmoDKrxvArSco")
        let nonce = [UInt8](repeating: 5, count: 24)
        let hello = try SecretBox.seal(Array("hello".utf8), key: secret, nonce: nonce)
        #expect(Hex.encode(hello) == "7747bfa289db8ae88f9f0fb567f55f6013f700c28a")
        let grant = nonce + (try SecretBox.seal(Array(Self.grantText.utf8), key: secret, nonce: nonce))
        #expect(grant.count == 505)
        #expect(
            Hex.encode(Digest.sha256.hash(grant)) == "02174b3be076845fa9c50b14f74ae431892c8c6634873ec2a74ff77d449b73cf")
    }

    // MARK: Capabilities

    @Test(
        "Capabilities are as strict as at homeservers with grants",
        arguments: [
            ("/pub/a/:rw", "/pub/a/:rw"), ("/pub/a/:wr", "/pub/a/:rw"), ("/priv/x/:rwr", "/priv/x/:rw"),
            ("/pub/a:rw", "/pub/a:rw"), ("/pub/a b/:r", "/pub/a b/:r"), ("/pub/ä/:r", "/pub/ä/:r"), ("/:rw", "/:rw"),
            ("pub/a/:rw", nil), ("/pub/a/:x", nil), ("/pub/a/:", nil), ("/pub/a/", nil), ("/pub/a:b/:r", nil),
            ("/pub/a/../b/:r", nil), ("/pub/./b/:r", nil), ("/pub//a/:r", nil), (" /pub/b/:r", nil),
            ("/pub/a\\b/:r", nil), ("/pub/a\u{7}/:r", nil), ("/pub/a :r", nil), ("//:r", nil),
        ] as [(String, String?)])
    func capabilities(_ text: String, _ printed: String?) {
        #expect((try? PubkyCapability(text))?.text == printed)
        let longest = "/" + (0..<4).map { "\($0)" + String(repeating: "a", count: 241) }.joined(separator: "/")
        #expect(longest.utf8.count == 972)
        #expect((try? PubkyCapability(longest + ":r")) != nil)
        #expect((try? PubkyCapability(longest + "b:r")) == nil)
        #expect((try? PubkyCapability("/" + String(repeating: "a", count: 256) + ":r")) == nil)
    }

    @Test("One bad entry spoils a list; an empty text is an empty list")
    func lists() throws {
        #expect(try PubkyCapability.list("").isEmpty)
        #expect(try PubkyCapability.list("/pub/a/:r,/pub/a/:w").map(\.text) == ["/pub/a/:r", "/pub/a/:w"])
        #expect(try PubkyCapability.list("/pub/:rw,/pub/a/:r").count == 2)
        for text in ["/pub/a/:rw, /pub/b/:r", "/pub/a/:rw,bad,/pub/b/:r", "/pub/a/:rw,", ",", ",/pub/a/:r"] {
            #expect(throws: PubkyCapabilityDefect.self) { try PubkyCapability.list(text) }
        }
    }

    @Test("A directory covers what is below it, a file itself only")
    func coverage() throws {
        #expect(try PubkyCapability("/pub/a/:r").covers("/pub/a/b/c"))
        #expect(try PubkyCapability("/pub/a:r").covers("/pub/a"))
        #expect(try !PubkyCapability("/pub/a:r").covers("/pub/ab"))
        #expect(try !PubkyCapability("/pub/a:r").covers("/pub/a/b"))
        #expect(try !PubkyCapability("/pub/a/:r").covers("/pub/a"))
        #expect(PubkyCapability.root.covers("/priv/x"))
    }
}
