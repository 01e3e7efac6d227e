package import PaymentCore
package import PaymentTesting

/// A list of calls that does exactly what was agreed, with the facts that people must be shown.
package struct HonestCase: Sendable {
    /// The shapes of payments.
    package enum Shape: Sendable, Hashable, CaseIterable {
        case permit, approvalAndPermit, receive, transferAuthorization, nativeTransfer, settlement, splTransfer,
            solTransfer
    }

    package let shape: Shape
    /// `option`, `calls`, `payer` and `now`.
    package let json: JSONValue
    /// The facts that the text for people must contain.
    package let facts: [String]
    /// The agreed amount, in minor units.
    package let amount: Amount

    /// The case of a number: always the same.
    package init(seed: UInt64) {
        var random = SplitMix64(seed: seed &* 0x9E37_79B9 &+ 1)
        let shape = Shape.allCases[random.below(Shape.allCases.count)]
        var maker = CaseMaker(random: random)
        switch shape {
        case .splTransfer, .solTransfer: self = maker.solana(shape)
        default: self = maker.ethereum(shape)
        }
    }

    init(_ shape: Shape, _ json: JSONValue, facts: [String], amount: Amount) {
        self.shape = shape
        self.json = json
        self.facts = facts
        self.amount = amount
    }
}

extension SplitMix64 {
    package mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() % UInt64(bound)) }

    package mutating func pick<Element>(_ list: [Element]) -> Element { list[below(list.count)] }

    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 24) }
    }
}

/// Makes honest cases.
struct CaseMaker {
    var random: SplitMix64
    let now: UInt64

    init(random: SplitMix64) {
        self.random = random
        now = 1_700_000_000 + self.random.next() % 400_000_000
    }

    /// A moment within a day, the last second included.
    mutating func end() -> UInt64 { now + [1, 1 + random.next() % 86_400, 86_400][random.below(3)] }

    /// Amounts of every size up to `most`.
    mutating func amount(_ bytes: Int) -> Amount {
        let count = 1 + random.below(bytes)
        var digits = random.bytes(count)
        if random.below(16) == 0 { digits = [UInt8](repeating: 0xFF, count: bytes) }
        if digits.allSatisfy({ $0 == 0 }) { digits = [1] }
        return Amount(word: digits) ?? Amount(1)
    }

    func whole(
        _ shape: HonestCase.Shape, unit: String, account: String, _ asset: (symbol: String, decimals: Int),
        _ amount: Amount, calls: [JSONValue], facts: [String]
    ) -> HonestCase {
        let option: JSONValue = [
            "account": .string(account),
            "amount": [
                "unit": .string("caip19/\(unit)"), "value": .string(amount.decimalText),
                "display": [
                    "assetSymbol": .string(asset.symbol), "assetName": "Some Name",
                    "decimals": .number(JSONNumber(asset.decimals)), "networkName": "Some Network",
                ],
            ],
        ]
        var json: JSONValue = [
            "option": option, "calls": .array(calls), "payer": .string(account), "now": .number(JSONNumber(now)),
        ]
        var facts = facts + ["\(amount.text(decimals: asset.decimals)) "]
        if asset.symbol == "ZZTOP" {
            json["allow"] = [.string(unit)]
            facts.append("(\(amount.decimalText) units)")
        }
        return HonestCase(shape, json, facts: facts, amount: amount)
    }

    /// `14:32:20 UTC on 2026-10-26`, by the calendar's rules.
    static func text(of time: UInt64) -> String {
        var days = Int(time / 86_400)
        var year = 1970
        func length(_ year: Int) -> Int { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365 }
        while days >= length(year) {
            days -= length(year)
            year += 1
        }
        var month = 0
        let months = [31, length(year) - 337, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        while days >= months[month] {
            days -= months[month]
            month += 1
        }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = [time / 3600 % 24, time / 60 % 60, time % 60].map { two(Int($0)) }.joined(separator: ":")
        return "\(clock) UTC on \(year)-\(two(month + 1))-\(two(days + 1))"
    }
}
