public import PaymentCore

/// An application's settings of its transport. The defaults are right for production.
public struct TransportConfiguration: Sendable {
    /// The longest time to spend on name resolution, connecting and the TLS handshake.
    ///
    /// A request whose own timeout is shorter waits no longer than that.
    public var connectTimeout: Duration = .seconds(10)

    /// True if `https` servers on this machine (``HTTPURL/isLoopback``) may show an untrusted certificate.
    ///
    /// For sandboxes and tests. Every other host is always verified; there is no switch for it.
    public var acceptsAnyLoopbackCertificate = false

    /// The certificates that `https` servers prove themselves by, in place of the system's authorities; nil for those.
    ///
    /// For a transport that calls one server, whose certificate is known beforehand. The server shows one of these
    /// certificates, or one that they have signed, with the name or address that is called; any other is refused before
    /// anything is sent. On Linux `URLSessionTransport` refuses every `https` request then.
    public var certificates: ServerCertificates?

    /// The client's identity at each service that asks for one, by `host` or `host:port`. Shown to that service only.
    ///
    /// `CurlTransport` only: `URLSessionTransport` refuses a request to such a service before anything is sent.
    public var identities: [String: ClientIdentity] = [:]

    /// Linux only: the HTTP proxy to use for every host but this machine, or nil for none.
    ///
    /// The environment's `http_proxy` and `https_proxy` are ignored: code alone decides where payments go. Apple
    /// platforms use the proxies of the system's settings.
    public var proxy: HTTPURL?

    /// Linux only: a request that must not be repeated (``HTTPRequest/Replay/never``) uses a kept connection only when
    /// that was idle for less than this, in whole seconds; below one second it always gets a fresh one.
    ///
    /// A server may be closing a connection that was idle for long at this very moment, and then it is unknown whether
    /// it read the request. Common servers close after 5 seconds or more.
    public var reuseWindow: Duration = .seconds(3)

    /// The value of `User-Agent` in requests that carry none.
    public var userAgent = "swift-payment-router/0.1"

    /// Creates the default configuration.
    public init() {}
}
