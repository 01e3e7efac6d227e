import PaymentCore
import PaymentStandards
import TestSupport
import Testing

/// The files of vectors whose inputs are payment texts. To add a standard's tests, add its line.
let vectorFiles: [VectorFile] = [
    VectorFile("bezahlcode"),
    VectorFile("bip321"),
    VectorFile("bip353"),
    VectorFile("bitcoin-address", unclaimed: 9),
    VectorFile("emv-cpm", unclaimed: 2),
    VectorFile("bolt11", unclaimed: 1),
    VectorFile("bolt12", unclaimed: 1),
    VectorFile("bolt12-signed"),
    VectorFile("caip", unclaimed: 3),
    VectorFile("eip55", unclaimed: 2),
    VectorFile("eip681", unclaimed: 1),
    VectorFile("emv-mpm", unclaimed: 2),
    VectorFile("epc-qr", unclaimed: 1),
    VectorFile("hosted-links", unclaimed: 8),
    VectorFile("hosted-links-more"),
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
]

/// One file of vectors.
struct VectorFile: Sendable, CustomTestStringConvertible {
    let name: String
    /// How many of its invalid rows are no link at all or seem to be of no standard. All others must be explained.
    let unclaimed: Int

    init(_ name: String, unclaimed: Int = 0) {
        self.name = name
        self.unclaimed = unclaimed
    }

    var testDescription: String { name }

    struct Row {
        let input: String
        let expect: [String: JSONValue]
        let why: String
    }

    /// The rows of `list`, which is `valid` or `invalid`.
    func rows(_ list: String) throws -> [Row] {
        let json = try JSONValue(parsing: Array(Vectors.data(name)))
        return (json[list]?.array ?? []).compactMap { row in
            row["input"]?.string.map {
                Row(input: $0, expect: row["expect"]?.object ?? [:], why: row["why"]?.string ?? "")
            }
        }
    }

    /// The id that `row` says its text is of; the file's name where it says nothing.
    func standard(of row: Row) -> String { row.expect["standard"]?.string ?? name }
}
