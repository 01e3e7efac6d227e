public import PaymentCore
public import PaymentRouting

/// Notifications of services that a ``PostgresWorker`` handles later.
extension PostgresJournal {
    /// The most bytes of a notification's header fields and body.
    static let longestNotification = 512 << 10
    /// The most notifications of one service that wait.
    static let mostNotifications = 10_000

    /// Stores a genuine notification until a ``PostgresWorker`` has passed it to `PaymentRouter.handle(_:from:)`, so
    /// that the service gets its answer at once. Answer with success only after this returned.
    ///
    /// It is checked first, without a question to the service: what is not genuine is not stored. The same bytes are
    /// stored once while they wait. The header fields and the body are stored as they came, and removed when they are
    /// handled; leave out fields that neither the service signs nor its provider reads, such as cookies.
    ///
    /// The worker passes it on to its `notified`, at least once. A notification that waits for longer than its
    /// signature is valid is not handled any more: the service is asked then, and its answer is passed on.
    ///
    /// - Parameters:
    ///   - notification: the header fields and the body, byte for byte as they came.
    ///   - provider: the provider of the service.
    ///   - router: a router with this provider.
    /// - Throws: `PaymentError`; `untrustedNotification` when it is not genuine, `unsupported` or `unroutable` when no
    ///   provider reads it. `JournalError`; `tooLarge` beyond 512 KiB, `tooManyNotifications` when 10,000 of the
    ///   provider wait already: answer with status 503, and the service sends it again.
    public func keep(
        _ notification: IncomingNotification, from provider: ProviderID, checkedBy router: PaymentRouter
    ) async throws {
        let fields = notification.headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        let size = fields + notification.body.count
        guard size <= Self.longestNotification else {
            throw JournalError.tooLarge(path: store.path, bytes: size, limit: Self.longestNotification)
        }
        let payment = try router.verify(notification, from: provider)
        try await deliveries.add(notification, from: provider, about: payment, most: Self.mostNotifications)
    }
}
