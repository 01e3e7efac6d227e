#if canImport(CryptoKit)
    import CryptoKit
    import Foundation
#else
    import CLibcrypto
#endif

/// Signatures over the Edwards curve 25519 (RFC 8032), as Stellar signs links and Pubky its packets.
public enum Ed25519 {
    /// The bytes of a public key and of the seed that a key pair is made from.
    public static let keyLength = 32
    /// The bytes of a signature.
    public static let signatureLength = 64

    /// Returns true if the owner of `publicKey` (32 bytes) made `signature` (64 bytes) over `message`.
    public static func isValid(_ signature: [UInt8], message: [UInt8], publicKey: [UInt8]) -> Bool {
        guard signature.count == signatureLength, publicKey.count == keyLength else { return false }
        #if canImport(CryptoKit)
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: Data(publicKey))
            return key?.isValidSignature(Data(signature), for: Data(message)) ?? false
        #else
            // The errors are not distinguished, so none may stay on the thread's list of errors either.
            defer { ERR_clear_error() }
            guard Libcrypto.isReady,
                let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, keyLength)
            else { return false }
            defer { EVP_PKEY_free(key) }
            guard let context = EVP_MD_CTX_new() else { return false }
            defer { EVP_MD_CTX_free(context) }
            return EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
                && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        #endif
    }

    /// Returns the signature of the owner of `seed` (32 bytes) over `message`. The same input gives the same signature
    /// on Linux; CryptoKit randomises each, and both kinds are valid.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` when the seed has another length.
    public static func sign(_ message: [UInt8], seed: [UInt8]) throws(CryptoError) -> [UInt8] {
        #if canImport(CryptoKit)
            guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: Data(seed)) else {
                throw .invalidKey("an Ed25519 seed has 32 bytes")
            }
            guard let signature = try? key.signature(for: Data(message)) else { throw .failed("an Ed25519 signature") }
            return Array(signature)
        #else
            defer { ERR_clear_error() }
            let key = try privateKey(seed)
            defer { EVP_PKEY_free(key) }
            guard let context = EVP_MD_CTX_new() else { throw .failed("an Ed25519 signature") }
            defer { EVP_MD_CTX_free(context) }
            var signature = [UInt8](repeating: 0, count: signatureLength)
            var length = signature.count
            guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
                EVP_DigestSign(context, &signature, &length, message, message.count) == 1, length == signatureLength
            else { throw .failed("an Ed25519 signature") }
            return signature
        #endif
    }

    /// Returns the public key (32 bytes) that belongs to `seed` (32 bytes).
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` when the seed has another length.
    public static func publicKey(seed: [UInt8]) throws(CryptoError) -> [UInt8] {
        #if canImport(CryptoKit)
            guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: Data(seed)) else {
                throw .invalidKey("an Ed25519 seed has 32 bytes")
            }
            return Array(key.publicKey.rawRepresentation)
        #else
            defer { ERR_clear_error() }
            let key = try privateKey(seed)
            defer { EVP_PKEY_free(key) }
            var bytes = [UInt8](repeating: 0, count: keyLength)
            var length = bytes.count
            guard EVP_PKEY_get_raw_public_key(key, &bytes, &length) == 1, length == keyLength else {
                throw .failed("an Ed25519 public key")
            }
            return bytes
        #endif
    }

    #if !canImport(CryptoKit)
        private static func privateKey(_ seed: [UInt8]) throws(CryptoError) -> OpaquePointer {
            guard Libcrypto.isReady, seed.count == keyLength,
                let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, keyLength)
            else { throw .invalidKey("an Ed25519 seed has 32 bytes") }
            return key
        }
    #endif
}

// MARK: - Agreement

/// Agreement on a secret over Curve25519 (RFC 7748), as Noise and sealed blobs use it.
public enum X25519 {
    /// The bytes of a private key, a public key and a shared secret.
    public static let keyLength = 32

    /// Returns the public key of `privateKey` (32 bytes, clamped as it is used).
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` when the key has another length.
    public static func publicKey(of privateKey: [UInt8]) throws(CryptoError) -> [UInt8] {
        #if canImport(CryptoKit)
            guard let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: Data(privateKey)) else {
                throw .invalidKey("an X25519 private key has 32 bytes")
            }
            return Array(key.publicKey.rawRepresentation)
        #else
            defer { ERR_clear_error() }
            let key = try handle(privateKey)
            defer { EVP_PKEY_free(key) }
            var bytes = [UInt8](repeating: 0, count: keyLength)
            var length = bytes.count
            guard EVP_PKEY_get_raw_public_key(key, &bytes, &length) == 1, length == keyLength else {
                throw .failed("an X25519 public key")
            }
            return bytes
        #endif
    }

    /// Returns the secret that `privateKey` and the owner of `publicKey` share.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` when a key has another length, and when the secret would be all zeros:
    ///   then the other key is a point of small order, and the "secret" is public (RFC 7748 section 6.1).
    public static func sharedSecret(_ privateKey: [UInt8], with publicKey: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard publicKey.count == keyLength else { throw .invalidKey("an X25519 public key has 32 bytes") }
        #if canImport(CryptoKit)
            guard let own = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: Data(privateKey)) else {
                throw .invalidKey("an X25519 private key has 32 bytes")
            }
            guard let other = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: Data(publicKey)),
                let agreed = try? own.sharedSecretFromKeyAgreement(with: other)
            else { throw smallOrder }
            let secret = agreed.withUnsafeBytes { Array($0) }
        #else
            defer { ERR_clear_error() }
            let own = try handle(privateKey)
            defer { EVP_PKEY_free(own) }
            guard let other = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, publicKey, keyLength),
                let context = EVP_PKEY_CTX_new(own, nil)
            else { throw .failed("an X25519 agreement") }
            defer {
                EVP_PKEY_CTX_free(context)
                EVP_PKEY_free(other)
            }
            var secret = [UInt8](repeating: 0, count: keyLength)
            var length = secret.count
            guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, other) == 1 else {
                throw .failed("an X25519 agreement")
            }
            // libcrypto itself refuses a secret of zeros.
            guard EVP_PKEY_derive(context, &secret, &length) == 1, length == keyLength else { throw smallOrder }
        #endif
        guard !ConstantTime.equal(secret, [UInt8](repeating: 0, count: keyLength)) else { throw smallOrder }
        return secret
    }

    private static let smallOrder = CryptoError.invalidKey("the other side's X25519 key is a point of small order")

    #if !canImport(CryptoKit)
        private static func handle(_ privateKey: [UInt8]) throws(CryptoError) -> OpaquePointer {
            guard Libcrypto.isReady, privateKey.count == keyLength,
                let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, privateKey, keyLength)
            else { throw .invalidKey("an X25519 private key has 32 bytes") }
            return key
        }
    #endif
}

