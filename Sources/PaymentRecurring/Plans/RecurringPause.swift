import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A time in which nothing of a plan is charged: periods that begin in it are missed.
public struct RecurringPause: Sendable, Hashable {
    /// The beginning.
    public let start: Date
    /// The end; nil for a pause without one.
    public let end: Date?

    /// Creates a pause. One that ends before it begins contains no moment.
    public init(from start: Date, until end: Date? = nil) {
        self.start = start
        self.end = end
    }

    /// Returns true if a moment lies in it.
    public func contains(_ date: Date) -> Bool { start <= date && (end.map { date < $0 } ?? true) }
}
