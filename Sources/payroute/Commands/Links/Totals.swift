/// The number of links by decision.
struct Totals {
    private var counts: [RouteReport.Decision: Int] = [:]
    private let start = ContinuousClock.now
    private(set) var links = 0

    /// Counts one decision.
    mutating func count(_ decision: RouteReport.Decision) {
        links += 1
        counts[decision, default: 0] += 1
    }

    /// The number of decisions of this kind.
    func number(of decision: RouteReport.Decision) -> Int { counts[decision] ?? 0 }

    /// True if a provider or a standard takes every link.
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
