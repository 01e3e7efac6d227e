/// A failed operation on the Pubky network.
public struct PaykitNetworkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, numbered as Paykit's library numbers them.
    public struct Code: Sendable, Hashable, RawRepresentable {
        /// The number.
        public let rawValue: Int

        /// Creates a code from its number.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// A relay or homeserver failed.
        public static let transport = Code(rawValue: 2000)
        /// A relay or homeserver could not be reached.
        public static let connectionFailed = Code(rawValue: 2001)
        /// A relay or homeserver did not answer in time.
        public static let connectionTimeout = Code(rawValue: 2002)
        /// The homeserver refused: there is no session, or the session lacks the capability.
        public static let auth = Code(rawValue: 3000)
        /// The session has expired.
        public static let sessionExpired = Code(rawValue: 3001)
        /// The key or token was refused.
        public static let invalidCredentials = Code(rawValue: 3002)
        /// No user with this key is on the network, or the file does not exist.
        public static let notFound = Code(rawValue: 4000)
        /// The user cannot be paid in this way.
        public static let methodNotSupported = Code(rawValue: 4001)
        /// Data from the network are malformed.
        public static let invalidData = Code(rawValue: 5000)
        /// An argument is invalid.
        public static let validationFailed = Code(rawValue: 5001)
        /// The invoice has expired.
        public static let invoiceExpired = Code(rawValue: 6002)
        /// The payee declines the payment, or asks for something else than was agreed on.
        public static let paymentRejected = Code(rawValue: 6003)
        /// The payment may have been made before; only the wallet can say so.
        public static let paymentInDoubt = Code(rawValue: 6000)
        /// The endpoint was used before and should be replaced.
        public static let endpointUsed = Code(rawValue: 6004)
        /// The homeserver could not store the data.
        public static let storage = Code(rawValue: 7000)
        /// The homeserver has no room left for this user.
        public static let quotaExceeded = Code(rawValue: 7001)
        /// The service demands fewer requests.
        public static let rateLimited = Code(rawValue: 8000)
        /// The client was not initialised.
        public static let notInitialized = Code(rawValue: 1001)
    }

    /// The kind of failure.
    public let code: Code
    /// One sentence for people, with what to do; no secrets.
    public let message: String
    /// The payment method concerned; nil if the failure is not about one.
    public let methodID: String?
    /// The wait before another attempt; nil when it would fail the same way.
    public let retryAfter: Duration?
    /// True if a payee that was asked privately answered with something else than was asked for.
    package var isBrokenPromise = false

    /// Creates a failure.
    public init(_ code: Code, _ message: String, methodID: String? = nil, retryAfter: Duration? = nil) {
        self.code = code
        self.message = message
        self.methodID = methodID
        self.retryAfter = retryAfter ?? Self.usualWait(code)
    }

    /// True if the same operation may succeed later.
    public var isRetryable: Bool { retryAfter != nil }

    private static func usualWait(_ code: Code) -> Duration? {
        switch code {
        case .connectionFailed: .seconds(2)
        case .connectionTimeout, .transport: .seconds(1)
        case .storage: .milliseconds(500)
        case .rateLimited: .seconds(60)
        default: nil
        }
    }

    package init(_ error: TransportError) {
        let code: Code =
            switch error.reason {
            case .timedOut: .connectionTimeout
            case .hostNotFound, .connectFailed, .tls: .connectionFailed
            default: .transport
            }
        self.init(code, error.description)
    }

    /// The message.
    public var description: String { message }
}

/// Throws a failure unless a condition holds.
package func require(
    _ condition: Bool, _ code: PaykitNetworkError.Code, _ message: @autoclosure () -> String, methodID: String? = nil
) throws(PaykitNetworkError) {
    guard condition else { throw PaykitNetworkError(code, message(), methodID: methodID) }
}
