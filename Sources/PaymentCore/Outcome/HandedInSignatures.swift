#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The signatures of an attempt that requests have handed in, from its entries in their order.
package struct HandedInSignatures: Sendable {
    private var latest: Date?
    private var requests: Set<String> = []

    /// Creates a value without signatures.
    package init() {}

    /// The date until which money may be taken by them; nil while no request has handed one in.
    package var end: Date? { requests.isEmpty ? nil : latest }

    /// Takes the next entry. A wallet that is asked twice signs twice: the latest end counts.
    package mutating func take(_ event: JournalEntry.Event) {
        switch event {
        case .stepStarted(_, .signature(let date)): latest = max(latest ?? date, date)
        case .stepStarted(let name, let kind) where kind.movesMoney && latest != nil: requests.insert(name)
        case .stepFailed(let name, _, wasSent: false): requests.remove(name)
        default: break
        }
    }
}
