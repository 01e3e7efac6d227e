import PaymentCore
import PaymentCrypto

/// A link of a chain that adopted Bitcoin's form: `litecoin:`, `dogecoin:`, `dash:`, `tron:`, `tezos:`, `bitcoincash:`
/// … Source: BIP-21 as those chains' wallets use it. The chains have no specification of such links.
struct CoinLink: PaymentStandard {
    static let id = "bip321-like"
    static let specification = "BIP-21, as other chains use it"
    static let patterns: [StandardPattern] =
        (chains.map(\.name) + CashAddress.prefixes).map { .scheme($0) }

    private static let chains: [CoinChain] = [.litecoin, .dogecoin, .dash, .tron, .tezos]

    let scheme: String
    let address: String
    /// The amount in coins, as written.
    private(set) var amount: String?
    private(set) var label: String?
    private(set) var message: String?
    /// The address of a service that holds the request to pay (BIP-72).
    private(set) var request: String?
    private let coin: ChainCoin
    private let network: String
    private var decimal: DecimalText?
    /// The contract of the token that is paid, on Tron.
    private(set) var token: String?

    private static let reader = QueryReader(
        QueryRules(foldsNames: true, required: "req-"), known: ["amount", "label", "message", "r"])
    private static let tronReader = QueryReader(
        QueryRules(foldsNames: true, required: "req-"), known: ["amount", "label", "message", "token", "r"])

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let (link, path) = (source.link, source.path())
        scheme = link.scheme.map(String.init) ?? ""
        guard link.form == .opaque else {
            throw StandardDefect(
                .malformed, "address", at: scheme.utf8.count + 1, "must follow the colon; remove the //")
        }
        try path.checkQueryMark()
        address = path.text
        let isCash = CashAddress.prefixes.contains(scheme)
        guard !isCash || source.hasQuery else { throw path.defect(.foreign, "query", "is not there") }
        if isCash {
            coin = .bitcoinCash
            network = scheme == "bitcoincash" ? "mainnet" : "testnet"
            if !path.isEmpty { _ = try CashAddress(path, prefix: scheme, "address") }
        } else {
            let name = scheme
            guard let chain = Self.chains.first(where: { $0.name == name }) else {
                throw path.defect(.foreign, "scheme", "is of another chain")
            }
            coin = chain.coin
            do throws(StandardDefect) {
                network = path.isEmpty ? "mainnet" : try CoinAddress(path, of: chain, "address").network
            } catch {
                throw error.kind == .foreign ? path.defect(.mismatch, "address", error.advice) : error
            }
        }
        let isTron = coin == .tron
        try source.query(isTron ? Self.tronReader : Self.reader) { key, parameter throws(StandardDefect) in
            switch key {
            case "token":
                let part = try Self.tronReader.text(parameter, key)
                do throws(StandardDefect) {
                    token = try CoinAddress(part, of: .tron, key).text
                } catch {
                    throw part.defect(.malformed, key, "must be the address of a token's contract; \(error.advice)")
                }
            case "amount":
                // The token may be named after the amount. No token has more than 18 decimals.
                let rules = DecimalRules(fractionDigits: isTron ? 18 : Int(coin.exponent), wholeDigits: 15)
                decimal = try DecimalText(parameter.value, "amount", rules)
                amount = decimal?.text
            case "label": label = try Self.reader.text(parameter, key).text
            case "message": message = try Self.reader.text(parameter, key).text
            case "r": request = try BIP321.request(parameter, try Self.reader.text(parameter, key).text)
            default: break
            }
        }
        guard !path.isEmpty || request != nil else {
            throw path.defect(.missing, "address", "is missing; it says who is paid")
        }
        let decimals = token == nil ? Int(coin.exponent) : 18
        if isTron, let decimal, decimal.fractionCount > decimals {
            throw StandardDefect(
                .range, "amount", at: link.text.utf8.count, "has more than \(decimals) digits behind the '.'")
        }
    }

    var fields: InstructionFields {
        var fields: InstructionFields = ["scheme": .string(scheme), "address": .string(address)]
        if token == nil { fields.set("currency", coin.symbol) }
        fields.set("token", token)
        fields.set("amount", amount)
        fields.set("label", label)
        fields.set("message", message)
        fields.set("r", request)
        return fields
    }

    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            if network == "mainnet" {
                instruction.network = coin.chain
                let name = instruction.networkName ?? scheme
                let kind = token == nil ? "" : " token"
                instruction.name = .init("a \(name)\(kind) payment request (BIP 21)", opensIn: "a \(name) wallet")
            }
            instruction.payee = .init(
                account: address.isEmpty ? request : address, name: label, check: address.isEmpty ? .none : .checksum)
            instruction.network = network == "mainnet" ? coin.chain : "\(scheme)-\(network)"
            if let decimal {
                instruction.amount = token.map { TronToken.amount(decimal, of: $0) } ?? coin.amount(decimal)
                // Wallets mean TRX. Payment plugins of shops write the same for USDT.
                if coin == .tron, token == nil { instruction.warnings.append(.unitNotSure) }
            } else if address.isEmpty {
                instruction.amount = .onService
            }
            if request != nil { instruction.warnings.append(.followsURL) }
            instruction.memo = message
            if network != "mainnet" { instruction.warnings.append(.testNetwork) }
        }
    }
}

