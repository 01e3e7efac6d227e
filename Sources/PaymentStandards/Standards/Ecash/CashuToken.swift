import PaymentCore
import PaymentCrypto

/// Ecash as a text: bearer money, worth its amount to the first reader. Source: Cashu NUT-00.
///
/// Redeeming it brings money to the reader. It must not be shown, logged or sent to any service but its mint.
struct CashuToken: PaymentStandard {
    static let id = "cashu-token"
    static let specification = "Cashu NUT-00"
    /// Everyone who sees one can redeem it.
    static let isSecret = true
    static let patterns: [StandardPattern] = [
        .scheme("cashu", payloads: ["cashu"]), .webValue("cashua"), .webValue("cashub"),
        .bare(BareShape("cashu", lengths: 7...8192, .visible)),
    ]

    /// `A` (JSON) or `B` (CBOR).
    let version: String
    /// The mint that redeems it.
    let mint: String
    /// The amount's unit: `sat`, `usd` …
    let unit: String
    /// A text of the token's author.
    let memo: String?
    /// The amount that it is worth.
    let amount: UInt64

    /// Creates a value by reading `source`, bare, after `cashu:` or in a web page's link.
    init(_ source: inout PaymentText) throws(StandardDefect) {
        let part = try Cashu.payload(of: &source, "cashu")
        guard part.starts(with: "cashu"), let mark = part.dropFirst(5).bytes.first, mark &- 0x41 < 26 else {
            throw part.defect(.foreign, "token", "is another text")
        }
        let data = part.dropFirst(6)
        version = part.dropFirst(5).prefix(1).text
        guard version == "A" || version == "B" else {
            throw part.dropFirst(5).defect(.unsupported, "version", "must be A or B; use a newer wallet")
        }
        guard let bytes = Base64Text.decode(data), !bytes.isEmpty else {
            throw data.defect(.encoding, "token", "must be base64; copy all of it")
        }
        let content = version == "A" ? Self.json(bytes) : Self.cbor(bytes)
        guard let content else {
            throw data.defect(.malformed, "token", "holds no mint, unit and proofs; copy all of it")
        }
        guard let mint = content.mint, (try? PaymentLink(mint))?.isHTTP == true else {
            throw data.defect(.malformed, "mint", "must be one web address")
        }
        self.mint = mint
        unit = content.unit
        memo = content.memo
        var sum: UInt64 = 0
        for amount in content.amounts {
            let (next, overflow) = sum.addingReportingOverflow(amount)
            guard !overflow else { throw data.defect(.range, "amount", "is larger than any that can be") }
            sum = next
        }
        amount = sum
    }

    private struct Content {
        /// The mint; nil if there are several.
        var mint: String?
        var unit: String
        var memo: String?
        var amounts: [UInt64]
    }

    private static func json(_ bytes: [UInt8]) -> Content? {
        guard let json = try? JSONValue(parsing: bytes), let entries = json["token"]?.array, !entries.isEmpty else {
            return nil
        }
        var amounts: [UInt64] = []
        for entry in entries {
            guard let proofs = entry["proofs"]?.array, !proofs.isEmpty else { return nil }
            for proof in proofs {
                guard let amount = proof["amount"]?.uint64, proof["secret"]?.string != nil, proof["C"]?.string != nil
                else { return nil }
                amounts.append(amount)
            }
        }
        let mints = Set(entries.map { $0["mint"]?.string })
        return Content(
            mint: mints.count == 1 ? mints.first ?? nil : nil, unit: json["unit"]?.string ?? "sat",
            memo: json["memo"]?.string, amounts: amounts)
    }

    private static func cbor(_ bytes: [UInt8]) -> Content? {
        guard let value = try? CBORValue(parsing: bytes), let entries = value["t"]?.array, !entries.isEmpty,
            let unit = value["u"]?.text
        else { return nil }
        var amounts: [UInt64] = []
        for entry in entries {
            guard let proofs = entry["p"]?.array, !proofs.isEmpty else { return nil }
            for proof in proofs {
                guard let amount = proof["a"]?.unsigned, proof["s"]?.text != nil, proof["c"] != nil else { return nil }
                amounts.append(amount)
            }
        }
        return Content(mint: value["m"]?.text, unit: unit, memo: value["d"]?.text, amounts: amounts)
    }

    var fields: InstructionFields {
        var fields: InstructionFields = ["version": .string(version), "mint": .string(mint), "unit": .string(unit)]
        fields.setOrNull("memo", memo)
        fields.set("amount", amount)
        return fields
    }

    /// Brings its amount to the reader.
    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.purpose = .receipt
            instruction.network = mint
            instruction.amount = Cashu.amount(amount, unit)
            instruction.memo = memo
            instruction.warnings = [.followsURL]
            instruction.holdsSecret = true
            // None of them contains the secrets.
            instruction.publicFields = ["version", "mint", "unit", "memo", "amount"]
        }
    }
}

/// The common parts of Cashu's standards.
enum Cashu {
    /// Takes and returns a bare text, the text after the scheme, or the value in a web page's link that begins with
    /// `prefix`. That value is the rest of the path, or a value of the query or after the `#`. The page is a wallet's,
    /// and the text does not need it.
    ///
    /// - Throws: ``StandardDefect`` of kind `foreign` for a page's link without such a value, `duplicate` for several.
    static func payload(of source: inout PaymentText, _ prefix: StaticString) throws(StandardDefect) -> TextPart {
        guard source.link.isHTTP else { return source.payload().trimmed }
        let path = source.path()
        // Base64 may have slashes.
        var found = path.bytes.indices.lazy.filter { path.bytes[$0] == UInt8(ascii: "/") }
            .map { path.dropFirst($0 - path.bytes.startIndex + 1) }.first { $0.startsIgnoringCase(prefix) }
        var isAgain = false
        let reader = QueryReader(
            QueryRules(), known: [], takes: { _ in false },
            takesValue: {
                $0.startsIgnoringCase(prefix)
            })
        let take = { (_: String, parameter: QueryParameter) throws(StandardDefect) in
            // Base64 may end with `=`, which also separates names and values.
            let value = parameter.whole.startsIgnoringCase(prefix) ? parameter.whole : parameter.value
            guard value.startsIgnoringCase(prefix) else { return }
            isAgain = isAgain || found != nil
            found = try value.decoded("value")
        }
        try source.query(reader, take)
        try source.query(source.fragment(), reader, take)
        guard let found else { throw source.all().defect(.foreign, "link", "has no ecash") }
        guard !isAgain else { throw found.defect(.duplicate, "value", "stands twice; one counts") }
        return found
    }

    /// Returns an amount in a mint's unit. Its fiat units are minor ones.
    static func amount(_ amount: UInt64, _ unit: String) -> PaymentInstruction.Amount {
        let units = UInt128(amount)
        let money: Money? =
            switch unit {
            case "sat": try? Money(minorUnits: units, currency: .satoshi)
            case "msat": try? Money(minorUnits: units, currency: .satoshi, exponent: 11)
            case "usd", "eur":
                (try? FiatCurrency(unit.uppercased())).flatMap { try? Money(minorUnits: units, currency: .fiat($0)) }
            default: nil
            }
        return money.map { .fixed($0) } ?? .uncounted(digits: String(amount), unit: unit)
    }
}
