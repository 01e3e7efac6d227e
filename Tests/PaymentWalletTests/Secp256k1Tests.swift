import PaymentCore
import PaymentSecp256k1
import Testing

@Suite("secp256k1")
struct Secp256k1Tests {
    @Test("signs, verifies and recovers", arguments: try VectorFile("secp256k1-rfc6979").valid)
    func signs(row: VectorFile.Row) throws {
        let digest = row.inputBytes("digest")
        let key = try Secp256k1PrivateKey(row.inputBytes("privateKey"))
        #expect(Hex.encode(key.publicKey.compressed) == row.expected("publicKey"))

        let signature = try key.sign(digest: digest)
        #expect(Hex.encode(signature.r) == row.expected("r"))
        #expect(Hex.encode(signature.s) == row.expected("s"))
        #expect(Int64(signature.recoveryID) == row.json["expect"]?["recoveryId"]?.int64)
        #expect(signature.hasLowS)

        #expect(try key.publicKey.verify(digest: digest, signature: signature))
        #expect(try Secp256k1PublicKey.recover(digest: digest, signature: signature) == key.publicKey)
        #expect(try Secp256k1PublicKey(parsing: key.publicKey.compressed) == key.publicKey)
        #expect(try Secp256k1PublicKey(parsing: key.publicKey.uncompressed) == key.publicKey)

        var other = digest
        other[31] ^= 1
        #expect(try !key.publicKey.verify(digest: other, signature: signature))
    }

    @Test("refuses", arguments: try VectorFile("secp256k1-rfc6979").invalid)
    func refuses(row: VectorFile.Row) throws {
        let (r, s) = (row.inputBytes("r"), row.inputBytes("s"))
        let error = #expect(throws: Secp256k1Error.self) {
            _ = try Secp256k1PublicKey(parsing: row.inputBytes("publicKey"))
            _ = try RecoverableSignature(r: r, s: s, recoveryID: 0)
        }
        let expected: [String: Secp256k1Error] = [
            "high-s": .highS, "range": .invalidSignature, "point": .invalidPublicKey,
        ]
        #expect(error == expected[row.json["class"]?.string ?? ""])
        if error == .highS {
            let malleable = try RecoverableSignature(r: r, s: s, recoveryID: 0, allowingHighS: true)
            let key = try Secp256k1PublicKey(parsing: row.inputBytes("publicKey"))
            #expect(!malleable.hasLowS)
            #expect(try !key.verify(digest: row.inputBytes("digest"), signature: malleable))
        }
    }

    static let order = Hex.decode("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141") ?? []

    @Test(
        "refuses private keys out of range",
        arguments: [[], [1], [UInt8](repeating: 0, count: 32), order, [UInt8](repeating: 255, count: 32), order + [0]])
    func privateKeyRange(bytes: [UInt8]) {
        #expect(throws: Secp256k1Error.invalidPrivateKey) { try Secp256k1PrivateKey(bytes) }
    }

    @Test("refuses public keys in other forms", arguments: [0, 1, 5, 6, 7, 0x30] as [UInt8])
    func publicKeyForms(prefix: UInt8) throws {
        let key = try Secp256k1PrivateKey([UInt8](repeating: 7, count: 32)).publicKey
        #expect(throws: Secp256k1Error.invalidPublicKey) {
            try Secp256k1PublicKey(parsing: [prefix] + key.uncompressed.dropFirst())
        }
        #expect(throws: Secp256k1Error.invalidPublicKey) {
            try Secp256k1PublicKey(parsing: [prefix] + key.compressed.dropFirst())
        }
        #expect(throws: Secp256k1Error.invalidPublicKey) {
            try Secp256k1PublicKey(parsing: key.uncompressed.dropLast())
        }
        #expect(throws: Secp256k1Error.invalidPublicKey) { try Secp256k1PublicKey(parsing: []) }
    }

    @Test("Checks ranges and lengths")
    func checksRangesAndLengths() throws {
        let one = [UInt8](repeating: 0, count: 31) + [1]
        #expect(throws: Secp256k1Error.invalidSignature) { try RecoverableSignature(r: one, s: one, recoveryID: 4) }
        #expect(throws: Secp256k1Error.invalidSignature) { try RecoverableSignature(r: [1], s: one, recoveryID: 0) }
        // x = 1 + n is no coordinate of a point with these bits, and x = 5 names none at all.
        let five = [UInt8](repeating: 0, count: 31) + [5]
        let pointless = try RecoverableSignature(r: five, s: one, recoveryID: 0)
        #expect(throws: Secp256k1Error.unrecoverable) {
            try Secp256k1PublicKey.recover(digest: one, signature: pointless)
        }
        let reduced = try RecoverableSignature(r: [0x7F] + one.dropFirst(), s: one, recoveryID: 2)
        #expect(throws: Secp256k1Error.unrecoverable) {
            try Secp256k1PublicKey.recover(digest: one, signature: reduced)
        }
        let key = try Secp256k1PrivateKey(one)
        for digest in [[], [UInt8](repeating: 1, count: 31), [UInt8](repeating: 1, count: 33)] {
            #expect(throws: Secp256k1Error.invalidDigest) { try key.sign(digest: digest) }
            #expect(throws: Secp256k1Error.invalidDigest) {
                try key.publicKey.verify(digest: digest, signature: pointless)
            }
            #expect(throws: Secp256k1Error.invalidDigest) {
                try Secp256k1PublicKey.recover(digest: digest, signature: pointless)
            }
        }
    }

    @Test("A private key never prints")
    func aPrivateKeyNeverPrints() throws {
        let key = try Secp256k1PrivateKey([UInt8](repeating: 0xAB, count: 32))
        var printed = "\(key) \(String(reflecting: key))"
        dump(key, to: &printed)
        #expect(!printed.lowercased().contains("ab") && !printed.contains("171"))
    }

    @Test("Many threads share the context")
    func manyThreadsShareTheContext() async throws {
        let key = try Secp256k1PrivateKey([UInt8](repeating: 7, count: 32))
        let digest = [UInt8](repeating: 9, count: 32)
        let expected = try key.sign(digest: digest)
        try await withThrowingTaskGroup(of: RecoverableSignature.self) { group in
            for _ in 0..<64 { group.addTask { try key.sign(digest: digest) } }
            for try await signature in group { #expect(signature == expected) }
        }
    }
}
