public import PaymentCore

/// Where the service is.
public struct PayrailsEndpoint: Sendable, Hashable {
    /// The address that calls are appended to.
    public let baseURL: HTTPURL

    /// Real money. In production the service wants a client certificate besides; the transport has to present it.
    public static let production = PayrailsEndpoint(own: "https://api.payrails.io")
    /// For the merchant's tests, with credentials of its own.
    public static let staging = PayrailsEndpoint(own: "https://api.staging.payrails.io")

    /// Creates the address of another service, such as a sandbox's.
    ///
    /// - Parameter baseURL: the address that calls are appended to; a query is left out.
    /// - Throws: ``LinkDefect``: it is no web address, or `http` to another machine, where the secret would travel in
    ///   the open.
    public init(baseURL: String) throws(LinkDefect) {
        self.baseURL = try HTTPURL(service: baseURL).appending([])
    }

    private init(own text: String) {
        do { self = try PayrailsEndpoint(baseURL: text) } catch {
            preconditionFailure("the service's own address is malformed")
        }
    }
}

/// Who the merchant is to the service: the client of one environment.
public struct PayrailsCredentials: Sendable, Hashable {
    /// The client id; it stands in the address that gives access tokens.
    public let clientID: String
    /// The client secret. It goes nowhere but to that address.
    public let secret: Redacted<String>

    /// Creates credentials.
    public init(clientID: String, secret: Redacted<String>) {
        self.clientID = clientID
        self.secret = secret
    }
}

/// When the merchant's workflow takes money that was authorised. It is set in the portal, and has to be said here as it
/// is there: it decides whether an authorised payment is a paid one.
@nonexhaustive
public enum PayrailsCaptureMode: String, Sendable, Hashable, Codable, CaseIterable {
    /// With the authorisation, or at once after it: what was authorised is paid. The service's default.
    case instant = "Instant"
    /// By itself, some time after it.
    case delayed = "Delayed"
    /// When the merchant asks for it, and as much as it asks for.
    case manual = "Manual"
}
