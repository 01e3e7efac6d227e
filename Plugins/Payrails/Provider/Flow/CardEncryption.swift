package import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The encryption of a card for the service only: a compact JWE for the key in the init data.
package struct CardEncryption: Sendable {
    private let key: RSAPublicKey
    private let holderReference: String
    private let random: any RandomSource

    /// Creates an encryption with the key of `payload`.
    ///
    /// - Throws: ``PayrailsError/missingData(_:)`` if the init data has no usable key.
    package init(_ payload: SessionPayload, random: any RandomSource) throws(PayrailsError) {
        guard let text = payload.encryptionKey?.nonEmpty else {
            throw .missingData("'vaultConfiguration.encryptionPublicKey', which entering a card needs")
        }
        guard let der = Data(base64Encoded: text), let key = try? RSAPublicKey(subjectPublicKeyInfo: Array(der)) else {
            throw .missingData("a usable 'vaultConfiguration.encryptionPublicKey': base64 of an RSA public key")
        }
        self.key = key
        holderReference = payload.holderReference ?? ""
        self.random = random
    }

    /// Returns the card encrypted for the service.
    ///
    /// - Throws: ``PayrailsError/unknown(error:)`` if the system's cryptography fails.
    package func encrypt(_ card: CardDetails) throws(PayrailsError) -> String {
        var members: [String: JSONValue] = [
            "holderReference": .string(holderReference), "cardNumber": .string(card.number.reveal()),
            "expiryMonth": .string(card.expiryMonth.reveal()), "expiryYear": .string(card.expiryYear.reveal()),
        ]
        members["holderName"] = card.holderName.map { .string($0.reveal()) }
        members["securityCode"] = card.securityCode.map { .string($0.reveal()) }
        do {
            return try JWE.encrypt(JSONValue.object(members).serialized(), to: key) { count in
                (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            }
        } catch {
            throw .unknown(error: error)
        }
    }
}