// MARK: - Points

/// A check whether 32 bytes are a point of the Edwards curve 25519 (RFC 8032 section 5.1.3).
///
/// Neither CryptoKit nor libcrypto reports this before a signature fails; a text that is not a valid key has to be
/// refused when it is read. Only public bytes pass through here, so nothing has to take constant time.
public enum EdwardsPoint {
    /// Returns true if `bytes` can be decompressed to a point: half of all texts of 32 bytes can.
    ///
    /// As the implementations that Pubky is built on do, coordinates above the field's order are reduced, and points of
    /// small order count.
    public static func isValid(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 32 else { return false }
        // -x² + y² = 1 + d·x²·y², so x² = (y² - 1) / (d·y² + 1): a quotient is a square when the product is one.
        let y = FieldElement(bytes)
        let square = y * y
        let product = (square - .one) * (FieldElement.d * square + .one)
        let symbol = product.halfPower
        return symbol == .one || symbol == .zero
    }

    /// The same point on the Montgomery form of the curve, as X25519 takes it (RFC 7748 section 4.1).
    ///
    /// - Parameter bytes: an Ed25519 public key.
    /// - Returns: 32 bytes; nil when `bytes` are not a point, or the one point without a counterpart.
    public static func montgomery(_ bytes: [UInt8]) -> [UInt8]? {
        guard isValid(bytes) else { return nil }
        let y = FieldElement(bytes)
        let below = FieldElement.one - y
        guard below != .zero else { return nil }
        return ((FieldElement.one + y) * below.inverse).bytes
    }
}

