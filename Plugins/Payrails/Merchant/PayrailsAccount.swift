public import PaymentCore

/// The address of the service.
public struct PayrailsEndpoint: Sendable, Hashable {
    /// The address that calls are appended to.
    public let baseURL: HTTPURL

    /// Real money. In production the service also requires a client's certificate, which the transport presents:
    /// `TransportConfiguration.identities`.
    public static let production = PayrailsEndpoint(own: "https://api.payrails.io")
    /// The service's environment for merchants' tests, with separate credentials.
    public static let staging = PayrailsEndpoint(own: "https://api.staging.payrails.io")

    /// Creates the address of another service, such as a sandbox's.
    ///
    /// - Parameter baseURL: the address that calls are appended to; a query is omitted.
    /// - Throws: ``LinkDefect``: it is not a web address, or is `http` to another machine, where the secret would be
    ///   sent unencrypted.
    public init(baseURL: String) throws(LinkDefect) {
        self.baseURL = try HTTPURL(service: baseURL).appending([])
    }

    private init(own text: String) {
        do { self = try PayrailsEndpoint(baseURL: text) } catch {
            preconditionFailure("the service's own address is malformed")
        }
    }
}

/// The merchant's identity at the service: the client of one environment.
public struct PayrailsCredentials: Sendable, Hashable {
    /// The client id, which is part of the address that issues access tokens.
    public let clientID: String
    /// The client secret. It is sent only to that address.
    public let secret: Redacted<String>

    /// Creates credentials.
    public init(clientID: String, secret: Redacted<String>) {
        self.clientID = clientID
        self.secret = secret
    }
}

/// The time at which the merchant's workflow captures authorised money. Set in the portal, and must be equal here: it
/// decides whether an authorised payment is a paid one.
@nonexhaustive
public enum PayrailsCaptureMode: String, Sendable, Hashable, Codable, CaseIterable {
    /// With the authorisation, or at once after it: an authorised payment is paid. The service's default.
    case instant = "Instant"
    /// Automatically, some time after the authorisation.
    case delayed = "Delayed"
    /// On the merchant's request, and by the requested amount.
    case manual = "Manual"
}
