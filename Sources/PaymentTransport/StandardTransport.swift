public import PaymentCore

#if canImport(CCurl)
    /// The transport without retries that suits this platform.
    public typealias PlatformTransport = CurlTransport
#else
    /// The transport without retries that suits this platform.
    public typealias PlatformTransport = URLSessionTransport
#endif

/// The transport applications use: ``PlatformTransport`` with ``RetryMiddleware`` around it.
///
/// Make one and keep it; connections are reused within one transport only.
public struct StandardTransport: HTTPTransport {
    private let layers: LayeredTransport

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - configuration: time limits, sizes and trust.
    ///   - retry: the rules for sending again: the conditions, the number and the pauses.
    ///   - clock: the clock of the pauses.
    ///   - random: the source of their jitter.
    public init(
        _ configuration: TransportConfiguration = TransportConfiguration(), retry: RetryPolicy = RetryPolicy(),
        clock: any PaymentClock = SystemPaymentClock(), random: any RandomSource = SystemRandomSource()
    ) {
        layers = LayeredTransport(
            PlatformTransport(configuration), [RetryMiddleware(retry, clock: clock, random: random)])
    }

    /// Sends `request`, again if that cannot act twice, and returns the answer, whatever its status.
    ///
    /// - Parameter request: the request to send.
    /// - Returns: the answer; redirects are answers like any other.
    /// - Throws: ``TransportError`` when there is no complete answer.
    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        try await layers.send(request)
    }
}

extension HTTPTransport where Self == StandardTransport {
    /// A transport with the usual limits. Each use makes another one: pass it to one router and keep that.
    public static var standard: StandardTransport { StandardTransport() }
}
