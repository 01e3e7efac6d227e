import PaymentCore
import PaymentCrypto

/// Base58 with four bytes of double SHA-256 at the end, as Bitcoin's older addresses and their relatives have it.
enum Base58Check {
    /// The version and payload that `part` spells; nil when it is not base58, too long for any address, or its checksum
    /// is wrong.
    static func decode(_ part: TextPart, _ alphabet: Base58.Alphabet = .bitcoin) -> [UInt8]? {
        guard let bytes = Base58.decode(part.bytes, alphabet), bytes.count > 4 else { return nil }
        let payload = Array(bytes.dropLast(4))
        return checksum(payload).elementsEqual(bytes.suffix(4)) ? payload : nil
    }

    /// The text of a version and payload.
    static func encode(_ payload: [UInt8], _ alphabet: Base58.Alphabet = .bitcoin) -> String {
        Base58.encode(payload + checksum(payload), alphabet)
    }

    private static func checksum(_ payload: [UInt8]) -> ArraySlice<UInt8> {
        Digest.sha256.hash(Digest.sha256.hash(payload)).prefix(4)
    }
}
