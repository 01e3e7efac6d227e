public import PaymentCore

/// What an application may decide about its transport. The defaults are right for production.
public struct TransportConfiguration: Sendable {
    /// The longest time to spend on name resolution, connecting and the TLS handshake.
    ///
    /// A request whose own timeout is shorter waits no longer than that.
    public var connectTimeout: Duration = .seconds(10)

    /// Whether `https` servers on this machine (``HTTPURL/isLoopback``) may show a certificate nobody trusts.
    ///
    /// For sandboxes and tests. Every other host is always verified; there is no switch for it.
    public var acceptsAnyLoopbackCertificate = false

    /// Linux only: the HTTP proxy to use for every host but this machine, or nil for none.
    ///
    /// The environment's `http_proxy` and `https_proxy` are ignored: where payments go is decided in code. Apple
    /// platforms use the proxies of the system's settings.
    public var proxy: HTTPURL?

    /// Linux only: a request that must not be repeated (``HTTPRequest/Replay/never``) uses a kept connection only when
    /// that was idle for less than this, in whole seconds; below one second it always gets a fresh one.
    ///
    /// A server may be closing a connection that was idle for long at this very moment, and then nobody knows whether
    /// it read the request. Common servers close after 5 seconds or more.
    public var reuseWindow: Duration = .seconds(3)

    /// What the requests call themselves unless they carry a `User-Agent` field.
    public var userAgent = "swift-payment-router/0.1"

    /// Creates the default configuration.
    public init() {}
}
