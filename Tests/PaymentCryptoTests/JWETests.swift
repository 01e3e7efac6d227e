import Foundation
import PaymentCrypto
import Synchronization
import Testing

@Suite("Compact JWE with RSA-OAEP-256 and A256CBC-HS512")
struct JWETests {
    private let vectors: JWEVectors
    private let key: RSAPrivateKey

    init() throws {
        vectors = try JWEVectors.load()
        key = try RSAPrivateKey(pkcs8: [UInt8](base64: vectors.key.pkcs8))
    }

    private func read(_ header: [UInt8]) -> [String: String]? {
        try? JSONDecoder().decode([String: String].self, from: Data(header))
    }

    private func open(_ token: String) throws -> String {
        String(decoding: try JWE.decrypt(token, with: key, readHeader: read), as: UTF8.self)
    }

    @Test("What jwcrypto made is read")
    func reading() throws {
        #expect(vectors.jwcrypto.count == 7)
        for made in vectors.jwcrypto { #expect(try open(made.token) == made.plaintext) }
        #expect(try open(vectors.recorded.token) == vectors.recorded.plaintext)
        let larger = try RSAPrivateKey(pkcs8: [UInt8](base64: vectors.larger.pkcs8))
        let plaintext = try JWE.decrypt(vectors.larger.token, with: larger, readHeader: read)
        #expect(String(decoding: plaintext, as: UTF8.self) == vectors.larger.plaintext)
        #expect(larger.publicKey.bits == 3072)
    }

    @Test("What was made here and read by jwcrypto is of the same form as what is made now")
    func writing() throws {
        #expect(vectors.ours.tokens.count == 4)
        for made in vectors.ours.tokens {
            #expect(try open(made.token) == made.plaintext)
            let now = try JWE.encrypt(Array(made.plaintext.utf8), to: key.publicKey).split(separator: ".")
            let then = made.token.split(separator: ".")
            #expect(now[0] == then[0] && now.map(\.utf8.count) == then.map(\.utf8.count))
        }
    }

    @Test("With the recorded chance the recorded message comes out, but for the wrapped key, which is random")
    func recorded() throws {
        let publicKey = try RSAPublicKey(subjectPublicKeyInfo: [UInt8](base64: try #require(vectors.key.spki)))
        let chance = Mutex([[UInt8](hex: vectors.recorded.contentKey), [UInt8](hex: vectors.recorded.vector)])
        let token = try JWE.encrypt(Array(vectors.recorded.plaintext.utf8), to: publicKey) { count in
            let bytes = chance.withLock { $0.removeFirst() }
            #expect(bytes.count == count)
            return bytes
        }
        let parts = token.split(separator: ".")
        let expected = vectors.recorded.token.split(separator: ".")
        #expect(parts.count == 5 && parts[0] == expected[0] && parts[2...] == expected[2...])
        #expect(parts[1] != expected[1] && parts[1].count == 342)
        #expect(try open(token) == vectors.recorded.plaintext)
    }

    @Test("Two runs differ in every part but the header, and both are read")
    func randomness() throws {
        let one = try JWE.encrypt(Array("same".utf8), to: key.publicKey)
        let other = try JWE.encrypt(Array("same".utf8), to: key.publicKey)
        for (left, right) in zip(one.split(separator: "."), other.split(separator: ".")).dropFirst() {
            #expect(left != right)
        }
        #expect(try open(one) == "same" && open(other) == "same")
    }

    @Test("Other algorithms and headers that change the meaning are refused")
    func headers() {
        #expect(vectors.refused.count == 4)
        for refused in vectors.refused {
            #expect(throws: CryptoError.self, "\(refused.header)") { try open(refused.token) }
        }
    }

    @Test("A change anywhere is found")
    func changes() throws {
        let parts = vectors.recorded.token.split(separator: ".").map(String.init)
        for index in parts.indices {
            var changed = parts
            let first = changed[index].removeFirst()
            changed[index].insert(first == "A" ? "B" : "A", at: changed[index].startIndex)
            #expect(throws: CryptoError.self, "part \(index)") { try open(changed.joined(separator: ".")) }
            changed[index] = ""
            #expect(throws: CryptoError.self, "empty part \(index)") { try open(changed.joined(separator: ".")) }
        }
        for text in [
            "", ".", "....", "a.b.c.d.e", vectors.recorded.token + ".", String(vectors.recorded.token.dropLast()),
        ] {
            #expect(throws: CryptoError.self) { try open(text) }
        }
    }

    @Test("A wrong key and a changed content fail alike, so that nothing can be learnt by trying")
    func oracle() throws {
        let other = try RSAPrivateKey.generate()
        var parts = vectors.recorded.token.split(separator: ".").map(String.init)
        let wrongKey = #expect(throws: CryptoError.self) {
            try JWE.decrypt(vectors.recorded.token, with: other, readHeader: read)
        }
        parts[4] = String(parts[4].reversed())
        let wrongTag = #expect(throws: CryptoError.self) { try open(parts.joined(separator: ".")) }
        #expect(wrongKey == wrongTag)
    }

    @Test("A new key reads what was encrypted to it, and prints as nothing")
    func generation() throws {
        let key = try RSAPrivateKey.generate()
        #expect(key.publicKey.bits == 2048 && key.publicKey.subjectPublicKeyInfo.count == 294)
        let again = try RSAPublicKey(subjectPublicKeyInfo: key.publicKey.subjectPublicKeyInfo)
        let token = try JWE.encrypt([1, 2, 3], to: again)
        #expect(try JWE.decrypt(token, with: key, readHeader: read) == [1, 2, 3])
        var dumped = ""
        dump(key, to: &dumped)
        #expect(dumped == "- RSAPrivateKey(2048 bits)\n" && "\(key)" == "RSAPrivateKey(2048 bits)")
        #expect(throws: CryptoError.self) { try RSAPrivateKey.generate(bits: 1024) }
    }

    @Test("Only RSA keys of 2048 bits or more, and nothing around them")
    func keys() throws {
        for text in [vectors.weak.spki, vectors.otherKind.spki, vectors.key.pkcs8, ""] {
            #expect(throws: CryptoError.self) {
                try RSAPublicKey(subjectPublicKeyInfo: [UInt8](base64: try #require(text)))
            }
        }
        for text in [vectors.weak.pkcs8, vectors.otherKind.pkcs8, try #require(vectors.key.spki), ""] {
            #expect(throws: CryptoError.self) { try RSAPrivateKey(pkcs8: [UInt8](base64: text)) }
        }
        let der = [UInt8](base64: try #require(vectors.key.spki))
        #expect(throws: CryptoError.self) { try RSAPublicKey(subjectPublicKeyInfo: der + [0]) }
        #expect(throws: CryptoError.self) { try RSAPublicKey(subjectPublicKeyInfo: der.dropLast()) }
    }
}

@Suite("AES-CBC with HMAC, and OAEP")
struct AESCBCHMACTests {
    private static let ciphers: [String: AESCBCHMAC] = [
        "A128CBC-HS256": .a128CBCHS256, "A192CBC-HS384": .a192CBCHS384, "A256CBC-HS512": .a256CBCHS512,
    ]

    @Test("RFC 7518 appendix B and RFC 7516 appendix A.3, both ways")
    func examples() throws {
        let examples = try JWEVectors.load().rfc7518
        #expect(examples.count == 4)
        for example in examples {
            let cipher = try #require(Self.ciphers[example.cipher])
            let (key, vector, data) = (
                [UInt8](hex: example.key), [UInt8](hex: example.vector), [UInt8](hex: example.data)
            )
            let sealed = AESCBCHMAC.Sealed(
                ciphertext: [UInt8](hex: example.ciphertext), tag: [UInt8](hex: example.tag))
            let plaintext = [UInt8](hex: example.plaintext)
            #expect(
                try cipher.encrypt(plaintext, key: key, vector: vector, authenticating: data) == sealed,
                "\(example.section)")
            #expect(try cipher.decrypt(sealed, key: key, vector: vector, authenticating: data) == plaintext)
            for wrong in [
                AESCBCHMAC.Sealed(ciphertext: sealed.ciphertext, tag: sealed.tag.reversed()),
                AESCBCHMAC.Sealed(ciphertext: sealed.ciphertext.reversed(), tag: sealed.tag),
                AESCBCHMAC.Sealed(ciphertext: [], tag: sealed.tag),
                AESCBCHMAC.Sealed(ciphertext: sealed.ciphertext, tag: []),
            ] {
                #expect(throws: CryptoError.self) {
                    try cipher.decrypt(wrong, key: key, vector: vector, authenticating: data)
                }
            }
            #expect(throws: CryptoError.self) {
                try cipher.decrypt(sealed, key: key, vector: vector, authenticating: data + [0])
            }
        }
    }

    @Test("Every length around a block comes back; keys and vectors of other lengths are refused")
    func lengths() throws {
        let cipher = AESCBCHMAC.a256CBCHS512
        let key = SecureRandom.bytes(64)
        let vector = SecureRandom.bytes(16)
        for count in 0...33 {
            let plaintext = [UInt8](repeating: 7, count: count)
            let sealed = try cipher.encrypt(plaintext, key: key, vector: vector, authenticating: [])
            #expect(sealed.ciphertext.count == (count / 16 + 1) * 16 && sealed.tag.count == 32)
            #expect(try cipher.decrypt(sealed, key: key, vector: vector, authenticating: []) == plaintext)
        }
        #expect(throws: CryptoError.self) { try cipher.encrypt([], key: [1], vector: vector, authenticating: []) }
        #expect(throws: CryptoError.self) { try cipher.encrypt([], key: key, vector: [1], authenticating: []) }
    }

    @Test("RFC 7516 appendix A.1: the content key behind RSA-OAEP")
    func oaep() throws {
        let example = try JWEVectors.load().rfc7516A1
        let key = try RSAPrivateKey(pkcs8: [UInt8](base64: example.pkcs8))
        let wrapped = [UInt8](hex: example.encryptedKey)
        #expect(try key.decrypt(wrapped, .sha1) == [UInt8](hex: example.contentKey))
        #expect(throws: CryptoError.self) { try key.decrypt(wrapped, .sha256) }
        for digest in OAEPDigest.allCases {
            #expect(try key.decrypt(try key.publicKey.encrypt([1, 2], digest), digest) == [1, 2])
        }
        // 2048 bits hold at most 256 - 2 * 32 - 2 bytes (RFC 8017 section 7.1.1).
        #expect(throws: CryptoError.self) { try key.publicKey.encrypt([UInt8](repeating: 0, count: 191), .sha256) }
    }

    @Test("Random bytes do not repeat")
    func randomness() {
        #expect(SecureRandom.bytes(16) != SecureRandom.bytes(16) && SecureRandom.bytes(0).isEmpty)
    }
}
