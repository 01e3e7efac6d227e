package import PaymentCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A record store over another one, which it calls where it adds nothing.
package protocol ForwardingRecords: RecordStore {
    /// The store that calls are forwarded to. An error ends the call.
    var base: any RecordStore { get throws }
}

extension ForwardingRecords {
    package func transact(
        _ ranges: [RecordRange], under lease: RecordLease?, at now: Date,
        _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> [RecordWrite]
    ) async throws { try await base.transact(ranges, under: lease, at: now, decide) }

    package func records(_ ranges: [RecordRange]) async throws -> [[StoredRecord]] { try await base.records(ranges) }

    package func records(_ query: RecordQuery) async throws -> [StoredRecord] { try await base.records(query) }

    package func acquire(_ lease: RecordLease, at now: Date) async throws -> Bool {
        try await base.acquire(lease, at: now)
    }

    package func renew(_ lease: RecordLease, at now: Date) async throws { try await base.renew(lease, at: now) }

    package func release(_ lease: RecordLease) async throws { try await base.release(lease) }
}
