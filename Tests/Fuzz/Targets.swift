import BitcoinLaboratory
import CitconLaboratory
import FuzzModel
import PaykitLaboratory
import PayrailsLaboratory

/// All targets.
struct FuzzTargets: Sendable {
    private var targets: [any FuzzTarget]
    /// The indices of the targets, each repeated by its share.
    private let wheel: [Int]

    /// - Parameter name: a part of the name of the wanted targets; nil for all.
    init(only name: String? = nil) throws {
        let all: [any FuzzTarget.Type] =
            [RoutingTarget.self, ReviewTarget.self, StandardsTarget.self, JWETarget.self] + BitcoinFuzz.targets
            + CitconFuzz.targets
            + PaykitFuzz.targets + PayrailsFuzz.targets
        let kinds = all.filter { kind in name.map { kind.name.contains($0) } ?? true }
        guard !kinds.isEmpty else { throw NoTarget(names: all.map { $0.name }) }
        targets = try kinds.map { try $0.init() }
        wheel = kinds.enumerated().flatMap { Array(repeating: $0.offset, count: $0.element.share) }
    }

    /// An error: no target has such a name.
    struct NoTarget: Error {
        let names: [String]
    }

    /// The target of the input with this number.
    func target(of index: UInt64) -> Int { wheel[Int(index % UInt64(wheel.count))] }

    func corpus(of target: Int) -> Corpus { targets[target].corpus }

    /// The violation of `input` at a target, or nil. Any number selects a target.
    mutating func violation(of target: Int, _ input: [UInt8]) -> String? {
        let place = target % targets.count
        return targets[place].violation(input).map { "\(type(of: targets[place]).name): \($0)" }
    }

    var summary: [String] {
        targets.flatMap { target in
            ["  \(type(of: target).name)"]
                + target.counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "    \($0.value) \($0.key)" }
        }
    }
}