/// A number modulo 2^255 - 19, kept below 2^256.
private struct FieldElement: Equatable {
    /// 64 bits each, the lowest first.
    private var limbs: (UInt64, UInt64, UInt64, UInt64)

    static let zero = FieldElement((0, 0, 0, 0))
    static let one = FieldElement((1, 0, 0, 0))
    /// The curve's constant, -121665/121666.
    static let d = FieldElement(
        (0x75EB_4DCA_1359_78A3, 0x0070_0A4D_4141_D8AB, 0x8CC7_4079_7779_E898, 0x5203_6CEE_2B6F_FE73))

    private init(_ limbs: (UInt64, UInt64, UInt64, UInt64)) { self.limbs = limbs }

    /// Reads the lower 255 bits of 32 bytes, the lowest byte first.
    init(_ bytes: [UInt8]) {
        func limb(_ index: Int) -> UInt64 { (0..<8).reduce(0) { $0 | UInt64(bytes[8 * index + $1]) << UInt64(8 * $1) } }
        limbs = (limb(0), limb(1), limb(2), limb(3) & 0x7FFF_FFFF_FFFF_FFFF)
    }

    static func == (left: FieldElement, right: FieldElement) -> Bool { left.canonical == right.canonical }

    /// The four limbs of the number below the modulus.
    private var canonical: [UInt64] {
        var words = [limbs.0, limbs.1, limbs.2, limbs.3]
        // Twice: the number may reach 2^256 - 1, a little above twice the modulus.
        for _ in 0..<2 {
            // It is at or above the modulus just when adding 19 reaches 2^255.
            var sum = words
            var carry: UInt64 = 19
            for index in 0..<4 {
                let (value, overflow) = sum[index].addingReportingOverflow(carry)
                sum[index] = value
                carry = overflow ? 1 : 0
            }
            guard carry == 1 || sum[3] >> 63 == 1 else { break }
            // Below 2^256 and at or above the modulus: the number plus 19 minus 2^255.
            sum[3] &-= 1 << 63
            words = sum
        }
        return words
    }

    static func + (left: FieldElement, right: FieldElement) -> FieldElement {
        let (low, carry) = sum(left.limbs, right.limbs)
        // 2^256 is 38 modulo 2^255 - 19.
        return FieldElement(folding(low, carry * 38))
    }

    static func - (left: FieldElement, right: FieldElement) -> FieldElement {
        let words = right.canonical
        // The modulus minus a number below it is never negative.
        var difference: [UInt64] = [
            0xFFFF_FFFF_FFFF_FFED, 0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF, 0x7FFF_FFFF_FFFF_FFFF,
        ]
        var borrow: UInt64 = 0
        for index in 0..<4 {
            let (first, one) = difference[index].subtractingReportingOverflow(words[index])
            let (second, two) = first.subtractingReportingOverflow(borrow)
            difference[index] = second
            borrow = one || two ? 1 : 0
        }
        return left + FieldElement((difference[0], difference[1], difference[2], difference[3]))
    }

