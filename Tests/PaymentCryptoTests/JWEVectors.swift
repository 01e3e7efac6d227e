import Foundation
import TestSupport

/// `Tests/Vectors/payrails-jwe.json`, which names its source.
struct JWEVectors: Decodable {
    struct Key: Decodable {
        let spki: String?
        let pkcs8: String
    }

    struct Recorded: Decodable {
        let plaintext: String
        let token: String
        let contentKey: String
        let vector: String
    }

    struct Made: Decodable {
        let plaintext: String
        let token: String
    }

    struct Ours: Decodable {
        let tokens: [Made]
    }

    struct Refused: Decodable {
        let header: String
        let token: String
    }

    struct Larger: Decodable {
        let pkcs8: String
        let plaintext: String
        let token: String
    }

    struct Cipher: Decodable {
        let section: String
        let cipher: String
        let key: String
        let vector: String
        let data: String
        let plaintext: String
        let ciphertext: String
        let tag: String
    }

    struct Wrapped: Decodable {
        let pkcs8: String
        let encryptedKey: String
        let contentKey: String
    }

    let key: Key
    let recorded: Recorded
    let jwcrypto: [Made]
    let refused: [Refused]
    let ours: Ours
    let larger: Larger
    let weak: Key
    let otherKind: Key
    let rfc7516A1: Wrapped
    let rfc7518: [Cipher]

    static func load() throws -> JWEVectors {
        try JSONDecoder().decode(JWEVectors.self, from: Vectors.data("payrails-jwe"))
    }
}

extension [UInt8] {
    init(hex: String) {
        self = stride(from: 0, to: hex.utf8.count, by: 2).compactMap { offset in
            let start = hex.index(hex.startIndex, offsetBy: offset)
            return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16)
        }
    }

    init(base64: String) { self = Array(Data(base64Encoded: base64) ?? Data()) }
}
