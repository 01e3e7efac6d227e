/// How many links went which way.
struct Totals {
    private var counts: [RouteReport.Decision: Int] = [:]
    private let start = ContinuousClock.now
    private(set) var links = 0

    /// Counts one decision.
    mutating func count(_ decision: RouteReport.Decision) {
        links += 1
        counts[decision, default: 0] += 1
    }

    /// How many decisions were of this kind.
    func number(of decision: RouteReport.Decision) -> Int { counts[decision] ?? 0 }

    /// Whether it is known what to do with every link.
    var isSettled: Bool { counts.keys.allSatisfy(\.isSettled) }

    /// `3 links in 0.1 s: 2 matched, 1 rejected`.
    var summary: String {
        let tenths = Int((ContinuousClock.now - start) / .milliseconds(100))
        let kinds = RouteReport.Decision.allCases.filter { number(of: $0) > 0 }
            .map { "\(number(of: $0)) \($0.rawValue)" }.joined(separator: ", ")
        return "\(links) \(links == 1 ? "link" : "links") in \(tenths / 10).\(tenths % 10) s"
            + (kinds.isEmpty ? "" : ": \(kinds)")
    }
}
