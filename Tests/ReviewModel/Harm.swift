package import PaymentCore

/// The effect of a list of calls in the hands of an adversary, beyond what its payer agreed to.
///
/// Read from the calls and the option alone. It uses neither the reviewer's code nor its verdict.
package struct Harm: Sendable {
    /// A day, the longest validity of a signature.
    private static let longest: UInt64 = 86_400
    /// The largest network fee that the payer may be charged without agreeing to it: 0.001 SOL.
    private static let highestFee: UInt64 = 1_000_000

    /// The powers that the calls grant, in order.
    package let acts: [Act]
    private let agreed: (asset: Asset, amount: Amount)?
    private let payer: String
    private let allowed: Set<Asset>
    private let now: UInt64

    /// - Parameter example: an object with `option`, `calls`, `payer` and `now`.
    package init(_ example: JSONValue) {
        let payer = example["payer"]?.string ?? ""
        let parts = payer.split(separator: ":", maxSplits: 2).map(String.init)
        self.payer = parts.count == 3 ? (parts[0] == "eip155" ? parts[2].lowercased() : parts[2]) : ""
        now = example["now"]?.uint64 ?? 0
        agreed = Self.agreed(example["option"])
        allowed = Set(
            (example["allow"]?.array ?? []).compactMap { token in
                Self.agreed(["amount": ["unit": .string("caip19/\(token.string ?? "")"), "value": "1"]])?.asset
            })
        let calls = example["calls"]?.array ?? []
        acts = calls.flatMap { [payer = self.payer] call in Self.acts(of: call, payer: payer) }
    }

    /// The worst excess over the agreement; nil if the payer loses no more than the agreed amount of the agreed asset.
    package var worst: String? {
        for time in moments where time <= limit { if let problem = excess(at: time) { return problem } }
        for time in moments where time > limit {
            let late = acts.filter { if case .signature = $0 { !after(time, [$0]).losses.isEmpty } else { false } }
            if !late.isEmpty { return "a signature can still be used at \(time), after more than a day" }
        }
        return nil
    }

    /// True if the agreed asset may be anything: an item of a collection, or a token whose decimals the service chose.
    ///
    /// By the tokens of ``ListedTokens``, and those that the case allows.
    package var isUnlisted: Bool {
        guard let agreed, agreed.asset.name != "coin" else { return false }
        return ListedTokens.decimals[agreed.asset] == nil && !allowed.contains(agreed.asset)
    }

    /// The amount as people have to see it: a listed token's by its true decimals, of another the number of its units.
    package var shown: String? {
        guard let agreed, agreed.asset.name != "coin" else { return nil }
        guard let decimals = ListedTokens.decimals[agreed.asset] else { return "(\(agreed.amount.decimalText) units)" }
        return agreed.amount.text(decimals: decimals)
    }

    /// The acts that people must be able to distinguish: everything except numbers that only make a signature unique.
    package var visible: [Act] {
        acts.map { act in
            // A fee that another account pays is not the payer's concern.
            if case .fee(let chain, let sponsor, _) = act, sponsor != payer {
                return .fee(chain: chain, payer: sponsor, most: 0)
            }
            guard case .signature(let signature) = act else { return act }
            return .signature(
                Act.Signature(
                    asset: signature.asset, most: signature.most, beneficiary: signature.beneficiary,
                    start: max(signature.start, Self.sum(now, 1)), end: signature.end, nonce: ""))
        }
    }

    private var limit: UInt64 { Self.sum(now, Self.longest) }

    /// The moments of the adversary's acts: at once, at the last moment, long afterwards, and at the start or end of a
    /// signature.
    private var moments: [UInt64] {
        acts.reduce(into: [now, limit] + [1, Self.longest, 31_536_000, 1 << 40].map { Self.sum(limit, $0) }) {
            if case .signature(let signature) = $1 { $0 += [signature.start, signature.end] }
        }.filter { $0 >= now }
    }

    private static func sum(_ time: UInt64, _ delay: UInt64) -> UInt64 {
        let (sum, overflow) = time.addingReportingOverflow(delay)
        return overflow ? .max : sum
    }

    private func after(_ time: UInt64, _ acts: [Act]) -> World {
        var world = World(payer: payer)
        for act in acts { world.use(act, at: time) }
        return world
    }

    private func excess(at time: UInt64) -> String? {
        let world = after(time, acts)
        if let ruin = world.ruin { return ruin }
        guard let agreed else { return "nothing was agreed to" }
        for (asset, amount) in world.losses {
            guard asset == agreed.asset else { return "loses \(asset.name) on \(asset.chain)" }
            guard amount <= agreed.amount else { return "loses \(amount.decimalText) of \(asset.name)" }
        }
        var openings = 0
        for act in acts {
            switch act {
            case .fee(_, payer, let most) where most > Self.highestFee: return "a fee of \(most)"
            case .opening(_, payer, _): openings += 1
            default: break
            }
        }
        return openings > 1 ? "opens several accounts" : nil
    }

    private static func agreed(_ option: JSONValue?) -> (asset: Asset, amount: Amount)? {
        guard let unit = option?["amount"]?["unit"]?.string, unit.hasPrefix("caip19/"),
            let amount = option?["amount"]?["value"]?.string.flatMap(Amount.init(anyNotation:))
        else { return nil }
        let parts = unit.dropFirst(7).split(separator: "/").map(String.init)
        guard parts.count == 2 else { return nil }
        if parts[1].hasPrefix("slip44:") { return (.coin(parts[0]), amount) }
        let isEVM = parts[0].hasPrefix("eip155:")
        return (Asset(chain: parts[0], name: isEVM ? parts[1].lowercased() : parts[1]), amount)
    }

    private static func acts(of call: JSONValue, payer: String) -> [Act] {
        guard let chain = call["chain_id"]?.string, let method = call["method"]?.string, let params = call["params"],
            call.object?.count == 3, (chain + method).utf8.allSatisfy({ (0x21..<0x7F).contains($0) })
        else { return [.ruin("a call that every wallet reads otherwise")] }
        switch (chain.prefix { $0 != ":" }, method) {
        case ("eip155", "eth_signTypedData_v4"): return [Ethereum.signature(params, payer: payer)]
        case ("eip155", "eth_sendTransaction"): return Ethereum.transaction(params, chain: chain, payer: payer)
        case ("solana", "solana_signTransaction"): return Solana.acts(params, chain: chain, payer: payer)
        default: return [.ruin("a method of which nothing is known: \(method)")]
        }
    }
}
