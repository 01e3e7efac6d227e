/// The result of a payment, in the guide's cases.
///
/// The vendor's later releases merge ``failure(_:)``, ``cancelledByUser`` and ``error(_:)`` into
/// ``authorizationFailed(_:)``; every case here that has a reason carries it as ``AuthorizationFailure``, whose `code`
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
