import PaykitProvider
import PaymentCore
import TestSupport
import Testing

@testable import PaymentCrypto

/// Against other implementations: `pubky-crypto.json` names them.
@Suite("Primitives of the Pubky network")
struct PubkyPrimitivesTests {
    private func rows(_ list: String) throws -> [JSONValue] {
        let json = try JSONValue(parsing: Array(try Vectors.data("pubky-crypto")))
        return try #require(json[list]?.array)
    }

    private func bytes(_ row: JSONValue, _ name: String) throws -> [UInt8] {
        try #require(row[name]?.string.flatMap(Hex.decode))
    }

    private func pattern(_ row: JSONValue) throws -> [UInt8] {
        let count = try #require(row["count"]?.int64)
        return (0..<Int(count)).map { UInt8($0 % 251) }
    }

    @Test("BLAKE3 gives the specification's digests, at block, chunk and subtree edges")
    func blake3() throws {
        for row in try rows("blake3") { #expect(BLAKE3.hash(try pattern(row)) == (try bytes(row, "digest"))) }
    }

    @Test("BLAKE2s gives the same digests with and without a library")
    func blake2s() throws {
        for row in try rows("blake2s") {
            let input = try pattern(row)
            #expect(BLAKE2s.hash(input) == (try bytes(row, "digest")))
            #expect(BLAKE2s.portable(input) == (try bytes(row, "digest")))
        }
        for row in try rows("hmacBlake2s") {
            #expect(BLAKE2s.authenticate(try pattern(row), key: try bytes(row, "key")) == (try bytes(row, "code")))
        }
    }

    @Test("Ed25519 signs as others do, and what it signs is valid")
    func ed25519() throws {
        for row in try rows("ed25519") {
            let (seed, message) = (try bytes(row, "seed"), try bytes(row, "message"))
            let key = try bytes(row, "public")
            #expect(try Ed25519.publicKey(seed: seed) == key)
            #expect(try Ed25519.sign(message, seed: seed) == (try bytes(row, "signature")))
            #expect(Ed25519.isValid(try Ed25519.sign(message, seed: seed), message: message, publicKey: key))
            #expect(!Ed25519.isValid(try bytes(row, "signature"), message: message + [0], publicKey: key))
        }
        #expect(throws: CryptoError.self) { try Ed25519.sign([], seed: [1, 2, 3]) }
        #expect(throws: CryptoError.self) { try Ed25519.publicKey(seed: []) }
    }

    @Test("A text of 32 bytes is a point or not, with its Montgomery form, as big-number arithmetic says")
    func points() throws {
        for row in try rows("points") {
            let point = try bytes(row, "bytes")
            #expect(EdwardsPoint.isValid(point) == row["valid"]?.bool, "\(row)")
            #expect(EdwardsPoint.montgomery(point).map(Hex.encode) == row["montgomery"]?.string, "\(row)")
        }
        #expect(!EdwardsPoint.isValid([]))
        #expect(!EdwardsPoint.isValid([UInt8](repeating: 0, count: 33)))
    }

    @Test("X25519 agrees on the secrets that others do, and on none with a point of small order")
    func x25519() throws {
        for row in try rows("x25519") {
            let own = try bytes(row, "private")
            #expect(try X25519.publicKey(of: own) == (try bytes(row, "public")))
            #expect(try X25519.sharedSecret(own, with: try bytes(row, "other")) == (try bytes(row, "shared")))
            for point in try rows("smallOrder") {
                let point = try #require(point.string.flatMap(Hex.decode))
                #expect(throws: CryptoError.self) { try X25519.sharedSecret(own, with: point) }
            }
            #expect(throws: CryptoError.self) { try X25519.sharedSecret(own, with: [9]) }
            #expect(throws: CryptoError.self) { try X25519.sharedSecret([9], with: own) }
        }
    }

    @Test("ChaCha20-Poly1305 seals as others do, and opens nothing that was changed")
    func chacha() throws {
        for row in try rows("chacha20poly1305") {
            let (key, nonce) = (try bytes(row, "key"), try bytes(row, "nonce"))
            let (plain, data) = (try bytes(row, "plaintext"), try bytes(row, "data"))
            let sealed = try bytes(row, "sealed")
            #expect(try ChaCha20Poly1305.seal(plain, key: key, nonce: nonce, authenticating: data) == sealed)
            #expect(try ChaCha20Poly1305.open(sealed, key: key, nonce: nonce, authenticating: data) == plain)
            for index in sealed.indices {
                var changed = sealed
                changed[index] ^= 1
                #expect(throws: CryptoError.self) {
                    try ChaCha20Poly1305.open(changed, key: key, nonce: nonce, authenticating: data)
                }
            }
            #expect(throws: CryptoError.self) {
                try ChaCha20Poly1305.open(sealed, key: key, nonce: nonce, authenticating: data + [0])
            }
            #expect(throws: CryptoError.self) {
                try ChaCha20Poly1305.open(Array(sealed.prefix(15)), key: key, nonce: nonce, authenticating: data)
            }
            #expect(throws: CryptoError.self) {
                try ChaCha20Poly1305.seal(plain, key: [1], nonce: nonce, authenticating: data)
            }
        }
    }

    @Test("XChaCha20-Poly1305 seals as others do, and opens nothing that was changed")
    func xchacha() throws {
        for row in try rows("xchacha20poly1305") {
            let (key, nonce) = (try bytes(row, "key"), try bytes(row, "nonce"))
            let (plain, data) = (try bytes(row, "plaintext"), try bytes(row, "data"))
            let sealed = try bytes(row, "sealed")
            #expect(try XChaCha20Poly1305.seal(plain, key: key, nonce: nonce, authenticating: data) == sealed)
            #expect(try XChaCha20Poly1305.open(sealed, key: key, nonce: nonce, authenticating: data) == plain)
            var changed = sealed
            changed[0] ^= 1
            #expect(throws: SodiumError.self) {
                try XChaCha20Poly1305.open(changed, key: key, nonce: nonce, authenticating: data)
            }
            #expect(throws: SodiumError.self) {
                try XChaCha20Poly1305.open(sealed, key: key, nonce: nonce, authenticating: data + [0])
            }
        }
        #expect(throws: SodiumError.self) { try XChaCha20Poly1305.seal([], key: [], nonce: [], authenticating: []) }
    }

    @Test("A secretbox has its tag in front, and is refused when it was changed")
    func secretBox() throws {
        for row in try rows("secretbox") {
            let (key, nonce) = (try bytes(row, "key"), try bytes(row, "nonce"))
            let (plain, sealed) = (try bytes(row, "plaintext"), try bytes(row, "sealed"))
            #expect(try SecretBox.seal(plain, key: key, nonce: nonce) == sealed)
            #expect(try SecretBox.open(sealed, key: key, nonce: nonce) == plain)
            var changed = sealed
            changed[sealed.count - 1] ^= 1
            #expect(throws: SodiumError.self) { try SecretBox.open(changed, key: key, nonce: nonce) }
            #expect(throws: SodiumError.self) { try SecretBox.open(Array(sealed.prefix(15)), key: key, nonce: nonce) }
        }
    }

    @Test("HKDF makes the keys that others make")
    func hkdf() throws {
        for row in try rows("hkdf") {
            let output = try bytes(row, "output")
            let made = HKDF.derive(
                row["digest"]?.string == "sha512" ? .sha512 : .sha256, secret: try bytes(row, "secret"),
                salt: try bytes(row, "salt"), info: try bytes(row, "info"), byteCount: output.count)
            #expect(made == output)
        }
    }
}
