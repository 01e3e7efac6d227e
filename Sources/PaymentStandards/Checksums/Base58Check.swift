import PaymentCore
import PaymentCrypto

/// Base58 with four bytes of double SHA-256 at the end, as in Bitcoin's older addresses and their relatives.
enum Base58Check {
    /// Returns the version and payload of `part`; nil when it is not base58, too long for any address, or its checksum
    /// is wrong.
    static func decode(
        _ part: TextPart, _ alphabet: Base58.Alphabet = .bitcoin, limit: Int = Base58.longestText
    ) -> [UInt8]? {
        guard var payload = Base58.decode(part.bytes, alphabet, limit: limit), payload.count > 4 else { return nil }
        let written = checkWord(payload.suffix(4))
        payload.removeLast(4)
        return checkWord(checksum(payload)) == written ? payload : nil
    }

    /// Returns the text of a version and payload.
    static func encode(_ payload: [UInt8], _ alphabet: Base58.Alphabet = .bitcoin) -> String {
        Base58.encode(payload + checksum(payload), alphabet)
    }

    private static func checksum(_ payload: [UInt8]) -> ArraySlice<UInt8> {
        Digest.sha256.hashTwice(payload).prefix(4)
    }

    private static func checkWord(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
}
