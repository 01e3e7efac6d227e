public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension PaymentInstruction {
    /// Returns the warnings for a person at `date`: ``warnings`` and those that follow from amount and secret. Once the
    /// time has passed, ``InstructionWarning/expired`` replaces ``InstructionWarning/expires``.
    ///
    /// - Parameter date: The present time.
    public func warnings(at date: Date) -> [InstructionWarning] {
        let hasExpired = hasExpired(at: date)
        var list = warnings.filter { $0 != .expires }
        if hasExpired { list.insert(.expired, at: 0) } else if expiresAt != nil { list.append(.expires) }
        if amount.money?.isZero == true { list.append(.zeroAmount) }
        if holdsSecret { list.append(.secretInside) }
        return list
    }

    /// Returns true if the text is no longer valid at `date`.
    public func hasExpired(at date: Date) -> Bool { expiresAt.map { $0 <= date } ?? false }

    /// Returns one line for people: the kind of text, the payee, the amount, the expiry and the network.
    ///
    /// Names, messages and accounts in it are the author's: show the line as foreign text. For an instruction that
    /// ``holdsSecret``, it has only the kind and what ``publicFields`` allow.
    ///
    /// - Parameters:
    ///   - date: The present time, which decides whether the text has expired.
    ///   - words: Writes an amount with its unit.
    public func summary(at date: Date, amount words: (Money) -> String = { $0.description }) -> String {
        var parts = [name.title, deal(words)].filter { !$0.isEmpty }
        if !holdsSecret {
            if let memo, !memo.isEmpty { parts.append("“\(Self.shortened(memo, 40))”") }
            if let expiresAt {
                parts.append("\(hasExpired(at: date) ? "expired" : "valid until") \(Self.day(expiresAt))")
            }
        }
        if let networkName, !holdsSecret, !name.title.contains(networkName) { parts.append(Self.place(networkName)) }
        if !unclear.isEmpty, !holdsSecret { parts.append("not clear: \(Self.words(unclear))") }
        if warnings.contains(.unitNotSure), !holdsSecret { parts.append("the unit is not sure, USDT may be meant") }
        if warnings.contains(.ignoredComma), !holdsSecret { parts.append("a comma in the amount is ignored") }
        if warnings.contains(.testNetwork) { parts.append("test money, worth nothing") }
        if !alternatives.isEmpty {
            parts.append("also payable as \(alternatives.map(\.name.title).joined(separator: ", "))")
        }
        return parts.joined(separator: " · ")
    }

    /// The amount and payee, worded by the effect of following the text.
    private func deal(_ words: (Money) -> String) -> String {
        let repeated = repeats.map { " \($0.words)" } ?? ""
        switch (purpose, role) {
        case (_, .callback): return "an answer to an app, no payment"
        case (_, .authorization): return "asks for an authorization, no payment"
        case (.information, _): return "no payment"
        case (.presentation, _): return "a payer shows it to be charged; it cannot be paid"
        case (.receipt, _):
            return "brings money to its holder" + (amount.text(words).map { ": \($0)" } ?? "")
        case (.pull, _):
            let limit = amount.text(words).map { " (\($0)\(repeated))" } ?? repeated
            return "lets \(payeeText ?? "another party") take money from you\(limit)"
        case (.payment, _) where !payments.isEmpty: return together(words)
        case (.payment, _):
            let amount = amount.text(words).map { $0 + repeated }
            guard let payeeText else {
                return amount ?? (self.amount == .onService ? "the service names payee and amount" : "any amount")
            }
            if self.amount == .onService { return "to \(payeeText), the amount is asked online" }
            return "\(amount ?? "any amount\(repeated)") to \(payeeText)"
        }
    }

    /// Several payments: their sums, their number, and the first payees.
    private func together(_ words: (Money) -> String) -> String {
        let first = payments.prefix(3).map { payment in
            let payee = payment.payee?.account.map { Self.shortened($0, 28) } ?? "a payee it does not name"
            return "\(payment.amount.text(words) ?? "any amount") to \(payee)"
        }
        let sums = sums.compactMap { $0.text(words) } + (hasOpenPayment ? ["an amount of your choice"] : [])
        return "\(sums.joined(separator: " and ")) in \(payments.count) payments: \(first.joined(separator: ", "))"
            + (payments.count > first.count ? " …" : "")
    }

    /// True if the payer decides the amount of one of several payments.
    var hasOpenPayment: Bool { payments.contains { $0.amount == .open } }

    /// The sums of ``payments``, one for each unit.
    public var sums: [Amount] {
        var sums: [Amount] = []
        for payment in payments where payment.amount != .open {
            var isAdded = false
            for index in sums.indices where !isAdded {
                guard let sum = sums[index].adding(payment.amount) else { continue }
                sums[index] = sum
                isAdded = true
            }
            if !isAdded { sums.append(payment.amount) }
        }
        return sums
    }

    /// Returns the meaning of a warning for this text: ``InstructionWarning/explanation``, with the parts that it is
    /// about.
    public func explanation(of warning: InstructionWarning) -> String {
        guard !holdsSecret else { return warning.explanation }
        switch warning {
        case .unread, .unclear: return "\(warning.explanation): \(Self.words(unread))"
        case .amountsDiffer:
            let stated = ([self] + alternatives).compactMap { reading in
                reading.amount.text(\.description).map { "\($0) (\(reading.name.title))" }
            }
            return "\(warning.explanation): \(stated.joined(separator: ", "))"
        default: return warning.explanation
        }
    }

    /// The names and values of parts, for people; of many, the first.
    private static func words(_ parts: [UnreadPart]) -> String {
        let words = parts.prefix(4).map { part in
            shortened(part.value.map { "\(part.name)=\($0)" } ?? part.name, 40)
        }
        return words.joined(separator: ", ") + (parts.count > 4 ? " …" : "")
    }

    private var payeeText: String? {
        guard let payee, !holdsSecret else { return nil }
        let account = payee.account.map { Self.shortened($0, 28) }
        guard let name = payee.name, !name.isEmpty, name != payee.account else { return account }
        return Self.shortened(name, 40) + (account.map { " (\($0))" } ?? "")
    }

    /// A text of at most `limit` characters: the middle of a longer one is left out.
    static func shortened(_ text: String, _ limit: Int) -> String {
        guard text.count > limit else { return text }
        return "\(text.prefix(limit / 2))…\(text.suffix(limit / 4))"
    }

    /// A network with its preposition: by a bank transfer or scheme, at a server, on a chain.
    private static func place(_ network: String) -> String {
        if network.hasPrefix("https:") { return "at \(network)" }
        return network.contains("transfer") || network.contains(" scheme") ? "by \(network)" : "on \(network)"
    }

    /// The day of a date in UTC: `2017-06-01`.
    static func day(_ date: Date) -> String { String(RFC3339(date).text.prefix(10)) }

    // MARK: Networks

    /// The network's name for people, such as `Base` or `SEPA`; ``network`` itself if no table has it.
    public var networkName: String? { network.map(Self.networkName) }

    /// Returns the name of `network`: chains by their CAIP-2 ids, bank networks, schemes and services.
    private static func networkName(_ network: String) -> String {
        if let name = networks[network] { return name }
        if network.hasPrefix("iban:") { return "bank transfer (\(network.dropFirst(5)))" }
        if network.hasPrefix("eip155:") { return "Ethereum-compatible chain \(network.dropFirst(7))" }
        if network.hasPrefix("emv:") {
            let tag = String(network.dropFirst(4))
            return Int(tag).flatMap { cards[$0] }.map { "\($0) (card scheme)" }
                ?? "a payment scheme that this program does not know (number \(tag))"
        }
        return network
    }

    /// The card schemes by the tags that EMVCo gives them in merchants' codes.
    private static let cards = [
        2: "Visa", 3: "Visa", 4: "Mastercard", 5: "Mastercard", 9: "Discover", 10: "Discover", 11: "American Express",
        12: "American Express", 13: "JCB", 14: "JCB", 15: "UnionPay", 16: "UnionPay",
    ]

    private static let networks: [String: String] = [
        // Chains.
        "bitcoin": "Bitcoin", "lightning": "Lightning",
        "bip122:000000000019d6689c085ae165831e93": "Bitcoin",
        "bip122:000000000933ea01ad0ee984209779ba": "Bitcoin testnet",
        "bip122:00000008819873e925422c1ff0f99f7c": "Bitcoin signet",
        "bitcoin-testnet": "Bitcoin testnet", "bitcoin-regtest": "Bitcoin regtest",
        "bip122:000000000000000000651ef99cb9fcbe": "Bitcoin Cash", "bchtest": "Bitcoin Cash testnet",
        "bchreg": "Bitcoin Cash regtest",
        "bip122:12a765e31ffd4059bada1e25190f6e98": "Litecoin",
        "bip122:1a91e3dace36e2be3bf030a65679fe82": "Dogecoin",
        "bip122:00000ffd590b1485b3caadc19b22e637": "Dash",
        "bip122:00040fe8ec8471911baa1db1266ea15d": "Zcash",
        "bip122:1466275836220db2944ca059a3a10ef6": "Liquid", "liquid-testnet": "Liquid testnet",
        "eip155": "Ethereum or a compatible chain (not stated)", "eip155:1": "Ethereum",
        "eip155:10": "Optimism",
        "eip155:56": "BNB Smart Chain", "eip155:100": "Gnosis", "eip155:137": "Polygon", "eip155:8453": "Base",
        "eip155:42161": "Arbitrum", "eip155:43114": "Avalanche", "eip155:11155111": "Sepolia (test network)",
        "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp": "Solana", "stellar:pubnet": "Stellar",
        "stellar": "another Stellar network", "xrpl:0": "XRP Ledger", "xrpl:1": "XRP Ledger testnet",
        "monero": "Monero", "nano": "Nano", "cip34:1-764824073": "Cardano", "cardano-testnet": "Cardano testnet",
        "zcash-testnet": "Zcash testnet", "tvm:-239": "TON", "tron:0x2b6653dc": "Tron",
        "tezos:NetXdQprcVkpaWU": "Tezos", "algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k": "Algorand",
        "sui:mainnet": "Sui", "cashu": "Cashu", "interledger": "Interledger", "ilp": "Interledger", "pubky": "Pubky",
        // Bank networks.
        "sepa": "SEPA", "sepa-instant": "SEPA Instant", "six-interbank-clearing": "Swiss bank transfer",
        "bankgiro": "Bankgiro", "plusgiro": "PlusGiro", "de-bank-account": "German bank transfer",
        "ru-bank-account": "Russian bank transfer", "nbs-ips": "IPS Serbia", "pagopa": "pagoPA",
        "iban": "bank transfer",
        "ach": "ACH", "bic": "bank (BIC)", "upi": "UPI", "swish": "Swish", "interac": "Interac",
        // Schemes of merchants' codes.
        "pix": "Pix", "paynow": "PayNow", "promptpay": "PromptPay", "vietqr": "VietQR", "vnpayqr": "VNPAY QR",
        "qris": "QRIS", "duitnow": "DuitNow", "fps-hk": "FPS Hong Kong", "qrph": "QR Ph", "khqr": "KHQR",
        "bharatqr-rupay": "Bharat QR (RuPay)",
        // Services.
        "paypal": "PayPal", "venmo": "Venmo", "cash-app": "Cash App", "revolut": "Revolut", "wise": "Wise",
        "stripe": "Stripe", "alipay": "Alipay", "wechat-pay": "WeChat Pay", "unionpay": "UnionPay", "vipps": "Vipps",
        "mobilepay": "MobilePay", "mercado-pago": "Mercado Pago", "twint": "TWINT", "ideal": "iDEAL",
        "square": "Square", "payconiq": "Payconiq", "sbp": "SBP (faster payments)",
        "google-wallet": "Google Wallet", "apple-wallet": "Apple Wallet",
    ]
}

