#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The result of a payment, in the guide's cases.
///
/// The vendor's later releases merge ``failure(_:)``, ``cancelledByUser`` and ``error(_:)`` into
/// ``authorizationFailed(_:)``. Every case here that has a reason carries it as ``AuthorizationFailure``, whose `code`
/// is that of those releases. Their `pending` is ``isPending``.
public enum OnPayResult: Sendable {
    /// The service confirmed the payment.
    case success
    /// The session is not authorised: the service refused the request to pay, and nothing was paid. A token that is
    /// refused later is an ``error(_:)``, because the payment may have been made by then.
    case authorizationFailed(AuthorizationFailure)
    /// The payment was declined, with the service's reason.
    case failure(AuthorizationFailure)
    /// The payment failed with an error. See ``isPending`` and ``mayHaveBeenPaid`` before paying again.
    case error(PayrailsError)
    /// The payer left. The service reported no final status on the last request.
    case cancelledByUser

    /// True if the payment continues without the payer.
    public var isPending: Bool {
        if case .error(.paymentPending) = self { true } else { false }
    }

    /// A payment that continues without the payer.
    package static let pending = OnPayResult.error(.paymentPending)

    /// True if the payment was made, or may have been made although no success is known.
    public var mayHaveBeenPaid: Bool {
        switch self {
        case .success, .cancelledByUser: true
        case .authorizationFailed, .failure: false
        case .error(let error): error.leavesFateOpen
        }
    }

    /// The failure that the vendor's later releases report for any result but success and pending; nil for those two.
    public var authorizationFailure: AuthorizationFailure? {
        switch self {
        case .success: nil
        case .authorizationFailed(let failure), .failure(let failure): failure
        case .cancelledByUser: .userCancelled
        case .error(.paymentPending): nil
        case .error(let error): .unknownError(error)
        }
    }
}

/// Receives a payment's result, once.
public typealias OnPayCallback = @MainActor @Sendable (OnPayResult) -> Void

/// The reason of a payment that was not authorised.
public struct AuthorizationFailure: Sendable {
    /// The kind of reason.
    public let code: AuthorizationFailureReason
    /// One sentence or code for people.
    public let message: String
    /// The underlying error.
    public let rawError: (any Error)?

    /// Creates a failure.
    public init(code: AuthorizationFailureReason, message: String, rawError: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.rawError = rawError
    }

    /// Returns the failure of a payment that was declined for `reason`.
    package static func declined(_ reason: String) -> Self { Self(code: .authorizationError, message: reason) }

    /// The token is refused.
    package static let authentication = Self(
        code: .authenticationError, message: PayrailsError.authenticationError.description,
        rawError: PayrailsError.authenticationError)

    /// The payer left.
    static let userCancelled = Self(code: .userCancelled, message: "The payer left before the payment was finished.")

    /// Returns the failure for any other error.
    static func unknownError(_ error: PayrailsError) -> Self {
        Self(code: .unknownError, message: error.description, rawError: error)
    }
}

/// The kind of reason of an ``AuthorizationFailure``.
public enum AuthorizationFailureReason: String, Sendable, Hashable {
    /// Declined.
    case authorizationError = "AUTHORIZATION_ERROR"
    /// The token is refused.
    case authenticationError = "AUTHENTICATION_ERROR"
    /// The payer left.
    case userCancelled = "USER_CANCELLED"
    /// Any other reason.
    case unknownError = "UNKNOWN_ERROR"
}

// MARK: - Stored instruments

/// A failed payment with a stored instrument that the vendor's ``PayrailsError`` has no case for: the payment was
/// declined, or the payer left. It is wrapped in ``PayrailsError/unknown(error:)``, whose `localizedDescription` is its
/// text. See also ``PayrailsError/storedInstrumentError``.
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

/// Texts for payers for the service's reason codes of a decline. Suspicions of fraud are not revealed.
package enum DeclineTexts {
    /// English texts to follow a colon, by the documented result of an operation.
    package static let english = [
        "BlockedInstrument": "this payment method is blocked", "ExpiredInstrument": "the card has expired",
        "FraudRisk": "the bank refused it", "GenericRejection": "the bank refused it",
        "InstrumentNotAllowed": "this payment method cannot be used here",
        "InsufficientBalance": "there is not enough money", "InvalidInstrument": "the card's details are not right",
        "LimitExceeded": "it is over a limit of the card or account", "PayerCanceled": "you cancelled it",
        "PayerAuthenticationFailed": "the bank could not confirm that it is you",
        "PayerAuthenticationRequired": "the bank wants to know that it is you",
    ]
}
