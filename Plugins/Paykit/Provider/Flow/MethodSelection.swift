/// Ranks methods for an amount with the scores of Paykit's library.
public struct PaykitMethodSelection: Sendable {
    /// The goal of a selection.
    @nonexhaustive
    public enum Strategy: Sendable, Hashable {
        /// A compromise of all goals.
        case balanced
        /// Low fees.
        case cost
        /// A quick confirmation.
        case speed
        /// Little information for others.
        case privacy
        /// The application's own order of methods.
        case order([String])
    }

    /// The goal.
    public var strategy: Strategy
    /// The methods that are not used.
    public var excluded: Set<String>
    /// True if methods that reveal less score higher; only where ``strategy`` is balanced.
    public var prefersPrivacy: Bool
    /// The longest time to confirmation; nil for any time.
    public var longestConfirmation: Duration?

    /// Creates a selection.
    public init(
        _ strategy: Strategy = .balanced, excluded: Set<String> = [], prefersPrivacy: Bool = false,
        longestConfirmation: Duration? = nil
    ) {
        self.strategy = strategy
        self.excluded = excluded
        self.prefersPrivacy = prefersPrivacy
        self.longestConfirmation = longestConfirmation
    }

    /// Returns the methods for `amount` satoshis, the best one first; empty when none suits.
    ///
    /// - Parameters:
    ///   - methods: the methods that the payee offers. Only `lightning`, `onchain` and their identifiers in generation
    ///     3 are known to take amounts in satoshis.
    ///   - amount: in satoshis.
    public func ranked(_ methods: [String], amount: UInt64) -> [String] {
        let longest = strategy == .speed ? .seconds(60) : longestConfirmation
        let scored = methods.compactMap { method -> (method: String, score: Int)? in
            // The traits of a kind hold for each of its identifiers in generation 3.
            let kind = PaykitIdentifier(method)?.formerName ?? method
            guard let traits = Self.known[kind], excluded.isDisjoint(with: [method, kind]),
                traits.amounts.contains(amount), longest.map({ traits.confirmation <= $0 }) ?? true
            else { return nil }
            return (method, 50 + score(method, kind: kind, traits: traits, amount: amount) + fit(kind, amount))
        }
        return scored.sorted { ($0.score, place($1.method), $1.method) > ($1.score, place($0.method), $0.method) }
            .map(\.method)
    }

    /// Returns a method's place in the application's own order, which decides between equal scores.
    private func place(_ method: String) -> Int {
        guard case .order(let order) = strategy else { return 0 }
        let former = PaykitIdentifier(method)?.formerName
        return order.firstIndex { $0 == method || $0 == former } ?? order.count
    }

    private struct Traits {
        let amounts: ClosedRange<UInt64>
        let confirmation: Duration
    }

    private static let known = [
        "lightning": Traits(amounts: 1...4_000_000, confirmation: .seconds(1)),
        "onchain": Traits(amounts: 546...UInt64.max, confirmation: .seconds(600)),
    ]

    private func score(_ method: String, kind: String, traits: Traits, amount: UInt64) -> Int {
        let isLightning = kind == "lightning"
        let seconds = traits.confirmation / .seconds(1)
        switch strategy {
        case .balanced:
            let speed = seconds <= 10 ? 15 : seconds <= 600 ? 10 : seconds <= 3600 ? 5 : 0
            let size = isLightning ? (amount < 100_000 ? 15 : 0) : (amount >= 100_000 ? 10 : 0)
            return speed + size + (isLightning && prefersPrivacy ? 10 : 0)
        case .cost: return isLightning ? (amount < 100_000 ? 40 : 0) : (amount >= 500_000 ? 30 : 0)
        case .speed: return seconds <= 1 ? 50 : seconds <= 10 ? 40 : seconds <= 60 ? 30 : seconds <= 600 ? 20 : 10
        case .privacy: return isLightning ? 40 : 10
        case .order(let order): return (order.count - place(method)) * 10
        }
    }

    private func fit(_ method: String, _ amount: UInt64) -> Int {
        method == "lightning" ? (amount < 100_000 ? 10 : 0) : (amount >= 1_000_000 ? 10 : 0)
    }
}
