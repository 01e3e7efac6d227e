public import PaymentCore
public import PaymentTesting

/// Several sandboxes behind one address, distinguished by the paths of requests.
public struct SharedAddress: SandboxService {
    /// One of the sandboxes, and the paths that lead to it: each stands for itself and everything below it.
    public struct Tenant: Sendable {
        let paths: [[Substring]]
        let header: String?
        let service: any SandboxService

        /// Creates a tenant.
        ///
        /// - Parameters:
        ///   - service: the service that answers.
        ///   - paths: absolute, such as `/v1/charges`; `/`, as the last one, takes all requests that no other tenant
        ///     takes.
        ///   - header: the header field that its requests must have: for paths that other tenants have, too.
        public init(_ service: any SandboxService, paths: [String], header: String? = nil) {
            self.service = service
            self.header = header
            self.paths = paths.map { $0.split(separator: "/") }
        }
    }

    private let tenants: [Tenant]

    /// Creates an address; of tenants that claim the same path the first one answers.
    public init(_ tenants: [Tenant]) {
        self.tenants = tenants
    }

    /// Returns the tenant's answer, or 404.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        await tenant(of: request)?.respond(to: request) ?? HTTPResponse(status: 404)
    }

    /// Returns the tenant's answer, or 404.
    public func answer(to request: HTTPRequest) async -> SandboxAnswer {
        await tenant(of: request)?.answer(to: request) ?? .response(HTTPResponse(status: 404))
    }

    private func tenant(of request: HTTPRequest) -> (any SandboxService)? {
        let path = request.url.path.split(separator: "/")
        return tenants.first { tenant in
            tenant.paths.contains { path.starts(with: $0) } && tenant.header.map { request.headers[$0] != nil } ?? true
        }?.service
    }
}
