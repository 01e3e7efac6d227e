/// An error, in the four cases of the guide's `handlePaykitError`.
///
/// ``type`` distinguishes the guide's six kinds, ``failure`` every failure.
public enum PaykitError: Error, Sendable, Hashable {
    /// `paykit_initialize` was not called yet.
    case notInitialized(PaykitNetworkError)
    /// The session has expired, or was never valid: sign in again.
    case sessionExpired(PaykitNetworkError)
    /// Any other failure: of the network, an unknown user, a method that is not offered, unusable input.
    case networkError(PaykitNetworkError)
    /// The endpoint was used before: publish a new one.
    case endpointUsed(PaykitNetworkError)

    /// The error of the guide's `SessionManager` without a session.
    public static var notAuthenticated: PaykitError {
        PaykitError(.sessionExpired, "there is no session: sign in")
    }

    /// The failure with all its details.
    public var failure: PaykitNetworkError {
        switch self {
        case .notInitialized(let failure), .sessionExpired(let failure), .networkError(let failure),
            .endpointUsed(let failure):
            failure
        }
    }

    /// The method concerned; empty if there is none.
    public var methodId: String { failure.methodID ?? "" }

    /// The guide's kind of the error.
    public var type: PaykitErrorType {
        switch self {
        case .notInitialized: .notInitialized
        case .sessionExpired: .sessionExpired
        case .endpointUsed: .endpointUsed
        case .networkError(let failure):
            switch failure.code {
            case .notFound: .peerNotFound
            case .methodNotSupported: .methodNotSupported
            default: .networkError
            }
        }
    }

    /// The recovery, in the sense of the guide.
    public var recovery: String {
        switch type {
        case .notInitialized: "call paykit_initialize first"
        case .sessionExpired: "sign in again, or refresh the session with the key manager"
        case .peerNotFound: "compare the key; its owner may not be on the network"
        case .methodNotSupported: "pay in another way that the payee offers"
        case .endpointUsed: "make a new endpoint and publish it"
        case .networkError:
            failure.isRetryable ? "try again later, after ever longer pauses" : "change what was asked for"
        }
    }

    init(_ code: PaykitNetworkError.Code, _ message: String, methodID: String? = nil) {
        self.init(PaykitNetworkError(code, message, methodID: methodID))
    }

    /// Maps any error. One that is not of the network is about what was asked for.
    init(_ error: any Error) {
        if let known = error as? PaykitError {
            self = known
            return
        }
        let failure = error as? PaykitNetworkError ?? PaykitNetworkError(.validationFailed, "\(error)")
        switch failure.code {
        case .notInitialized: self = .notInitialized(failure)
        case .sessionExpired, .auth, .invalidCredentials: self = .sessionExpired(failure)
        case .endpointUsed: self = .endpointUsed(failure)
        default: self = .networkError(failure)
        }
    }
}

/// The guide's six kinds of errors.
public enum PaykitErrorType: Sendable, Hashable {
    /// Call `paykit_initialize` first.
    case notInitialized
    /// A relay or homeserver is unreachable, or another failure.
    case networkError
    /// Sign in again.
    case sessionExpired
    /// The network does not know a user of this key.
    case peerNotFound
    /// The payee does not offer this method.
    case methodNotSupported
    /// The endpoint needs to be replaced.
    case endpointUsed
}

extension PaykitError: LocalizedError, CustomStringConvertible {
    /// The message.
    public var errorDescription: String? { failure.message }
    /// The recovery.
    public var recoverySuggestion: String? { recovery }
    /// The message.
    public var description: String { failure.message }
}
