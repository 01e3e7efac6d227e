public import PaymentCore
import PaymentSecp256k1

/// A Bitcoin address: base58check P2PKH and P2SH, or a segregated-witness program.
///
/// Sources: BIP-13, BIP-173, BIP-350, BIP-341; version bytes as in Bitcoin Core's `chainparams.cpp`. Addresses of
/// testnet3, testnet4 and signet have the same form, and base58 ones also that of regtest.
public struct BitcoinAddress: PaymentStandard {
    /// `bitcoin-address`.
    public static let id = "bitcoin-address"
    /// The specification that it follows.
    public static let specification = "BIP-13, BIP-173, BIP-350"
    /// The beginnings of its texts.
    public static let patterns: [StandardPattern] =
        ["bc1", "tb1", "bcrt1"].map { .bare(BareShape($0, ignoresCase: true, lengths: 8...100, .alphanumeric)) }
        + ["1", "3", "2", "m", "n"].map { .bare(BareShape($0, lengths: 26...36, .base58)) }
        // Private keys, to be refused with a defect that names them.
        + ["5", "9", "K", "L", "c"].map { .bare(BareShape($0, lengths: 51...52, .base58)) }
        + ["x", "y", "z", "t", "u", "v"].map { .bare(BareShape("\($0)prv", lengths: 107...112, .base58)) }

    /// The chain of an address.
    enum Network: String, Sendable, Hashable {
        /// Bitcoin.
        case mainnet
        /// testnet3, testnet4 or signet.
        case testnet
        /// A developer's own chain.
        case regtest

        /// The human-readable part of its segwit addresses.
        var prefix: String {
            switch self {
            case .mainnet: "bc"
            case .testnet: "tb"
            case .regtest: "bcrt"
            }
        }

        fileprivate init?(prefix: String) {
            switch prefix {
            case "bc": self = .mainnet
            case "tb": self = .testnet
            case "bcrt": self = .regtest
            default: return nil
            }
        }

        /// The chain for ``PaymentInstruction/network``: its CAIP-2 id if the text states the chain.
        var chain: String {
            self == .mainnet ? "bip122:000000000019d6689c085ae165831e93" : "bitcoin-\(rawValue)"
        }
    }

    /// The kind of key or script that spends from an address.
    enum Kind: String, Sendable, Hashable {
        /// A public key's hash.
        case p2pkh
        /// A script's hash.
        case p2sh
        /// A public key's hash, by witness version 0.
        case p2wpkh
        /// A script's hash, by witness version 0.
        case p2wsh
        /// A taproot output key.
        case p2tr
        /// A witness program of a version or length that has no meaning yet.
        case witnessUnknown = "witness_unknown"
    }

    let text: String
    let network: Network
    let kind: Kind
    /// The witness version, 0 to 16; nil for base58 addresses.
    let witnessVersion: UInt8?
    /// The hash or witness program.
    let program: [UInt8]

    /// Creates a value from a text that is only an address.
    ///
    /// - Throws: ``StandardDefect``, of kind `foreign` if the text was not meant to be of this standard.
    public init(_ source: inout PaymentText) throws(StandardDefect) {
        let part = source.all().trimmed
        // A wallet's key of BIP-32, in the spellings of BIP-49 and BIP-84 too: 78 bytes.
        if part.count > 106, Base58Check.decode(part, limit: 112)?.count == 78 {
            throw part.defect(
                .secret, "address", "is a wallet's private key: anyone who has seen it can take all its money; move it")
        }
        try self.init(part, "address")
    }

