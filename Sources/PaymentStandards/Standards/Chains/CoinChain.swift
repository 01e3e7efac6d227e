import PaymentCore
import PaymentCrypto

/// A chain with addresses in Bitcoin's form: base58check or bech32 with its own version bytes and prefixes.
struct CoinChain: Sendable {
    /// A kind of address: the bytes before a hash of 20 bytes.
    struct Version: Sendable {
        let bytes: [UInt8]
        let type: String
        var network = "mainnet"
    }

    /// The scheme, and the chain's name in fields.
    let name: String
    let coin: ChainCoin
    let versions: [Version]
    /// The prefixes of its segwit addresses with the 1 behind them, and their networks.
    var segwit: [(prefix: String, network: String)] = []
    /// The letters that its base58 addresses begin with, and their lengths in characters.
    let shapes: [(prefix: String, lengths: ClosedRange<Int>)]

    /// Returns the version of `bytes`, which have no checksum.
    func version(of bytes: [UInt8]) -> Version? {
        versions.first { bytes.count == $0.bytes.count + 20 && bytes.starts(with: $0.bytes) }
    }

    /// Returns the network of the segwit address that `part` begins like; nil where it begins like none.
    func segwitNetwork(of part: TextPart) -> String? {
        segwit.first { part.bytes.starts(with: $0.prefix.utf8) { $0.lowercasedASCII == $1 } }?.network
    }

    static let litecoin = CoinChain(
        name: "litecoin", coin: .litecoin,
        // The older script addresses are also Bitcoin's; bare ones are read as Bitcoin's.
        versions: [
            Version(bytes: [0x30], type: "p2pkh"), Version(bytes: [0x32], type: "p2sh"),
            Version(bytes: [0x05], type: "p2sh"),
        ],
        segwit: [("ltc1", "mainnet"), ("tltc1", "testnet")], shapes: [("L", 33...35), ("M", 33...35)])
    static let dogecoin = CoinChain(
        name: "dogecoin", coin: .dogecoin,
        versions: [Version(bytes: [0x1E], type: "p2pkh"), Version(bytes: [0x16], type: "p2sh")],
        shapes: [("D", 33...35), ("9", 33...35), ("A", 33...35)])
    static let dash = CoinChain(
        name: "dash", coin: .dash,
        versions: [Version(bytes: [0x4C], type: "p2pkh"), Version(bytes: [0x10], type: "p2sh")],
        shapes: [("X", 33...35), ("7", 33...35)])
    static let tron = CoinChain(
        name: "tron", coin: .tron, versions: [Version(bytes: [0x41], type: "account")], shapes: [("T", 33...35)])
    static let tezos = CoinChain(
        name: "tezos", coin: .tezos,
        versions: [
            Version(bytes: [0x06, 0xA1, 0x9F], type: "tz1"), Version(bytes: [0x06, 0xA1, 0xA1], type: "tz2"),
            Version(bytes: [0x06, 0xA1, 0xA4], type: "tz3"), Version(bytes: [0x06, 0xA1, 0xA6], type: "tz4"),
            Version(bytes: [0x02, 0x5A, 0x79], type: "KT1"),
        ], shapes: [("tz", 36...36), ("KT1", 36...36)])
    static let zcash = CoinChain(
        name: "zcash", coin: .zcash,
        versions: [
            Version(bytes: [0x1C, 0xB8], type: "t1"), Version(bytes: [0x1C, 0xBD], type: "t3"),
            Version(bytes: [0x1D, 0x25], type: "tm", network: "testnet"),
            Version(bytes: [0x1C, 0xBA], type: "t2", network: "testnet"),
        ], shapes: [("t1", 35...35), ("t3", 35...35), ("tm", 35...35), ("t2", 35...35)])

    /// All chains of this kind.
    static let all = [litecoin, dogecoin, dash, tron, tezos, zcash]
}

/// An address of a ``CoinChain``.
struct CoinAddress: Sendable, Hashable {
    let text: String
    let network: String
    let type: String
    let hash: [UInt8]

    /// Reads `part`, which its standard calls `name`, as an address of `chain`.
    ///
    /// - Throws: ``StandardDefect``; of kind `foreign` for a sound address of another chain.
    init(_ part: TextPart, of chain: CoinChain, _ name: String) throws(StandardDefect) {
        if let network = chain.segwitNetwork(of: part) {
            self = try Self.segwit(part, name, network)
            return
        }
        guard let bytes = Base58Check.decode(part) else {
            throw part.defect(
                .checksum, name, "the checksum does not match: at least one character is wrong; copy it again")
        }
        guard let version = chain.version(of: bytes) else {
            throw part.defect(.foreign, name, "is of another chain than \(chain.name)")
        }
        self = Self(part, version, bytes)
    }

    /// Creates the address of `part`, with its `bytes`, which begin with `version`.
    init(_ part: TextPart, _ version: CoinChain.Version, _ bytes: [UInt8]) {
        text = part.text
        network = version.network
        type = version.type
        hash = Array(bytes.dropFirst(version.bytes.count))
    }

    private init(text: String, network: String, type: String, hash: [UInt8]) {
        (self.text, self.network, self.type, self.hash) = (text, network, type, hash)
    }

    private static func segwit(
        _ part: TextPart, _ name: String, _ network: String
    ) throws(StandardDefect) -> CoinAddress {
        let decoded = try Bech32(part, name)
        guard let version = decoded.groups.first, version <= 16,
            decoded.variant == (version == 0 ? .bech32 : .bech32m),
            let program = Bech32.bytes(of: decoded.groups.dropFirst()),
            version == 0 ? program.count == 20 || program.count == 32 : 2...40 ~= program.count
        else { throw part.defect(.malformed, name, "is no address that can be paid; ask the payee for a new one") }
        let type =
            switch (version, program.count) {
            case (0, 20): "p2wpkh"
            case (0, _): "p2wsh"
            case (1, 32): "p2tr"
            default: "witness_unknown"
            }
        return Self(text: part.text, network: network, type: type, hash: program)
    }
}