    static func * (left: FieldElement, right: FieldElement) -> FieldElement {
        let zero = row(left.limbs.0, right.limbs, adding: (0, 0, 0, 0))
        let one = row(left.limbs.1, right.limbs, adding: zero.rest)
        let two = row(left.limbs.2, right.limbs, adding: one.rest)
        let three = row(left.limbs.3, right.limbs, adding: two.rest)
        // 2^256 is 38 modulo 2^255 - 19.
        let folded = row(38, three.rest, adding: (zero.low, one.low, two.low, three.low))
        return FieldElement(
            folding((folded.low, folded.rest.0, folded.rest.1, folded.rest.2), folded.rest.3 * 38))
    }

    /// The 32 bytes of the number below the modulus, the lowest byte first.
    var bytes: [UInt8] {
        canonical.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) } }
    }

    /// This number to the power of p - 2 = 2^255 - 21: its multiplicative inverse, and zero for zero.
    var inverse: FieldElement {
        // 2^255 - 21 in binary: 250 ones, then 01011.
        let second = self * self
        return ones250.squared(5) * second.squared(2) * second * self
    }

    /// This number to the power of (p - 1) / 2 = 2^254 - 10: one for squares, zero for zero, -1 otherwise.
    var halfPower: FieldElement {
        // 2^254 - 10 in binary: 250 ones, then 0110.
        let second = self * self
        return ones250.squared(4) * second.squared(1) * second
    }

    /// This number to the power of 2^250 - 1, by doubling the number of ones.
    private var ones250: FieldElement {
        let ones2 = squared(1) * self
        let ones4 = ones2.squared(2) * ones2
        let ones5 = ones4.squared(1) * self
        let ones10 = ones5.squared(5) * ones5
        let ones20 = ones10.squared(10) * ones10
        let ones25 = ones20.squared(5) * ones5
        let ones50 = ones25.squared(25) * ones25
        let ones100 = ones50.squared(50) * ones50
        let ones125 = ones100.squared(25) * ones25
        return ones125.squared(125) * ones125
    }

    /// This number, squared `count` times.
    private func squared(_ count: Int) -> FieldElement {
        var result = self
        for _ in 0..<count { result = result * result }
        return result
    }

    /// Returns `a * b + c`, which fits into five words.
    private static func row(
        _ a: UInt64, _ b: (UInt64, UInt64, UInt64, UInt64), adding c: (UInt64, UInt64, UInt64, UInt64)
    ) -> (low: UInt64, rest: (UInt64, UInt64, UInt64, UInt64)) {
        let (w0, c0) = multiply(a, b.0, adding: c.0, carry: 0)
        let (w1, c1) = multiply(a, b.1, adding: c.1, carry: c0)
        let (w2, c2) = multiply(a, b.2, adding: c.2, carry: c1)
        let (w3, c3) = multiply(a, b.3, adding: c.3, carry: c2)
        return (w0, (w1, w2, w3, c3))
    }

    /// Returns `a * b + c + d`, which fits into two words.
    private static func multiply(
        _ a: UInt64, _ b: UInt64, adding c: UInt64, carry d: UInt64
    ) -> (low: UInt64, high: UInt64) {
        let (high, low) = a.multipliedFullWidth(by: b)
        let (first, one) = low.addingReportingOverflow(c)
        let (second, two) = first.addingReportingOverflow(d)
        return (second, high &+ (one ? 1 : 0) &+ (two ? 1 : 0))
    }

    private static func sum(
        _ a: (UInt64, UInt64, UInt64, UInt64), _ b: (UInt64, UInt64, UInt64, UInt64)
    ) -> (low: (UInt64, UInt64, UInt64, UInt64), carry: UInt64) {
        let (w0, rest) = row(1, a, adding: b)
        return ((w0, rest.0, rest.1, rest.2), rest.3)
    }

    /// Adds a small number, and its carry again.
    private static func folding(
        _ limbs: (UInt64, UInt64, UInt64, UInt64), _ small: UInt64
    ) -> (UInt64, UInt64, UInt64, UInt64) {
        let (once, carry) = sum(limbs, (small, 0, 0, 0))
        return sum(once, (carry * 38, 0, 0, 0)).low
    }
}
