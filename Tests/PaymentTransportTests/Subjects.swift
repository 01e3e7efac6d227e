import PaymentCore
import PaymentTransport
import Testing

/// The transports every behaviour is checked on.
enum Subject: String, CaseIterable, Sendable, CustomTestStringConvertible {
    #if os(Linux)
        case curl
    #endif
    case urlSession

    func make(_ configuration: TransportConfiguration = TransportConfiguration()) -> any HTTPTransport {
        var configuration = configuration
        // A slow machine must not change whether a test reuses a connection.
        configuration.reuseWindow = .seconds(60)
        return switch self {
        #if os(Linux)
            case .curl: CurlTransport(configuration)
        #endif
        case .urlSession: URLSessionTransport(configuration)
        }
    }

    /// What this transport must do that `URLSession` on Linux does not.
    static let faithful = allCases.filter { subject in
        #if os(Linux)
            subject == .curl
        #else
            true
        #endif
    }

    var testDescription: String { rawValue }
}

/// The error that `send` throws, or nil when it returns.
func failure(_ transport: any HTTPTransport, _ request: HTTPRequest) async -> TransportError? {
    do {
        _ = try await transport.send(request)
        return nil
    } catch {
        return error
    }
}

extension TransportError {
    /// Whether the reason is of the kind, whatever its detail.
    var isConnectFailure: Bool { if case .connectFailed = reason { true } else { false } }
    var isConnectionLost: Bool { if case .connectionLost = reason { true } else { false } }
    var isMalformed: Bool { if case .malformedResponse = reason { true } else { false } }
    var isTLS: Bool { if case .tls = reason { true } else { false } }
    var isInvalidRequest: Bool { if case .invalidRequest = reason { true } else { false } }
}
