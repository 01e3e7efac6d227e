#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The orders of an application's wallets: which name asked for which payment, and what is known of it.
///
/// They are kept in one SQLite file, shared safely by any number of tasks and processes of one machine, or with
/// `BitcoinPostgres` in a database that several machines share. A change is on the disk when its call returns. Errors
/// are ``/PaymentRouting/JournalError``: the file is opened, checked and refused as a journal's is, and is no journal.
/// It holds invoices and preimages, and no key.
///
/// - Warning: Never delete the orders, or replace them by an older copy, while a payment is open: they keep an invoice
///   from being requested twice.
public struct WalletOrders: Sendable {
    package let store: any OrderStore

    /// Opens the orders in the file at `path` and checks its soundness.
    ///
    /// - Parameters:
    ///   - path: the location of the file; its folder has to exist.
    ///   - creating: true to create a file that does not exist.
    /// - Throws: ``/PaymentRouting/JournalError``; the file is as it was then.
    public init(path: String, creating: Bool = true) throws {
        self.init(try OrderFile(path: path, creating: creating))
    }

    package init(_ store: any OrderStore) { self.store = store }

    /// Returns the order of a name; nil when there is none.
    ///
    /// - Parameters:
    ///   - name: ``/PaymentCore/Settlement/key``.
    ///   - now: the time by the caller's clock.
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func order(named name: String, at now: Date) async throws -> WalletOrder? {
        try await store.order(named: name, at: now)
    }
}
