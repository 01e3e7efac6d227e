import PaymentCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Leases that are lost with the process: the rules of ``LeaseStore``, without a storage.
package struct LeaseLedger {
    private struct Holding {
        let holder: String
        var end: Date
    }

    private var holdings: [PaymentReference: Holding] = [:]

    package init() {}

    package mutating func acquire(_ lease: PaymentLease, at now: Date) -> Bool {
        if let holding = holdings[lease.payment], !holding.holder.isExactly(lease.holder), holding.end > now {
            return false
        }
        holdings[lease.payment] = Holding(holder: lease.holder, end: lease.end(from: now))
        return true
    }

    package mutating func renew(_ lease: PaymentLease, at now: Date) throws(JournalError) {
        guard holdings[lease.payment]?.holder.isExactly(lease.holder) ?? false else { throw .leaseLost(lease.payment) }
        holdings[lease.payment]?.end = lease.end(from: now)
    }

    package mutating func release(_ lease: PaymentLease) {
        if holdings[lease.payment]?.holder.isExactly(lease.holder) ?? false { holdings[lease.payment] = nil }
    }
}