extension PaymentInstruction.Repetition {
    /// The rhythm for people: `each month until 2032-12-31`.
    var words: String {
        let rhythm =
            switch every {
            case nil: "whenever the payee asks"
            case 1?: "each \(unit.rawValue)"
            case let every?: "every \(every) \(unit.rawValue)s"
            }
        return rhythm + (last.map { " until \(PaymentInstruction.day($0))" } ?? "")
    }
}

extension PaymentInstruction.Amount {
    /// Returns the sum of two exact amounts of one unit; nil for others.
    fileprivate func adding(_ other: Self) -> Self? {
        switch (self, other) {
        case (.fixed(let one), .fixed(let other)):
            guard one.exponent == other.exponent else { return nil }
            return (try? one.adding(other)).map { .fixed($0) }
        case (.uncounted(let one, let unit), .uncounted(let other, let otherUnit)) where unit == otherUnit:
            let parts = [one, other].map { $0.split(separator: ".", omittingEmptySubsequences: false) }
            let places = parts.map { $0.count > 1 ? $0[1].count : 0 }.max() ?? 0
            let units = parts.map { part in
                let fraction = part.count > 1 ? String(part[1]) : ""
                return UInt128("\(part[0])\(fraction)\(String(repeating: "0", count: places - fraction.count))")
            }
            guard let first = units[0], let second = units[1] else { return nil }
            let (sum, isTooLarge) = first.addingReportingOverflow(second)
            let digits = String(repeating: "0", count: max(0, places + 1 - String(sum).count)) + String(sum)
            let text = places == 0 ? digits : "\(digits.dropLast(places)).\(digits.suffix(places))"
            return isTooLarge ? nil : .uncounted(digits: text, unit: unit)
        default: return nil
        }
    }

