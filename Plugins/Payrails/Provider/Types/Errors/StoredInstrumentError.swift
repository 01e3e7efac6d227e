#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A failed payment with a stored instrument, where the vendor's ``PayrailsError`` has no case for it: the payment was
/// declined, or the payer left. Wrapped in ``PayrailsError/unknown(error:)``, whose `localizedDescription` is its text;
/// see ``PayrailsError/storedInstrumentError``.
public struct StoredInstrumentError: Error, Sendable, Hashable {
    /// A kind of failure that a payer can remedy, each in another way.
    @nonexhaustive
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// Declined for another reason than the ones below, or without a reason.
        case declined = "DECLINED"
        /// The balance is not sufficient.
        case insufficientFunds = "INSUFFICIENT_FUNDS"
        /// The payment exceeds a limit of the card or account.
        case limitExceeded = "LIMIT_EXCEEDED"
        /// The payer did not prove their identity: 3-D Secure failed.
        case authenticationFailed = "AUTHENTICATION_FAILED"
        /// The card has expired.
        case instrumentExpired = "INSTRUMENT_EXPIRED"
        /// The card or account is blocked, or not allowed for this payment.
        case instrumentRefused = "INSTRUMENT_REFUSED"
        /// The payer cancelled the payment, or left before its end.
        case cancelledByPayer = "CANCELLED_BY_PAYER"
    }

    /// The kind of the failure.
    public let code: Code
    /// The kind of reason as the vendor's later releases report it.
    public let reason: AuthorizationFailureReason
    /// The service's own code of a decline, such as `InsufficientBalance`, or its sentence; nil if the payer left.
    public let result: String?

    /// Creates a failure from a payment's result.
    package init(_ failure: AuthorizationFailure) {
        reason = failure.code
        result = failure.code == .userCancelled ? nil : failure.message
        code = failure.code == .userCancelled ? .cancelledByPayer : Self.codes[failure.message] ?? .declined
    }

    /// True if the payment may have been made nevertheless: the payer left, and the service reported no final status.
    public var mayHaveBeenPaid: Bool { code == .cancelledByPayer && result == nil }

    /// The documented results of operations that a payer can remedy.
    private static let codes: [String: Code] = [
        "InsufficientBalance": .insufficientFunds, "LimitExceeded": .limitExceeded,
        "PayerAuthenticationRequired": .authenticationFailed, "PayerAuthenticationFailed": .authenticationFailed,
        "ExpiredInstrument": .instrumentExpired, "BlockedInstrument": .instrumentRefused,
        "InvalidInstrument": .instrumentRefused, "InstrumentNotAllowed": .instrumentRefused,
        "PayerCanceled": .cancelledByPayer,
    ]
}

extension StoredInstrumentError: LocalizedError, CustomStringConvertible {
    /// The text of the failure, for the payer.
    public var errorDescription: String? { message }

    /// The text of the failure, for the payer.
    public var description: String { message }

    /// The text of the failure, for the payer. A code of the service that is in no table is not shown: it has no
    /// meaning for payers.
    public var message: String {
        guard !mayHaveBeenPaid else { return "You left before the payment was finished." }
        let words = result.flatMap { DeclineTexts.english[$0] ?? ($0.contains(" ") ? $0 : nil) }
        return "The payment was declined" + (words.map { ": \($0)." } ?? ".")
    }
}

extension PayrailsError {
    /// The failure of a payment with a stored instrument, declined or left by the payer; nil for every other error.
    public var storedInstrumentError: StoredInstrumentError? {
        if case .unknown(let failure as StoredInstrumentError) = self { failure } else { nil }
    }
}
