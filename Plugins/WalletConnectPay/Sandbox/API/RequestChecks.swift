import PaymentCore
import SandboxSupport

/// The general rules for every request. The codes are from the specification; their statuses are guesses.
enum RequestChecks {
    private static let versions: Set<String> = ["2026-02-18", preview]

    /// Checks a wallet's credentials: an API key, or an app id with a client id.
    static func wallet(_ headers: HTTPHeaders) throws(ServiceError) {
        try ascii(headers)
        let key = headers["Api-Key"]
        let app = headers["App-Id"]
        let client = headers["Client-Id"]
        guard key == nil || app == nil else {
            throw .credentials("conflicting_auth_headers", "Conflicting authentication headers", status: 400)
        }
        if let key {
            guard !key.isEmpty else { throw .credentials("invalid_api_key", "Invalid API key") }
        } else if let app {
            guard !app.isEmpty else { throw .credentials("invalid_app_id", "Invalid app id") }
            guard client?.isEmpty == false else {
                throw .credentials("missing_client_id", "Missing Client-Id header", status: 400)
            }
        } else if client != nil {
            throw .credentials("missing_app_id", "Missing App-Id header", status: 400)
        } else {
            throw .credentials("missing_auth_headers", "Missing authentication headers")
        }
        try version(headers)
    }

    /// Returns the body as JSON of the right media type.
    static func body(_ request: HTTPRequest) throws(ServiceError) -> JSONValue {
        guard request.mediaType == "application/json" else {
            throw .parameters("Content-Type must be application/json")
        }
        do { return try JSONValue(parsing: request.body) } catch { throw .parameters("Body is not valid JSON") }
    }

    /// Returns the `maxPollMs` of a query, or nil.
    static func maxPollMs(_ request: HTTPRequest) throws(ServiceError) -> Int64? {
        guard let text = QueryItems(Substring(request.url.query ?? "")).values("maxPollMs").first else { return nil }
        guard let value = Int64(text), value >= 0 else {
            throw .parameters("maxPollMs must be a non-negative integer")
        }
        return value
    }

    static func ascii(_ headers: HTTPHeaders) throws(ServiceError) {
        for name in ["Api-Key", "App-Id", "Client-Id", "Merchant-Id"] {
            guard headers[name]?.utf8.allSatisfy({ $0 < 0x80 }) != false else {
                throw .credentials("header_not_ascii", "Header \(name) is not ASCII", status: 400)
            }
        }
    }

    static func version(_ headers: HTTPHeaders) throws(ServiceError) {
        guard let version = headers["WCP-Version"] else { return }
        guard isVersion(version) else {
            throw .credentials("invalid_api_version", "Invalid API version", status: 400)
        }
        guard versions.contains(version) else {
            throw .credentials("unknown_api_version", "Unknown API version", status: 400)
        }
    }

    /// Returns true for `YYYY-MM-DD`, with or without `.preview`.
    private static func isVersion(_ text: String) -> Bool {
        let date = text.hasSuffix(".preview") ? text.dropLast(8) : text[...]
        let shape = date.utf8.map { $0.isASCIIDigit ? UInt8(ascii: "0") : $0 }
        return shape.elementsEqual("0000-00-00".utf8)
    }
}
