import Testing

@testable import PaymentCrypto

@Suite("The DER around RSA keys")
struct RSAContainerTests {
    @Test("Taken off and put on again, as Apple's Security framework needs it")
    func roundTrip() throws {
        let vectors = try JWEVectors.load()
        let der = [UInt8](base64: try #require(vectors.key.spki))
        let inner = try #require(RSAContainer.publicKey(in: der))
        // SEQUENCE of a 257-byte modulus with its sign byte, and 65537.
        #expect(
            inner.count == 270 && inner.prefix(4) == [0x30, 0x82, 0x01, 0x0A] && inner.suffix(5) == [2, 3, 1, 0, 1])
        #expect(RSAContainer.subjectPublicKeyInfo(of: inner) == der)
        let key = try #require(RSAContainer.privateKey(in: [UInt8](base64: vectors.key.pkcs8)))
        // RSAPrivateKey begins with version 0 and then the same modulus.
        #expect(key.first == 0x30 && Array(key[4...6]) == [2, 1, 0] && Array(key[7..<268]) == Array(inner[4..<265]))
    }

    @Test("Anything else is none")
    func others() throws {
        let vectors = try JWEVectors.load()
        let der = [UInt8](base64: try #require(vectors.key.spki))
        let bad: [[UInt8]] = [
            [], [0x30], der.dropLast(), der + [0], Array(der.dropFirst()), [0x30, 0x80] + der.dropFirst(4),
        ]
        for bad in bad {
            #expect(RSAContainer.publicKey(in: bad) == nil)
            #expect(RSAContainer.privateKey(in: bad) == nil)
        }
        #expect(RSAContainer.publicKey(in: [UInt8](base64: try #require(vectors.otherKind.spki))) == nil)
        #expect(RSAContainer.privateKey(in: [UInt8](base64: vectors.otherKind.pkcs8)) == nil)
    }
}
