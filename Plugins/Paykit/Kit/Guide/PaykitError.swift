public import PaykitProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What goes wrong, in the four cases over which the guide's `handlePaykitError` switches.
///
/// ``type`` tells the guide's six kinds apart, ``failure`` everything.
public enum PaykitError: Error, Sendable, Hashable {
    /// Nobody has called `paykit_initialize` yet.
    case notInitialized(PaykitNetworkError)
    /// The session is over, or never was one: sign in again.
    case sessionExpired(PaykitNetworkError)
    /// Whatever else: the network, somebody unknown, a method that is not offered, input that cannot be used.
    case networkError(PaykitNetworkError)
    /// The endpoint was used before: publish a new one.
    case endpointUsed(PaykitNetworkError)

    /// As the guide's `SessionManager` says that there is no session.
    public static var notAuthenticated: PaykitError {
        .sessionExpired(PaykitNetworkError(.sessionExpired, "there is no session: sign in"))
    }

    /// All that is known.
    public var failure: PaykitNetworkError {
        switch self {
        case .notInitialized(let failure), .sessionExpired(let failure), .networkError(let failure),
            .endpointUsed(let failure):
            failure
        }
    }

    /// The method concerned; empty where it is about none.
    public var methodId: String { failure.methodID ?? "" }

    /// Which of the guide's kinds it is.
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

    /// What to do, in the guide's words' sense.
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

    init(_ failure: PaykitNetworkError) {
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
    /// A relay or homeserver is unreachable, or anything else is wrong.
    case networkError
    /// Sign in again.
    case sessionExpired
    /// Nobody of this key is known.
    case peerNotFound
    /// The payee does not offer this method.
    case methodNotSupported
    /// The endpoint needs to be replaced.
    case endpointUsed
}

extension PaykitError: LocalizedError, CustomStringConvertible {
    /// What happened.
    public var errorDescription: String? { failure.message }
    /// What to do.
    public var recoverySuggestion: String? { recovery }
    /// What happened.
    public var description: String { failure.message }
}
