import Foundation
import PaymentCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The meanings of the codes of `URLError`. The localized texts are not used: they may quote the URL.
enum URLSessionErrors {
    static func reason(of error: any Error) -> TransportError.Reason {
        guard let code = (error as? URLError)?.code else { return .connectionLost("unknown system error") }
        let number = "URLError \(code.rawValue)"
        return switch code {
        case .cancelled: .cancelled
        case .timedOut: .timedOut
        case .cannotFindHost, .dnsLookupFailed: .hostNotFound
        case .cannotConnectToHost, .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed,
            .callIsActive:
            .connectFailed(number)
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
            .tls(number)
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData,
            .httpTooManyRedirects, .redirectToNonExistentLocation:
            .malformedResponse(number)
        case .badURL, .unsupportedURL: .invalidRequest(number)
        default: .connectionLost(number)
        }
    }
}
