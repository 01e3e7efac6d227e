import PaymentCrypto
import Testing

@Suite("Digests and keyed digests")
struct DigestTests {
    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test(
        "FIPS 180-4 digests of 'abc' (NIST CSRC examples)",
        arguments: [
            (Digest.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                .sha384,
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
            ),
            (
                .sha512,
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
        ])
    func abc(digest: Digest, expected: String) {
        #expect(hex(digest.hash(Array("abc".utf8))) == expected)
        #expect(digest.hash([]).count == digest.byteCount)
    }

    @Test("The empty message")
    func empty() {
        #expect(hex(Digest.sha256.hash([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test("RFC 4231 test cases 1, 2 and 6")
    func hmac() {
        #expect(
            hex(Digest.sha256.authenticate(Array("Hi There".utf8), key: [UInt8](repeating: 0x0B, count: 20)))
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        #expect(
            hex(Digest.sha256.authenticate(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let message = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        #expect(
            hex(Digest.sha256.authenticate(message, key: [UInt8](repeating: 0xAA, count: 131)))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
        #expect(
            hex(Digest.sha512.authenticate(message, key: [UInt8](repeating: 0xAA, count: 131)))
                == "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"
        )
    }

    @Test("An empty key is a key")
    func emptyKey() {
        #expect(
            hex(Digest.sha256.authenticate([], key: []))
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test("Base64url as RFC 4648 section 10 and RFC 7515 appendix C have it")
    func base64() {
        let pairs = ["": "", "f": "Zg", "fo": "Zm8", "foo": "Zm9v", "foob": "Zm9vYg", "fooba": "Zm9vYmE"]
        for (plain, text) in pairs {
            #expect(Base64URL.encode(Array(plain.utf8)) == text)
            #expect(Base64URL.decode(text) == Array(plain.utf8))
        }
        #expect(Base64URL.encode([3, 236, 255, 224, 193]) == "A-z_4ME")
        for bad in ["Zg==", "Z", "Zh", "Zm9=", "A+z/4ME", "Zm 8", "Zm8\n", "é"] {
            #expect(Base64URL.decode(bad) == nil, "\(bad)")
        }
    }

    @Test("Comparison in constant time agrees with equality")
    func constantTime() {
        #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2, 4]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2]))
        #expect(ConstantTime.equal([], []))
    }
}
