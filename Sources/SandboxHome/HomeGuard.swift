import PaymentCore
import PaymentTesting

/// The rules of access to the sandbox. Programs on this machine may do everything; pages of other sites, in a browser
/// on this machine, nothing. The server itself refuses other names than its own (``LoopbackServer``).
enum HomeGuard {
    /// The origin of a page on this machine that calls another address than its own and needs permission (CORS).
    private static func foreignOrigin(of request: HTTPRequest) -> String? {
        guard let origin = request.headers["Origin"], origin != request.url.origin, isLoopback(origin) else {
            return nil
        }
        return origin
    }

    /// True if a request comes from a page of another site and could change something.
    static func isForged(_ request: HTTPRequest) -> Bool {
        guard !request.method.isSafe else { return false }
        let site = request.headers["Sec-Fetch-Site"]
        if site == "cross-site" { return true }
        switch request.headers["Origin"] {
        // Not from a page: browsers always state the origin of such a request.
        case nil: return false
        // A page that hides its address; the browsers that do so also state whether it is one of the home's.
        case "null": return site != "same-origin"
        case let origin?: return origin != request.url.origin && !isLoopback(origin)
        }
    }

    /// True if the request comes from a page of the home itself or from a program.
    static func isOwn(_ request: HTTPRequest) -> Bool {
        !isForged(request) && foreignOrigin(of: request) == nil
    }

    /// The response to a preflight request, by which a browser asks for permission (Fetch, section 3.2).
    static func leave(for request: HTTPRequest) -> HTTPResponse? {
        guard request.method.rawValue == "OPTIONS", request.headers["Access-Control-Request-Method"] != nil else {
            return nil
        }
        guard foreignOrigin(of: request) != nil else { return HTTPResponse(status: 403) }
        var response = HTTPResponse(
            status: 204,
            headers: [
                "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
                "Access-Control-Max-Age": "600",
            ])
        if let names = request.headers["Access-Control-Request-Headers"], isHeaderList(names) {
            response.headers["Access-Control-Allow-Headers"] = names
        }
        return response
    }

    /// Returns the answer with the permission for the page that has sent the request, if it needs one.
    static func allowing(_ request: HTTPRequest, _ answer: SandboxAnswer) -> SandboxAnswer {
        guard let origin = foreignOrigin(of: request) else { return answer }
        func allowed(_ response: HTTPResponse) -> HTTPResponse {
            var response = response
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Vary"] = "Origin"
            return response
        }
        return switch answer {
        case .response(let response): .response(allowed(response))
        case .stream(let response, let stream): .stream(allowed(response), stream)
        default: answer
        }
    }

    private static func isLoopback(_ origin: String) -> Bool {
        guard let url = try? HTTPURL(origin), url.origin == origin else { return false }
        return url.isLoopback
    }

    private static func isHeaderList(_ text: String) -> Bool {
        text.utf8.count <= 1000
            && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_, ".utf8.contains($0) }
    }

    static let refusal = HTTPResponse(
        status: 403, headers: ["Content-Type": "text/plain; charset=utf-8"],
        body: Array(
            "This request comes from a page of another site. The sandbox answers programs of this machine.\n".utf8))
}
