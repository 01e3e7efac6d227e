public import BitcoinWallets
import PaymentCore
public import PaymentPostgres
public import PaymentRouting

extension WalletOrders {
    /// Creates orders in a PostgreSQL database, shared by the processes of several machines, and their table where it
    /// is missing.
    ///
    /// No machine sees whether another's process lives, so the sender of an order counts as alive until a time by the
    /// server's clock, ten minutes ahead, which it renews while its request is out. One that cannot renew it closes its
    /// request's connection before that time, and one that finds half of it over before its request sends nothing. Of a
    /// machine that died, others ask the wallet at once what became of the payment, and end its request after that
    /// time.
    ///
    /// Only a process that is stopped for minutes in the moment between that look and its request could send it later.
    ///
    /// - Throws: ``/PaymentRouting/JournalError``.
    public init(_ store: PostgresStore) async throws(JournalError) {
        try await self.init(store, lease: .seconds(600), clock: SystemPaymentClock())
    }

    init(_ store: PostgresStore, lease: Duration, clock: any PaymentClock) async throws(JournalError) {
        try await store.migrate(.walletOrders)
        do { self.init(try await OrderRows(store: store, lease: lease, clock: clock)) } catch let error as JournalError
        {
            throw error
        } catch { throw .inaccessible(path: store.path, detail: "\(error)") }
    }
}
