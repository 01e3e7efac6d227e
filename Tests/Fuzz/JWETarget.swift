import Foundation
import FuzzModel
import PaymentCore
import PaymentCrypto
import TestSupport

/// Encrypted cards in compact form: a vault's untrusted input.
struct JWETarget: FuzzTarget {
    static let name = "compact JWE"
    /// Small: every token of the right form costs an operation with a private key.
    static let share = 2

    let corpus: Corpus
    private(set) var counts: [String: Int] = [:]
    private let key: RSAPrivateKey
    /// The tokens that were made for the key, with their content.
    private let genuine: [String: String]

    private struct Unusable: Error {}

    init() throws {
        let json = try JSONValue(parsing: [UInt8](try Vectors.data("payrails-jwe")))
        guard let der = json["key"]?["pkcs8"]?.string.flatMap({ Data(base64Encoded: $0) }) else { throw Unusable() }
        key = try RSAPrivateKey(pkcs8: [UInt8](der))
        let made = [json["recorded"]].compactMap(\.self) + (json["jwcrypto"]?.array ?? [])
        let pairs = made.compactMap { entry in
            entry["token"]?.string.flatMap { token in entry["plaintext"]?.string.map { (token, $0) } }
        }
        let refused = (json["refused"]?.array ?? []).compactMap { $0["token"]?.string }
        genuine = Dictionary(pairs) { first, _ in first }
        corpus = Corpus(
            pairs.map(\.0) + refused,
            pieces: [
                ".", "..", "=", "-", "_", "+", "/", "A", "AAAA", "%2E", "\n", "\u{0}", "é",
                "eyJhbGciOiJSU0EtT0FFUC0yNTYiLCJlbmMiOiJBMjU2Q0JDLUhTNTEyIn0", "eyJhbGciOiJub25lIn0", "e30", "bnVsbA",
                "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0",
            ])
        for (token, plaintext) in genuine {
            guard String(decoding: try open(token), as: UTF8.self) == plaintext else { throw Unusable() }
        }
    }

    private func open(_ token: String) throws -> [UInt8] {
        try JWE.decrypt(token, with: key) { header in
            (try? JSONValue(parsing: header))?.object?.compactMapValues(\.string)
        }
    }

    mutating func violation(_ input: [UInt8]) -> String? {
        let token = String(decoding: input, as: UTF8.self)
        do {
            let plaintext = String(decoding: try open(token), as: UTF8.self)
            counts["genuine", default: 0] += 1
            return genuine[token] == plaintext ? nil : "reads a token that nobody made"
        } catch let error as CryptoError {
            guard genuine[token] == nil else { return "a genuine token is refused" }
            // The same error for every defect of a token of this form, or an attacker could learn by trying.
            if case .invalidMessage = error {
                counts["refused: \(error)", default: 0] += 1
                return nil
            }
            return "answers with another error: \(error)"
        } catch {
            return "fails with another error: \(type(of: error))"
        }
    }
}
