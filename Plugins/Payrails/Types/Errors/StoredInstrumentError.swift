#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Why a payment with a stored instrument failed, where the vendor's ``PayrailsError`` has no case for it: it was
/// declined, or the payer left. It stands behind ``PayrailsError/unknown(error:)``, whose `localizedDescription` is its
/// words; see ``PayrailsError/storedInstrumentError``.
public struct StoredInstrumentError: Error, Sendable, Hashable {
    /// The kinds of failure that a payer can do something about, each in another way.
    @nonexhaustive
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// Declined for another reason than the ones below, or for one that nobody told.
        case declined = "DECLINED"
        /// There is not enough money.
        case insufficientFunds = "INSUFFICIENT_FUNDS"
        /// It is over a limit of the card or account.
        case limitExceeded = "LIMIT_EXCEEDED"
        /// The payer did not prove who they are: 3-D Secure failed.
        case authenticationFailed = "AUTHENTICATION_FAILED"
        /// The card has expired.
        case instrumentExpired = "INSTRUMENT_EXPIRED"
        /// The card or account is blocked, or not good for this payment.
        case instrumentRefused = "INSTRUMENT_REFUSED"
        /// The payer cancelled it, or left before it was finished.
        case cancelledByPayer = "CANCELLED_BY_PAYER"
    }

    /// Which kind it is.
    public let code: Code
    /// The kind of reason as the vendor's later releases tell it.
    public let reason: AuthorizationFailureReason
    /// The service's own word for a decline, such as `InsufficientBalance`, or its sentence; nil when the payer left.
    public let result: String?

    /// Creates a failure from what a payment's result says.
    package init(_ failure: AuthorizationFailure) {
        reason = failure.code
        result = failure.code == .userCancelled ? nil : failure.message
        code = failure.code == .userCancelled ? .cancelledByPayer : Self.codes[failure.message] ?? .declined
    }

    /// Whether the payment may have been made all the same: the payer left, and the service told of no ending.
    public var mayHaveBeenPaid: Bool { code == .cancelledByPayer && result == nil }

    /// The documented results of operations that a payer can do something about.
    private static let codes: [String: Code] = [
        "InsufficientBalance": .insufficientFunds, "LimitExceeded": .limitExceeded,
        "PayerAuthenticationRequired": .authenticationFailed, "PayerAuthenticationFailed": .authenticationFailed,
        "ExpiredInstrument": .instrumentExpired, "BlockedInstrument": .instrumentRefused,
        "InvalidInstrument": .instrumentRefused, "InstrumentNotAllowed": .instrumentRefused,
        "PayerCanceled": .cancelledByPayer,
    ]
}

extension StoredInstrumentError: LocalizedError, CustomStringConvertible {
    /// What happened, in words for the payer.
    public var errorDescription: String? { message }

    /// What happened, in words for the payer.
    public var description: String { message }

    /// What happened, in words for the payer. A word of the service that is in no table is not shown: it would say
    /// nothing to them.
    public var message: String {
        guard !mayHaveBeenPaid else { return "You left before the payment was finished." }
        let words = result.flatMap { DeclineTexts.english[$0] ?? ($0.contains(" ") ? $0 : nil) }
        return "The payment was declined" + (words.map { ": \($0)." } ?? ".")
    }
}

extension PayrailsError {
    /// Why a payment with a stored instrument was declined, or that the payer left; nil for every other error.
    public var storedInstrumentError: StoredInstrumentError? {
        if case .unknown(let failure as StoredInstrumentError) = self { failure } else { nil }
    }
}
