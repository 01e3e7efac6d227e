import PaymentCore
import Testing

@testable import PaymentCrypto

@Suite("Digests and signatures of chains")
struct ChainDigestTests {
    @Test("BLAKE2b gives the digests of RFC 7693, at block edges too")
    func blake() {
        #expect(
            Hex.encode(BLAKE2b.hash(Array("abc".utf8), byteCount: 64))
                == "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                + "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923")
        #expect(
            Hex.encode(BLAKE2b.hash([], byteCount: 32))
                == "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8")
        for (count, digest) in [
            (127, "370b617f89e1bcca"), (128, "a02bbb5919353a3a"), (129, "666f38561ddfb244"), (256, "d02dc5ab9cbf6559"),
        ] {
            #expect(Hex.encode(BLAKE2b.hash([UInt8](repeating: 7, count: count), byteCount: 8)) == digest)
        }
    }

    @Test("SHA-512/256 is the same with and without a library", arguments: [0, 3, 111, 112, 127, 128, 129, 1000])
    func truncated(_ count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(SHA512Slash256.hash(bytes) == SHA512Slash256.portable(bytes))
    }

    @Test("SHA-512/256 gives the digest of FIPS 180-4's sample")
    func sample() {
        #expect(
            Hex.encode(SHA512Slash256.portable(Array("abc".utf8)))
                == "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23")
    }

    @Test("Ed25519 takes RFC 8032's second sample, and nothing changed or of a wrong length")
    func edwards() throws {
        let key = try #require(Hex.decode("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"))
        let signature = try #require(
            Hex.decode(
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                    + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"))
        #expect(Ed25519.isValid(signature, message: [0x72], publicKey: key))
        #expect(!Ed25519.isValid(signature, message: [0x73], publicKey: key))
        #expect(!Ed25519.isValid(Array(signature.dropLast()), message: [0x72], publicKey: key))
        #expect(!Ed25519.isValid(signature, message: [0x72], publicKey: Array(key.dropLast())))
        #expect(!Ed25519.isValid(signature, message: [], publicKey: [UInt8](repeating: 0xFF, count: 32)))
    }

    @Test("Keys that are none sign nothing")
    func brokenKeys() {
        let zeros = [UInt8](repeating: 0, count: 64)
        #expect(!PublicSignature.isValidP256(zeros, message: [1], key: zeros))
        #expect(!PublicSignature.isValidRSA(zeros + zeros, message: [1], modulus: zeros + zeros, exponent: [1]))
        #expect(!PublicSignature.isValidRSA([], message: [], modulus: [], exponent: []))
    }
}
