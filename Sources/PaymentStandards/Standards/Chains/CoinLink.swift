import PaymentCore

/// A link of a chain that adopted Bitcoin's form: `litecoin:`, `dogecoin:`, `dash:`, `tron:`, `tezos:`, `bitcoincash:`
/// … Source: BIP-21 as those chains' wallets use it. They have no own specification.
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
    /// Where a service holds the request to pay (BIP-72).
    private(set) var request: String?
    private let coin: ChainCoin
    private let network: String
    private var decimal: DecimalText?
    /// The token's contract that the amount is of, on Tron.
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
                // Which token it is of may stand behind it; none has more than 18 decimals.
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
        var instruction = bareInstruction
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
            // Wallets mean TRX; payment plugins of shops write the same for USDT.
            if coin == .tron, token == nil { instruction.warnings.append(.unitNotSure) }
        } else if address.isEmpty {
            instruction.amount = .onService
        }
        if request != nil { instruction.warnings.append(.followsURL) }
        instruction.memo = message
        if network != "mainnet" { instruction.warnings.append(.testNetwork) }
        return instruction
    }
}
