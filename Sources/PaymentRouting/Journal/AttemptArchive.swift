public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A store whose attempts can be listed, and old ones removed.
public protocol AttemptArchive: AttemptStore {
    /// Returns one page of the attempts that match a query.
    ///
    /// - Parameter query: the attempts that are wanted, and the page of them.
    /// - Returns: the page, with the cursor to the next.
    /// - Throws: ``JournalError`` when the storage cannot be read.
    func attempts(_ query: AttemptQuery) async throws -> AttemptPage

    /// Removes attempts that ended long ago, with all their entries. Unfinished ones are never removed. A
    /// `SpendingStore` also keeps those that money is still reserved for.
    ///
    /// A removed attempt is not recognised again. If its link is paid again, the service is asked, and only its status
    /// says that it was paid. Keep proofs for as long as a link may be tried again or a payment be disputed.
    ///
    /// - Parameters:
    ///   - date: attempts that ended before it are removed.
    ///   - proofs: proofs of money that moved (`AttemptHistory.isProof`) are kept, unless they ended before this date
    ///     as well.
    /// - Returns: the number of attempts removed.
    /// - Throws: ``JournalError``; attempts removed before the error stay removed.
    func prune(endedBefore date: Date, keepingProofsSince proofs: Date) async throws -> Int
}

/// A selection of attempts, and their order.
public struct AttemptQuery: Sendable, Hashable {
    /// The state of an attempt.
    @nonexhaustive
    public enum State: Sendable, Hashable, CaseIterable {
        /// It has not ended.
        case unfinished
        /// It ended with the payment made, or the refund.
        case paid
        /// It ended in any other way.
        case unpaid
    }

    /// The order of attempts. Their age is their place in the journal, whatever the clocks said.
    @nonexhaustive
    public enum Order: Sendable, Hashable {
        /// The latest first.
        case newestFirst
        /// The oldest first.
        case oldestFirst
    }

    /// Only this provider's.
    public var provider: ProviderID?
    /// Only those in this state.
    public var state: State?
    /// Only those that began then or later.
    public var since: Date?
    /// The order.
    public var order: Order
    /// The maximum number of attempts on the page, at least one.
    public var limit: Int { didSet { limit = max(limit, 1) } }
    /// The end of the page before; nil for the first page.
    public var cursor: AttemptCursor?

    /// Creates a query for a page.
    public init(
        provider: ProviderID? = nil, state: State? = nil, since: Date? = nil, order: Order = .newestFirst,
        limit: Int = 100, after cursor: AttemptCursor? = nil
    ) {
        self.provider = provider
        self.state = state
        self.since = since
        self.order = order
        self.limit = max(limit, 1)
        self.cursor = cursor
    }

    /// Returns true if the query selects an attempt, whatever the page.
    ///
    /// - Parameter history: an attempt with its entries.
    /// - Returns: true if ``AttemptArchive/attempts(_:)`` returns it on some page.
    public func includes(_ history: AttemptHistory) -> Bool {
        if let provider, history.attempt.reference.provider != provider { return false }
        if let since, history.attempt.startedAt < since { return false }
        return state == nil || state == history.state
    }
}

/// A place in a journal between two pages. It is valid only in the journal that issued it.
public struct AttemptCursor: Sendable, Hashable, Codable {
    /// The place of the last attempt before; places grow in the order of opening.
    public let position: Int64

    /// Creates a cursor.
    public init(position: Int64) { self.position = position }
}

/// One page of attempts, in the order of the query.
public struct AttemptPage: Sendable, Hashable {
    /// The attempts.
    public let histories: [AttemptHistory]
    /// The beginning of the next page; nil when there is none.
    public let next: AttemptCursor?

    /// Creates a page.
    public init(histories: [AttemptHistory], next: AttemptCursor?) {
        self.histories = histories
        self.next = next
    }
}

extension AttemptHistory {
    /// The state of the attempt.
    public var state: AttemptQuery.State {
        guard isFinished else { return .unfinished }
        return entries.contains(where: \.provesPayment) ? .paid : .unpaid
    }

    /// Returns true if ``AttemptArchive/prune(endedBefore:keepingProofsSince:)`` removes it.
    ///
    /// - Parameters:
    ///   - date: attempts that ended before it are removed.
    ///   - proofs: proofs that ended before it are removed as well.
    public func isPruned(endedBefore date: Date, keepingProofsSince proofs: Date) -> Bool {
        guard let endedAt, endedAt < date else { return false }
        return !isProof || endedAt < proofs
    }
}