    /// The amount as ``Money``; nil if it cannot be counted so.
    public var money: Money? {
        switch self {
        case .fixed(let money), .minimum(let money), .suggested(let money): money
        case .open, .uncounted, .onService, .several: nil
        }
    }

    /// The amount for people; nil if the text states none.
    fileprivate func text(_ words: (Money) -> String) -> String? {
        switch self {
        case .open, .onService, .several: nil
        case .fixed(let money): words(money)
        case .minimum(let money): "at least \(words(money))"
        case .suggested(let money): "\(words(money)), which the payer may change,"
        case .uncounted(let digits, let unit): Self.words(digits, unit: unit, isShort: true)
        }
    }

    /// Returns an amount of a token; `digits` count its smallest units if `isSmallest` is true.
    static func tokens(_ digits: String, of token: String, isSmallest: Bool) -> Self {
        .uncounted(digits: digits, unit: TokenUnit(token, isSmallest: isSmallest).text)
    }

    /// Returns the words for ``uncounted(digits:unit:)``.
    ///
    /// - Parameter isShort: True if the middle of a long id is left out.
    package static func words(_ digits: String, unit: String, isShort: Bool) -> String {
        if unit == "wei" { return "\(digits.asUnits(exponent: 18)) of the chain's own coin" }
        if unit.isEmpty { return "\(digits) in a currency that the text does not name" }
        guard let unit = TokenUnit(parsing: unit) else { return "\(digits) \(unit)" }
        let id = unit.asset.map { String($0.text.drop { $0 != "/" }.dropFirst()) } ?? unit.token
        return "\(digits) \(unit.isSmallest ? "smallest units " : "")of a token that this program does not know "
            + "(\(isShort ? PaymentInstruction.shortened(id, 28) : unit.token))"
    }
}