    /// Reads `part`, which its standard calls `name`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        let isSegwit =
            part.startsIgnoringCase("bc1") || part.startsIgnoringCase("tb1") || part.startsIgnoringCase("bcrt1")
        self = try isSegwit ? Self(segwit: part, name) : Self(base58: part, name)
    }

    private init(text: String, network: Network, kind: Kind, witnessVersion: UInt8?, program: [UInt8]) {
        self.text = text
        self.network = network
        self.kind = kind
        self.witnessVersion = witnessVersion
        self.program = program
    }

    private init(segwit part: TextPart, _ name: String) throws(StandardDefect) {
        let decoded = try Bech32(part, name)
        guard let network = Network(prefix: decoded.prefix) else {
            throw part.defect(.malformed, name, "has a prefix other than bc, tb and bcrt; it is of another chain")
        }
        guard let version = decoded.groups.first, version <= 16 else {
            throw part.defect(.range, name, "has no witness version from 0 to 16; copy all of it")
        }
        guard decoded.variant == (version == 0 ? .bech32 : .bech32m) else {
            throw part.defect(
                .checksum, name, "has the checksum of another witness version; ask the payee for a new address")
        }
        guard let program = Bech32.bytes(of: decoded.groups.dropFirst()) else {
            throw part.defect(.malformed, name, "has stray bits at its end; ask the payee for a new address")
        }
        guard version == 0 ? program.count == 20 || program.count == 32 : 2...40 ~= program.count else {
            throw part.defect(.length, name, "has a witness program of \(program.count) bytes, which cannot be spent")
        }
        let kind: Kind =
            switch (version, program.count) {
            case (0, 20): .p2wpkh
            case (0, _): .p2wsh
            case (1, 32): .p2tr
            default: .witnessUnknown
            }
        self.init(text: part.text, network: network, kind: kind, witnessVersion: version, program: program)
    }

    private init(base58 part: TextPart, _ name: String) throws(StandardDefect) {
        guard let payload = Base58Check.decode(part) else {
            // Only a valid checksum shows that the text is an address.
            throw part.defect(
                .foreign, name, "the checksum does not match: at least one character is wrong; copy it again")
        }
        let (network, kind): (Network, Kind)
        switch (payload.first, payload.count) {
        case (0x00, 21): (network, kind) = (.mainnet, .p2pkh)
        case (0x05, 21): (network, kind) = (.mainnet, .p2sh)
        case (0x6F, 21): (network, kind) = (.testnet, .p2pkh)
        case (0xC4, 21): (network, kind) = (.testnet, .p2sh)
        case (0x80, 33), (0xEF, 33), (0x80, 34), (0xEF, 34):
            throw part.defect(
                .secret, name, "is a private key, not an address: anyone who has seen it can take the money; move it")
        default: throw part.defect(.foreign, name, "is of another chain")
        }
        self.init(
            text: part.text, network: network, kind: kind, witnessVersion: nil, program: Array(payload.dropFirst()))
    }

    /// The script that pays to it.
    var scriptPubKey: [UInt8] {
        let push = [UInt8(program.count)] + program
        return switch kind {
        case .p2pkh: [0x76, 0xA9] + push + [0x88, 0xAC]
        case .p2sh: [0xA9] + push + [0x87]
        default: [witnessVersion.map { $0 == 0 ? 0 : 0x50 + $0 } ?? 0] + push
        }
    }

    /// The fields of `bitcoin-address`.
    public var fields: InstructionFields {
        var fields: InstructionFields = ["network": .string(network.rawValue), "type": .string(kind.rawValue)]
        fields.set("witnessVersion", witnessVersion)
        fields.set("program", Hex.encode(program))
        fields.set("scriptPubKey", Hex.encode(scriptPubKey))
        return fields
    }

    /// Pays this address any amount.
    public var instruction: PaymentInstruction {
        makeInstruction { instruction in
            describe(&instruction)
            // The texts of these chains are identical, so the chain is unknown.
            switch kind {
            case .p2pkh where network == .mainnet: instruction.otherReadings = ["bitcoin-cash-legacy"]
            case .p2sh where network == .mainnet:
                instruction.otherReadings = ["bitcoin-cash-legacy", "litecoin-legacy"]
            case .p2pkh, .p2sh: instruction.otherReadings = ["litecoin-testnet", "dogecoin-testnet"]
            default: break
            }
            if !instruction.otherReadings.isEmpty { instruction.warnings.append(.otherReadings) }
        }
    }

    /// The address in the spelling for comparison. Segwit addresses are not case-sensitive.
    private var account: String { witnessVersion == nil ? text : text.lowercased() }

    /// Sets this address as the payee of `instruction`.
    func describe(_ instruction: inout PaymentInstruction) {
        instruction.payee = .init(account: account, check: .checksum)
        instruction.network = network.chain
        if network != .mainnet { instruction.warnings.append(.testNetwork) }
    }
}

/// A static address. Each payment to it goes to another output. Source: BIP-352.
///
/// It is read only inside other standards. Bare texts (`sp1…`) are not claimed.
struct SilentPaymentAddress: Sendable, Hashable {
    let isMainnet: Bool

    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        let decoded = try Bech32(part, name, limit: 1023)
        guard decoded.prefix == "sp" || decoded.prefix == "tsp", decoded.variant == .bech32m else {
            throw part.defect(.malformed, name, "is no silent-payment address; those begin with sp1 or tsp1")
        }
        guard let version = decoded.groups.first, version < 31 else {
            throw part.defect(.unsupported, name, "has a version that no wallet can pay yet; ask for another address")
        }
        guard let data = Bech32.bytes(of: decoded.groups.dropFirst()),
            version == 0 ? data.count == 66 : data.count >= 66
        else {
            throw part.defect(.length, name, "does not hold two public keys; ask for another address")
        }
        for key in [data[..<33], data[33..<66]] where (try? Secp256k1PublicKey(parsing: key)) == nil {
            throw part.defect(.range, name, "holds a public key that is not on the curve; ask for another address")
        }
        isMainnet = decoded.prefix == "sp"
    }
}
