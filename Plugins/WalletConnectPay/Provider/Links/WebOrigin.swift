public import PaymentCore

/// Scheme, host and port of a page: the boundary between pages in browsers. Compared exactly, never by parts.
public struct WebOrigin: Sendable, Hashable {
    /// The scheme, in lower case.
    public let scheme: String
    /// The host, in lower case; an IPv6 address keeps its brackets.
    public let host: String
    /// The port, the scheme's default included; 0 for schemes without one.
    public let port: Int

    /// Creates an origin as web views report it: a port of 0 stands for the scheme's default.
    public init(scheme: String, host: String, port: Int) {
        let scheme = String(decoding: scheme.utf8.map(\.lowercasedASCII), as: UTF8.self)
        let standard = scheme == "https" ? 443 : scheme == "http" ? 80 : 0
        self.scheme = scheme
        self.host = String(decoding: host.utf8.map(\.lowercasedASCII), as: UTF8.self)
        self.port = port == 0 ? standard : port
    }

    /// Creates the origin of `url`.
    public init(_ url: HTTPURL) {
        self.init(scheme: url.isSecure ? "https" : "http", host: url.host, port: Int(url.port))
    }
}