/// The unit of an amount of tokens whose decimals the text does not state, for
/// ``PaymentInstruction/Amount/uncounted(digits:unit:)``.
///
/// It is the token's id, `caip19/…` or as the standard spells it. The prefix `smallest-unit-of:` marks a text that
/// counts in the token's smallest units. Without it, an amount would be read as a million times the requested one.
package struct TokenUnit: Sendable, Hashable {
    /// The token's id.
    package let token: String
    /// True if the text counts in the token's smallest units.
    package let isSmallest: Bool

    private static let prefix = "smallest-unit-of:"

    /// Creates the unit of a token of this id.
    init(_ token: String, isSmallest: Bool) {
        self.token = token
        self.isSmallest = isSmallest
    }

    /// Creates the unit of this text; nil for another unit, such as `wei`.
    package init?(parsing unit: String) {
        isSmallest = unit.hasPrefix(Self.prefix)
        token = isSmallest ? String(unit.dropFirst(Self.prefix.count)) : unit
        guard token.contains(where: { $0 == ":" || $0 == "/" }) else { return nil }
    }

    var text: String { isSmallest ? Self.prefix + token : token }

    /// The CAIP-19 id; nil if the text has another.
    package var asset: AssetID? {
        let prefix = "caip19/"
        return token.hasPrefix(prefix) ? try? AssetID(String(token.dropFirst(prefix.count))) : nil
    }
}