/// A bare address of Litecoin, Dogecoin, Dash, Tron, Tezos, or a transparent one of Zcash. Sources: the version bytes
/// in the chains' own `chainparams`, and Tezos' `base58.ml`.
struct BareCoinAddress: PaymentStandard {
    static let id = "litecoin-address"
    /// One for each chain.
    static let ids = CoinChain.all.map { "\($0.name)-address" }
    static let specification = "base58check with the chains' version bytes; BIP-173 for ltc1"
    static let patterns: [StandardPattern] =
        CoinChain.all.flatMap { chain in
            chain.shapes.map { .bare(BareShape($0.prefix, lengths: $0.lengths, .base58)) }
                + chain.segwit.map {
                    .bare(BareShape($0.prefix, ignoresCase: true, lengths: 14...100, .alphanumeric))
                }
        }

    /// The index of the chain in ``CoinChain/all``.
    private let index: Int
    private let address: CoinAddress

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let part = source.all().trimmed
        if let index = CoinChain.all.firstIndex(where: { $0.segwitNetwork(of: part) != nil }) {
            self.index = index
            address = try CoinAddress(part, of: CoinChain.all[index], "address")
            return
        }
        // In base58, only the checksum shows that the text is an address.
        if let bytes = Base58Check.decode(part) {
            for index in CoinChain.all.indices {
                guard let version = CoinChain.all[index].version(of: bytes) else { continue }
                self.index = index
                address = CoinAddress(part, version, bytes)
                return
            }
        }
        throw part.defect(.foreign, "address", "is of none of these chains")
    }

    private var coin: CoinChain { CoinChain.all[index] }
    private var chain: String { coin.name }

    /// The standard of the address's chain.
    var standard: String { "\(chain)-address" }

    var fields: InstructionFields {
        [
            "chain": .string(chain), "network": .string(address.network), "type": .string(address.type),
            "hash": .string(Hex.encode(address.hash)),
        ]
    }

    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.payee = .init(account: address.text, check: .checksum)
            instruction.network = address.network == "mainnet" ? coin.coin.chain : "\(chain)-\(address.network)"
            if address.network != "mainnet" { instruction.warnings.append(.testNetwork) }
        }
    }
}

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
    /// The prefixes of its segwit addresses including the 1, and their networks.
    var segwit: [(prefix: String, network: String)] = []
    /// The letters that its base58 addresses begin with, and their lengths in characters.
    let shapes: [(prefix: String, lengths: ClosedRange<Int>)]

    /// Returns the version of `bytes`, which have no checksum.
    func version(of bytes: [UInt8]) -> Version? {
        versions.first { bytes.count == $0.bytes.count + 20 && bytes.starts(with: $0.bytes) }
    }

    /// Returns the network of the segwit prefix at the beginning of `part`; nil without such a prefix.
    func segwitNetwork(of part: TextPart) -> String? {
        segwit.first { part.bytes.starts(with: $0.prefix.utf8) { $0.lowercasedASCII == $1 } }?.network
    }

    static let litecoin = CoinChain(
        name: "litecoin", coin: .litecoin,
        // The older script addresses are also Bitcoin's. Bare ones are read as Bitcoin's.
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

    static let all = [litecoin, dogecoin, dash, tron, tezos, zcash]
}

struct CoinAddress: Sendable, Hashable {
    let text: String
    let network: String
    let type: String
    let hash: [UInt8]

    /// Reads `part`, which its standard calls `name`, as an address of `chain`.
    ///
    /// - Throws: ``StandardDefect``, of kind `foreign` for a sound address of another chain.
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

    /// Creates the address of `part`. Its `bytes` begin with `version`.
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
