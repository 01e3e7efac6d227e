#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The signatures of an attempt that requests have handed in, from its entries in their order.
package struct HandedInSignatures: Sendable {
    private var latest: Date?
    /// The requests that began after a signature was made, and whose end is not known.
    private var begun: Set<String> = []
    /// True if one of them has left, or may have.
    private var haveLeft = false

    /// Creates a value without signatures.
    package init() {}

    /// The date until which money may be taken by them; nil while no request has handed one in.
    package var end: Date? { haveLeft || !begun.isEmpty ? latest : nil }

    /// Takes the next entry. A wallet that is asked twice signs twice: the latest end counts.
    package mutating func take(_ event: JournalEntry.Event) {
        switch event {
        case .stepStarted(_, .signature(let date)): latest = max(latest ?? date, date)
        case .stepStarted(let name, let kind) where kind.movesMoney && latest != nil:
            // Where it begins again, the request of the run before may have left.
            if !begun.insert(name).inserted { haveLeft = true }
        case .stepFailed(let name, _, let wasSent):
            // One that did not leave this time takes nothing back that left before.
            if begun.remove(name) != nil, wasSent { haveLeft = true }
        default: break
        }
    }
}
