/// Keys made from other secrets (RFC 5869), over any hash of ``Digest``.
public enum HKDF {
    /// Returns `byteCount` bytes made from `secret`.
    ///
    /// - Parameters:
    ///   - digest: the hash.
    ///   - secret: the secret bytes.
    ///   - salt: bytes that need not be secret; empty counts as zeros.
    ///   - info: the purpose of the derived bytes.
    ///   - byteCount: at most 255 times the hash's length.
    public static func derive(
        _ digest: Digest, secret: [UInt8], salt: [UInt8], info: [UInt8], byteCount: Int
    ) -> [UInt8] {
        precondition(byteCount <= 255 * digest.byteCount, "HKDF makes at most 255 blocks")
        let key = digest.authenticate(
            secret, key: salt.isEmpty ? [UInt8](repeating: 0, count: digest.byteCount) : salt)
        var output: [UInt8] = []
        var block: [UInt8] = []
        var counter: UInt8 = 1
        while output.count < byteCount {
            block = digest.authenticate(block + info + [counter], key: key)
            output += block
            counter &+= 1
        }
        return Array(output.prefix(byteCount))
    }
}
