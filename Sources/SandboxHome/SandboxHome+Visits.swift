import PaymentCore
import PaymentTesting
import SandboxSupport

/// The answers to a person with a browser, where a program gets others.
extension SandboxHome {
    /// Replaces the services' refusal of an unknown path, which is for programs, by a page where a person asks.
    func missing(_ request: HTTPRequest, _ answer: SandboxAnswer) -> SandboxAnswer {
        guard Self.isVisit(request), case .response(let response) = answer, response.status == 404,
            response.headers["Content-Type"]?.hasPrefix("text/html") != true
        else { return answer }
        return .response(problem("Nothing is at this address.", status: 404, random.hex(32)))
    }

    /// True if a browser asks for a page, and no program for an answer.
    static func isVisit(_ request: HTTPRequest) -> Bool {
        request.method.isSafe && request.headers["Accept"]?.contains("text/html") == true
    }
}
