import Synchronization

extension Paykit {
    private static let limits = Mutex<PaykitAutoPay?>(nil)

    /// The limits that the guide's functions go by; nil until there are some.
    public static var autoPay: PaykitAutoPay? { limits.withLock { $0 } }

    /// Has the guide's functions go by `autoPay`. Nil has nothing paid without a question.
    public static func use(_ autoPay: PaykitAutoPay?) { limits.withLock { $0 = autoPay } }
}

/// Returns whether a payment is within all limits now; false without limits (`Paykit.use(_:)`).
///
/// It reserves nothing; see ``PaykitAutoPay``.
///
/// - Parameters:
///   - toPubkey: who is paid.
///   - amount: how much, in satoshi.
/// - Throws: ``PaykitError`` when the key is none; what the account's storage throws.
public func canAutoPay(toPubkey: String, amount: UInt64) async throws -> Bool {
    try await Paykit.autoPay?.canAutoPay(toPubkey: toPubkey, amount: amount) ?? false
}

/// Returns whether a payment was within all limits when somebody looked last, as the guide's flow of subscriptions asks
/// without waiting; false without limits, or when nobody has looked yet.
///
/// - Parameters:
///   - toPubkey: who is paid.
///   - amount: how much, in satoshi.
public func canAutoPay(_ toPubkey: String, _ amount: UInt64) -> Bool {
    Paykit.autoPay?.canAutoPay(toPubkey, amount) ?? false
}
