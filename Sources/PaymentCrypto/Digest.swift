#if canImport(CryptoKit)
    import CryptoKit
    import Foundation
#else
    import CLibcrypto
#endif

/// The hash functions of FIPS 180-4 that payment services use.
@nonexhaustive
public enum Digest: Sendable, Hashable, CaseIterable {
    /// SHA-1: for entity tags and other checksums only, never against forgery.
    case sha1
    /// SHA-256.
    case sha256
    /// SHA-384.
    case sha384
    /// SHA-512.
    case sha512

    /// The number of bytes that ``hash(_:)`` returns.
    public var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// Returns the digest of `bytes`.
    public func hash(_ bytes: [UInt8]) -> [UInt8] {
        #if canImport(CryptoKit)
            switch self {
            case .sha1: Array(Insecure.SHA1.hash(data: bytes))
            case .sha256: Array(SHA256.hash(data: bytes))
            case .sha384: Array(SHA384.hash(data: bytes))
            case .sha512: Array(SHA512.hash(data: bytes))
            }
        #else
            var digest = [UInt8](repeating: 0, count: byteCount)
            let done = EVP_Digest(bytes, bytes.count, &digest, nil, algorithm, nil)
            // It fails only without memory or without the algorithm, and then nothing here can continue.
            precondition(done == 1, "libcrypto has no \(self)")
            return digest
        #endif
    }

    /// Returns the digest of the digest of `bytes`: the checksum of addresses of Bitcoin and its relatives.
    package func hashTwice(_ bytes: [UInt8]) -> [UInt8] {
        #if canImport(CryptoKit)
            return hash(hash(bytes))
        #else
            // One state for both: making it costs as much as hashing an address.
            var digest = [UInt8](repeating: 0, count: byteCount)
            let context = EVP_MD_CTX_new()
            defer { EVP_MD_CTX_free(context) }
            let done =
                EVP_DigestInit_ex(context, algorithm, nil) == 1
                && EVP_DigestUpdate(context, bytes, bytes.count) == 1
                && EVP_DigestFinal_ex(context, &digest, nil) == 1
                && EVP_DigestInit_ex(context, nil, nil) == 1
                && EVP_DigestUpdate(context, digest, digest.count) == 1
                && EVP_DigestFinal_ex(context, &digest, nil) == 1
            precondition(done, "libcrypto has no \(self)")
            return digest
        #endif
    }

    /// Returns the keyed hash of `message` (HMAC, RFC 2104).
    public func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        #if canImport(CryptoKit)
            let key = SymmetricKey(data: key)
            return switch self {
            case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
            case .sha256: Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
            case .sha384: Array(HMAC<SHA384>.authenticationCode(for: message, using: key))
            case .sha512: Array(HMAC<SHA512>.authenticationCode(for: message, using: key))
            }
        #else
            var code = [UInt8](repeating: 0, count: byteCount)
            // A nil key would mean "the key of before"; an empty one has to stay a key.
            let done = (key.isEmpty ? [0] : key).withUnsafeBytes { bytes in
                HMAC(algorithm, bytes.baseAddress, Int32(key.count), message, message.count, &code, nil)
            }
            precondition(done != nil, "libcrypto has no HMAC with \(self)")
            return code
        #endif
    }

    #if !canImport(CryptoKit)
        var algorithm: OpaquePointer? {
            switch self {
            case .sha1: LibcryptoDigest.sha1.pointer
            case .sha256: LibcryptoDigest.sha256.pointer
            case .sha384: LibcryptoDigest.sha384.pointer
            case .sha512: LibcryptoDigest.sha512.pointer
            }
        }
    #endif
}

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

// MARK: - SHA-512/256

