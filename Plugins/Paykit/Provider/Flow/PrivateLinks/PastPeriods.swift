/// The paid periods of a request of which only the time is stored: spans of periods that follow each other, and a time
/// before which nothing is known any more.
package struct PastPeriods: Sendable, Hashable, Codable {
    package enum Knowledge: Sendable, Hashable {
        case paid
        /// It may have been paid: too many periods after it were left out.
        case unknown
    }

    /// Seconds since 1970, rounded outwards.
    private struct Span: Sendable, Hashable, Codable {
        var start: Int64
        var end: Int64

        init(_ period: BillingPeriod) {
            start = period.start.seconds
            end = max(period.end.seconds + (period.end.isWhole ? 0 : 1), start + 1)
        }
    }

    /// In order, with gaps between them.
    private var spans: [Span] = []
    private var unknownBefore: Int64?

    /// The most spans: the earliest are dropped first.
    package static let mostSpans = 64

    package init() {}

    var isEmpty: Bool { spans.isEmpty && unknownBefore == nil }

    /// Returns what is known of a period; nil where it is none of these.
    package subscript(period: BillingPeriod?) -> Knowledge? {
        guard let span = period.map(Span.init) else { return nil }
        if spans.contains(where: { $0.start <= span.start && span.end <= $0.end }) { return .paid }
        return unknownBefore.map { span.start < $0 } ?? false ? .unknown : nil
    }

    mutating func insert(_ period: BillingPeriod) {
        guard self[period] == nil else { return }
        var span = Span(period)
        for known in spans where known.start <= span.end && span.start <= known.end {
            (span.start, span.end) = (min(span.start, known.start), max(span.end, known.end))
        }
        spans.removeAll { span.start <= $0.start && $0.end <= span.end }
        spans.insert(span, at: spans.firstIndex { $0.start > span.start } ?? spans.endIndex)
        if spans.count > Self.mostSpans { unknownBefore = spans.removeFirst().end }
    }
}
