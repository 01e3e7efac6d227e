package import PaymentCore

/// The files of vectors whose inputs are payment texts: the standards' tests and `payroute inspect` read each of them.
/// To add a standard's tests, add its line.
package let vectorFiles: [VectorFile] = [
    VectorFile("bezahlcode"),
    VectorFile("bip321"),
    VectorFile("bip353"),
    VectorFile("bitcoin-address", unclaimed: 9),
    VectorFile("emv-cpm", unclaimed: 2),
    VectorFile("bolt11", unclaimed: 1),
    VectorFile("bolt12"),
    VectorFile("bolt12-signed"),
    VectorFile("caip", unclaimed: 3),
    VectorFile("eip55", unclaimed: 2),
    VectorFile("eip681", unclaimed: 1),
    VectorFile("emv-mpm", unclaimed: 2),
    VectorFile("epc-qr", unclaimed: 1),
    VectorFile("hosted-links", unclaimed: 8),
    VectorFile("hosted-links-more", unclaimed: 2),
    VectorFile("service-links"),
    VectorFile("iban", unclaimed: 2),
    VectorFile("more-national", unclaimed: 3),
    VectorFile("paybysquare", unclaimed: 2),
    VectorFile("lnurl", unclaimed: 4),
    VectorFile("monero", unclaimed: 1),
    VectorFile("sep7"),
    VectorFile("solana-pay", unclaimed: 2),
    VectorFile("strkey", unclaimed: 5),
    VectorFile("xrp", unclaimed: 2),
    VectorFile("cashaddr", unclaimed: 1),
    VectorFile("other-chains", unclaimed: 3),
    VectorFile("extra-coins"),
    VectorFile("cip13"),
    VectorFile("more-chains"),
    VectorFile("payment-pointer", unclaimed: 2),
    VectorFile("ton"),
    VectorFile("zip321"),
    VectorFile("cashu", unclaimed: 1),
    VectorFile("payto", unclaimed: 1),
    VectorFile("regional-qr", unclaimed: 1),
    VectorFile("spd", unclaimed: 1),
    VectorFile("swiss-qr-bill"),
    VectorFile("upi"),
    VectorFile("pubky", unclaimed: 9),
]

/// The files whose inputs are no payment texts, and the test that reads each: a checksum, a curve or a signature has no
/// scannable form, so only library tests read these.
package let libraryFiles: [String: String] = [
    "bech32": "Tests/PaymentStandardsTests/BuildingBlockTests",
    "eip191": "Tests/PaymentWalletTests/DevelopmentWalletTests",
    "eip712": "Tests/PaymentWalletTests/TypedDataTests", "keccak256": "Tests/PaymentWalletTests/Keccak256Tests",
    "lib-bank-numbers": "Tests/PaymentStandardsTests/BuildingBlockTests",
    "lib-bip353-dns": "Tests/PaymentStandardsTests/LibraryVectorTests",
    "lib-dns-messages": "Tests/PaymentStandardsTests/Names/DNSMessageTests",
    "lib-dnssec-aliases": "Tests/PaymentStandardsTests/AliasProofTests",
    "lib-erc1191": "Tests/PaymentStandardsTests/LibraryVectorTests",
    "noise": "Plugins/Paykit/Tests/PubkyTests/NoiseTests",
    "payrails-jwe": "Tests/PaymentCryptoTests/JWEVectors",
    "payrails-session": "Plugins/Payrails/Tests/ProviderTests/Kit/LenienceTests",
    "phishing-links": "Tests/PaymentCoreTests/PhishingCorpusTests",
    "pubky-crypto": "Plugins/Paykit/Tests/PubkyTests/PubkyPrimitivesTests",
    "pubky-dns": "Plugins/Paykit/Tests/PubkyTests/SignedPacketTests",
    "pubky-noise": "Plugins/Paykit/Tests/PubkyTests/SealedTests",
    "pubky-tables": "Tests/TestSupport/PubkyTable",
    "readings-real-world": "Tests/CommandLineTests/RealReadingTests",
    "secp256k1-rfc6979": "Tests/PaymentWalletTests/Secp256k1Tests",
    "signing-review": "Tests/PaymentReviewTests/VectorTests",
    "walletconnect-pay-openapi-facts": "Plugins/WalletConnectPay/Tests/ProviderTests/Merchant/APIDescription",
    "walletconnect-pay-signing": "Tests/PaymentWalletTests/DevelopmentWalletTests",
    "walletconnect-pay-wire": "Plugins/WalletConnectPay/Tests/ProviderTests/RecordedTests",
    "zbase32": "Tests/PaymentStandardsTests/LibraryVectorTests",
]

/// One file of vectors.
package struct VectorFile: Sendable, CustomStringConvertible {
    /// The file's name without its ending, which is also the standard of rows without one.
    package let name: String
    /// The number of invalid rows that are no link at all or belong to no standard. All others must be explained.
    package let unclaimed: Int

    package init(_ name: String, unclaimed: Int = 0) {
        self.name = name
        self.unclaimed = unclaimed
    }

    /// The name.
    package var description: String { name }

    package struct Row: Sendable {
        package let input: String
        package let expect: [String: JSONValue]
        package let why: String

        /// The expected fields.
        package var fields: [String: JSONValue] {
            expect.filter { !["standard", "note", "guess"].contains($0.key) }
        }
    }

    /// The rows of `list`, which is `valid` or `invalid`.
    package func rows(_ list: String) throws -> [Row] {
        let json = try JSONValue(parsing: Array(Vectors.data(name)))
        return (json[list]?.array ?? []).compactMap { row in
            row["input"]?.string.map {
                Row(input: $0, expect: row["expect"]?.object ?? [:], why: row["why"]?.string ?? "")
            }
        }
    }

    /// The standard's id in `row`; the file's name if it has none.
    package func standard(of row: Row) -> String { row.expect["standard"]?.string ?? name }
}
