/// One boundary that strangers' bytes cross, and what must hold there for every input.
protocol FuzzTarget: Sendable {
    /// A few words for people.
    static var name: String { get }
    /// How many of the inputs it gets, beside the shares of the others.
    static var share: Int { get }
    /// What its inputs are made of.
    var corpus: Corpus { get }
    /// How often each kind of result was reached: a fuzzer that is always rejected finds nothing.
    var counts: [String: Int] { get }

    init() throws

    /// What is wrong about `input`, or nil.
    mutating func violation(_ input: [UInt8]) -> String?
}

/// All targets.
struct FuzzTargets: Sendable {
    private var targets: [any FuzzTarget]
    /// Each target's place as often as its share says.
    private let wheel: [Int]

    /// - Parameter name: a part of the name of the targets that are wanted; nil for all.
    init(only name: String? = nil) throws {
        let all: [any FuzzTarget.Type] = [
            RoutingTarget.self, CitconReturnTarget.self, CitconLinkTarget.self, CitconNotificationTarget.self,
            CitconAnswerTarget.self, PaykitWireTarget.self, PaykitLinkTarget.self, PaykitChannelTarget.self,
            PaykitMessageTarget.self, PaykitHandoffTarget.self, PaykitAnswerTarget.self,
            PaykitRequestTarget.self, PaykitSubscriptionTarget.self, KRPCTarget.self, PaykitGrantTarget.self,
            PaykitTodayTarget.self,
            PayrailsTarget.self, JWETarget.self,
            ReviewTarget.self, StandardsTarget.self,
        ]
        let kinds = all.filter { kind in name.map { kind.name.contains($0) } ?? true }
        guard !kinds.isEmpty else { throw NoTarget(names: all.map { $0.name }) }
        targets = try kinds.map { try $0.init() }
        wheel = kinds.enumerated().flatMap { Array(repeating: $0.offset, count: $0.element.share) }
    }

    /// No target has such a name.
    struct NoTarget: Error {
        let names: [String]
    }

    /// The target that gets the input of this number.
    func target(of index: UInt64) -> Int { wheel[Int(index % UInt64(wheel.count))] }

    func corpus(of target: Int) -> Corpus { targets[target].corpus }

    /// What is wrong about `input` at a target, or nil. Any number means a target.
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