extension InstructionWarning {
    /// The time that the text names has passed.
    public static let expired = Self(rawValue: "expired")
    /// The text asks for nothing.
    public static let zeroAmount = Self(rawValue: "zero-amount")
    /// The text is worth money, or opens an account, to every reader.
    public static let secretInside = Self(rawValue: "secret-inside")

    /// The meaning, in words for people.
    public var explanation: String {
        switch self {
        case .testNetwork: "the money is of a test network and worth nothing"
        case .missingChecksum: "a typing mistake in the account would go unnoticed"
        case .expires: "the text is valid for a limited time"
        case .expired: "the text is not valid any more; ask the payee for a new one"
        case .amountEditable: "the payer may change the amount"
        case .amountMayDiffer: "the payee may demand another amount than the one printed"
        case .amountsDiffer: "the text and something inside it name different amounts"
        case .amountInside: "the amount is the one of the invoice inside; the address alone takes any amount"
        case .missingTag: "the memo or tag is missing that decides whose money it becomes"
        case .missingField: "fields that the standard demands are missing"
        case .contractCall: "it calls a contract, and the text does not show what that does"
        case .followsURL: "an address on the network decides about the payment"
        case .opensNothing: "it asks to open another app or page afterwards; that is not done"
        case .unsignedOrigin: "the payee's name is not signed"
        case .homographName: "a name has letters that may be taken for others, or invisible signs"
        case .otherReadings: "the same text can be read in several ways; choose which is meant"
        case .severalPayments: "it asks for several payments together; all of them are to be made"
        case .amountAdded: "a fee or a tip is added to the amount"
        case .severalPayees: "it offers several accounts; the one shown is used"
        case .unitNotSure: "the text does not say the coin of its amount; some makers mean a dollar token such as USDT"
        case .ignoredComma: "a comma in the amount is ignored, as the standard demands; it may be meant as a point"
        case .unencryptedURL: "an address in it is not encrypted; what is sent there could be changed"
        case .irregular: "part of it is written in a common way that the standard does not allow"
        case .unread: "parts of the text are not known, and were not read"
        case .unclear: "a part of the text is not known, and could change coin, amount, payee or time"
        case .zeroAmount: "the amount is zero"
        case .secretInside: "it is worth money to everyone who sees it; do not show or send it"
        default: rawValue.split(separator: "-").joined(separator: " ")
        }
    }
}
