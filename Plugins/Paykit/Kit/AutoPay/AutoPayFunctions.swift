import Synchronization

extension Paykit {
    private static let limits = Mutex<PaykitAutoPay?>(nil)

    /// The limits that the guide's functions apply; nil until some are set.
    public static var autoPay: PaykitAutoPay? { limits.withLock { $0 } }

    /// Sets the limits that the guide's functions apply. With nil every payment requires a question.
    public static func use(_ autoPay: PaykitAutoPay?) { limits.withLock { $0 = autoPay } }
}

/// Returns whether a payment is within all limits now; false without limits (`Paykit.use(_:)`).
///
/// It reserves nothing; see ``PaykitAutoPay``. `amount` is the amount in satoshi.
///
/// - Throws: ``PaykitError`` when the key is invalid; errors of the account's storage.
public func canAutoPay(toPubkey: String, amount: UInt64) async throws -> Bool {
    try await Paykit.autoPay?.canAutoPay(toPubkey: toPubkey, amount: amount) ?? false
}

/// Returns whether a payment was within all limits at the last query, as the guide's flow of subscriptions asks without
/// waiting; false without limits, or before any query. `amount` is the amount in satoshi.
public func canAutoPay(_ toPubkey: String, _ amount: UInt64) -> Bool {
    Paykit.autoPay?.canAutoPay(toPubkey, amount) ?? false
}
