import PaymentCore
import PaymentCrypto
import Testing

@Suite("Keccak-256")
struct Keccak256Tests {
    @Test("digests", arguments: try VectorFile("keccak256").valid)
    func digests(row: VectorFile.Row) {
        let message = row.inputBytes("hex")
        #expect(Hex.encode(Keccak256.hash(message)) == row.expected("digest"))

        var pieces = Keccak256()
        for byte in message { pieces.update(CollectionOfOne(byte)) }
        #expect(Hex.encode(pieces.finalize()) == row.expected("digest"))
    }

    @Test("is not SHA3-256", arguments: try VectorFile("keccak256").invalid)
    func isNotSHA3(row: VectorFile.Row) {
        #expect(row.input("digest").count == 64)
        #expect(Hex.encode(Keccak256.hash(row.inputBytes("hex"))) != row.input("digest"))
    }

    @Test("The message may continue after a digest")
    func theMessageMayGoOnAfterADigest() {
        var hasher = Keccak256()
        hasher.update("ab".utf8)
        _ = hasher.finalize()
        hasher.update("c".utf8)
        #expect(hasher.finalize() == Keccak256.hash("abc".utf8))
    }
}
