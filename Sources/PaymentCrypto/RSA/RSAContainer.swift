/// The DER around RSA keys: the Security framework takes and returns only the inner part (PKCS #1).
enum RSAContainer {
    /// `rsaEncryption` (1.2.840.113549.1.1.1) with its null parameter, as an AlgorithmIdentifier.
    private static let algorithm: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]

    /// The RSAPublicKey inside a SubjectPublicKeyInfo, or nil.
    static func publicKey(in der: [UInt8]) -> [UInt8]? {
        guard let outer = element(0x30, der[...]), outer.rest.isEmpty, outer.content.starts(with: algorithm),
            let bits = element(0x03, outer.content.dropFirst(algorithm.count)), bits.rest.isEmpty,
            bits.content.first == 0
        else { return nil }
        return Array(bits.content.dropFirst())
    }

    /// The RSAPrivateKey inside a PrivateKeyInfo, or nil.
    static func privateKey(in der: [UInt8]) -> [UInt8]? {
        guard let outer = element(0x30, der[...]), outer.rest.isEmpty, let version = element(0x02, outer.content),
            version.rest.starts(with: algorithm),
            let key = element(0x04, version.rest.dropFirst(algorithm.count))
        else { return nil }
        return Array(key.content)
    }

    /// The SubjectPublicKeyInfo around an RSAPublicKey.
    static func subjectPublicKeyInfo(of key: [UInt8]) -> [UInt8] {
        wrap(0x30, algorithm + wrap(0x03, [0] + key))
    }

    /// An element of `tag` that holds `content`.
    static func wrap(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count > 127 else { return [tag, UInt8(content.count)] + content }
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    /// The first element of `bytes` when it has this tag and a length in its shortest form.
    private static func element(
        _ tag: UInt8, _ bytes: ArraySlice<UInt8>
    ) -> (content: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
        guard bytes.first == tag, let short = bytes.dropFirst().first else { return nil }
        var rest = bytes.dropFirst(2)
        var length = Int(short)
        if short & 0x80 != 0 {
            let count = Int(short & 0x7F)
            guard 1...3 ~= count, rest.count >= count, rest.first != 0 else { return nil }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            guard length > 127 else { return nil }
            rest = rest.dropFirst(count)
        }
        guard length <= rest.count else { return nil }
        return (rest.prefix(length), rest.dropFirst(length))
    }
}