/// SHA-512/256 (FIPS 180-4), as Algorand checks its addresses. Libcrypto has it; Apple's systems have no function for
/// it, so there it is made here.
public enum SHA512Slash256 {
    /// Returns the 32 bytes of the digest of `bytes`.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] {
        #if canImport(CryptoKit)
            return portable(bytes)
        #else
            var digest = [UInt8](repeating: 0, count: 32)
            let done = EVP_Digest(bytes, bytes.count, &digest, nil, LibcryptoDigest.sha512Slash256.pointer, nil) == 1
            // It fails only without memory or without the algorithm, and then nothing here can continue.
            precondition(done, "libcrypto has no SHA-512/256")
            return digest
        #endif
    }

    /// The same without any library.
    static func portable(_ bytes: [UInt8]) -> [UInt8] {
        var message = bytes + [0x80]
        message += [UInt8](repeating: 0, count: (240 - message.count % 128) % 128)
        let bitCount = UInt128(bytes.count) * 8
        message += (0..<16).reversed().map { UInt8(truncatingIfNeeded: bitCount >> UInt128($0 * 8)) }
        var state = initial
        for start in stride(from: 0, to: message.count, by: 128) { compress(&state, message[start..<start + 128]) }
        return (0..<32).map { UInt8(truncatingIfNeeded: state[$0 / 8] >> UInt64(56 - $0 % 8 * 8)) }
    }

    private static func compress(_ state: inout [UInt64], _ block: ArraySlice<UInt8>) {
        var words = (0..<16).map { index in
            block[(block.startIndex + index * 8)...].prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        }
        for index in 16..<80 {
            let (near, far) = (words[index - 15], words[index - 2])
            let first = turn(near, 1) ^ turn(near, 8) ^ near >> 7
            let second = turn(far, 19) ^ turn(far, 61) ^ far >> 6
            words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
        }
        var work = state
        for index in 0..<80 {
            let (a, b, c, e) = (work[0], work[1], work[2], work[4])
            let choice = e & work[5] ^ ~e & work[6]
            let first = work[7] &+ (turn(e, 14) ^ turn(e, 18) ^ turn(e, 41)) &+ choice &+ rounds[index] &+ words[index]
            let second = (turn(a, 28) ^ turn(a, 34) ^ turn(a, 39)) &+ (a & b ^ a & c ^ b & c)
            work = [first &+ second, a, b, c, work[3] &+ first, e, work[5], work[6]]
        }
        for index in 0..<8 { state[index] = state[index] &+ work[index] }
    }

    private static func turn(_ word: UInt64, _ distance: UInt64) -> UInt64 {
        word >> distance | word << (64 - distance)
    }

    /// SHA-512 of "SHA-512/256" from the initial state with every byte changed by A5 (FIPS 180-4 section 5.3.6.2).
    private static let initial: [UInt64] = [
        0x2231_2194_FC2B_F72C, 0x9F55_5FA3_C84C_64C2, 0x2393_B86B_6F53_B151, 0x9638_7719_5940_EABD,
        0x9628_3EE2_A88E_FFE3, 0xBE5E_1E25_5386_3992, 0x2B01_99FC_2C85_B8AA, 0x0EB7_2DDC_81C5_2CA2,
    ]

    /// The fractions of the cube roots of the first 80 primes.
    private static let rounds: [UInt64] = [
        0x428A_2F98_D728_AE22, 0x7137_4491_23EF_65CD, 0xB5C0_FBCF_EC4D_3B2F, 0xE9B5_DBA5_8189_DBBC,
        0x3956_C25B_F348_B538, 0x59F1_11F1_B605_D019, 0x923F_82A4_AF19_4F9B, 0xAB1C_5ED5_DA6D_8118,
        0xD807_AA98_A303_0242, 0x1283_5B01_4570_6FBE, 0x2431_85BE_4EE4_B28C, 0x550C_7DC3_D5FF_B4E2,
        0x72BE_5D74_F27B_896F, 0x80DE_B1FE_3B16_96B1, 0x9BDC_06A7_25C7_1235, 0xC19B_F174_CF69_2694,
        0xE49B_69C1_9EF1_4AD2, 0xEFBE_4786_384F_25E3, 0x0FC1_9DC6_8B8C_D5B5, 0x240C_A1CC_77AC_9C65,
        0x2DE9_2C6F_592B_0275, 0x4A74_84AA_6EA6_E483, 0x5CB0_A9DC_BD41_FBD4, 0x76F9_88DA_8311_53B5,
        0x983E_5152_EE66_DFAB, 0xA831_C66D_2DB4_3210, 0xB003_27C8_98FB_213F, 0xBF59_7FC7_BEEF_0EE4,
        0xC6E0_0BF3_3DA8_8FC2, 0xD5A7_9147_930A_A725, 0x06CA_6351_E003_826F, 0x1429_2967_0A0E_6E70,
        0x27B7_0A85_46D2_2FFC, 0x2E1B_2138_5C26_C926, 0x4D2C_6DFC_5AC4_2AED, 0x5338_0D13_9D95_B3DF,
        0x650A_7354_8BAF_63DE, 0x766A_0ABB_3C77_B2A8, 0x81C2_C92E_47ED_AEE6, 0x9272_2C85_1482_353B,
        0xA2BF_E8A1_4CF1_0364, 0xA81A_664B_BC42_3001, 0xC24B_8B70_D0F8_9791, 0xC76C_51A3_0654_BE30,
        0xD192_E819_D6EF_5218, 0xD699_0624_5565_A910, 0xF40E_3585_5771_202A, 0x106A_A070_32BB_D1B8,
        0x19A4_C116_B8D2_D0C8, 0x1E37_6C08_5141_AB53, 0x2748_774C_DF8E_EB99, 0x34B0_BCB5_E19B_48A8,
        0x391C_0CB3_C5C9_5A63, 0x4ED8_AA4A_E341_8ACB, 0x5B9C_CA4F_7763_E373, 0x682E_6FF3_D6B2_B8A3,
        0x748F_82EE_5DEF_B2FC, 0x78A5_636F_4317_2F60, 0x84C8_7814_A1F0_AB72, 0x8CC7_0208_1A64_39EC,
        0x90BE_FFFA_2363_1E28, 0xA450_6CEB_DE82_BDE9, 0xBEF9_A3F7_B2C6_7915, 0xC671_78F2_E372_532B,
        0xCA27_3ECE_EA26_619C, 0xD186_B8C7_21C0_C207, 0xEADA_7DD6_CDE0_EB1E, 0xF57D_4F7F_EE6E_D178,
        0x06F0_67AA_7217_6FBA, 0x0A63_7DC5_A2C8_98A6, 0x113F_9804_BEF9_0DAE, 0x1B71_0B35_131C_471B,
        0x28DB_77F5_2304_7D84, 0x32CA_AB7B_40C7_2493, 0x3C9E_BE0A_15C9_BEBC, 0x431D_67C4_9C10_0D4C,
        0x4CC5_D4BE_CB3E_42B6, 0x597F_299C_FC65_7E2A, 0x5FCB_6FAB_3AD6_FAEC, 0x6C44_198C_4A47_5817,
    ]
}
