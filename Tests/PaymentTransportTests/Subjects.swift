import PaymentCore
import PaymentTransport
import Testing

/// The transports that every behaviour is checked on.
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

    /// The transports with a behaviour that `URLSession` on Linux lacks.
    static let faithful = allCases.filter { subject in
        #if os(Linux)
            subject == .curl
        #else
            true
        #endif
    }

    var testDescription: String { rawValue }
}

/// The error that `send` throws, or nil if it returns.
func failure(_ transport: any HTTPTransport, _ request: HTTPRequest) async -> TransportError? {
    do {
        _ = try await transport.send(request)
        return nil
    } catch {
        return error
    }
}

extension TransportError {
    /// True if the reason is of this kind, with any detail.
    var isConnectFailure: Bool { if case .connectFailed = reason { true } else { false } }
    var isConnectionLost: Bool { if case .connectionLost = reason { true } else { false } }
    var isMalformed: Bool { if case .malformedResponse = reason { true } else { false } }
    var isTLS: Bool { if case .tls = reason { true } else { false } }
    var isInvalidRequest: Bool { if case .invalidRequest = reason { true } else { false } }
}
