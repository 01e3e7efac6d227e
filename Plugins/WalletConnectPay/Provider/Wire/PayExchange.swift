package import PaymentCore

/// One request to the service and its answer: the same for wallets and merchants.
package enum PayExchange {
    /// The API version of the requests.
    package static let version = "2026-02-19.preview"

    /// Sends `request` and reads its answer.
    ///
    /// - Parameter status: the one status of an answer that is read; any other status is a refusal.
    package static func send<Answer: Decodable>(
        _ request: HTTPRequest, over http: any HTTPTransport, accepting status: Int = 200
    ) async throws(GatewayError) -> Answer {
        let response: HTTPResponse
        do { response = try await http.send(request) } catch {
            throw error.reason == .cancelled
                ? .cancelled(mayHaveArrived: error.phase == .maybeSent) : .transport(error)
        }
        guard response.status == status else { throw .refused(ErrorAnswer(response)) }
        do { return try JSONValue(parsing: response.body).decode(Answer.self) } catch {
            throw .unusableAnswer(
                "the service's answer to '\(request.url.path.split(separator: "/").last ?? "")' "
                    + "cannot be understood: \(place(of: error))")
        }
    }

    /// Returns the place where decoding failed; never its content.
    private static func place(of error: any Error) -> String {
        func path(_ context: DecodingError.Context) -> String {
            context.codingPath.map(\.stringValue).joined(separator: ".")
        }
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            return "'\(([path(context)] + [key.stringValue]).filter { !$0.isEmpty }.joined(separator: "."))' is missing"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            return "'\(path(context))' is not as expected"
        default: return "it is not JSON"
        }
    }

    // MARK: Holding

    /// Returns the query of a request that the service may hold for a number of milliseconds.
    package static func query(holding hold: Int64?) -> [(name: String, value: String)] {
        hold.map { [("maxPollMs", String($0))] } ?? []
    }

    /// Returns the additional time for a request that the service may hold.
    package static func time(holding hold: Int64?) -> Duration { .milliseconds(min(max(hold ?? 0, 0), longestHold)) }

    private static let longestHold: Int64 = 300_000

    // MARK: Header fields

    /// The common header fields of every request, without the credentials.
    package static var headers: HTTPHeaders {
        [
            "Accept": "application/json",
            "WCP-Version": version,
            "api-version": version,
            "Sdk-Name": "swift-payment-router",
            "Sdk-Version": "0.1.0",
            "Sdk-Platform": platform,
        ]
    }

    #if canImport(UIKit)
        private static let platform = "ios"
    #elseif canImport(AppKit)
        private static let platform = "macos"
    #else
        private static let platform = "linux"
    #endif
}
