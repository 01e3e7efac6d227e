public import PaymentCore

/// The address of the service.
public struct CitconEndpoint: Sendable, Hashable {
    /// The environment, which order links and UnionPay's mode must match.
    public let mode: Mode
    /// The address that calls are appended to.
    public let baseURL: HTTPURL

    /// Creates the vendor's own address of `mode`, or another one: a sandbox, or one of the vendor's accelerated hosts.
    ///
    /// - Parameters:
    ///   - mode: the environment.
    ///   - baseURL: the address that calls are appended to; nil for the environment's own.
    /// - Throws: ``Defect``: `baseURL` is not a web address, or it is `http` and not on this machine, where an access
    ///   token would travel unencrypted.
    public init(_ mode: Mode, baseURL: String? = nil) throws(Defect) {
        let url: HTTPURL
        do { url = try HTTPURL(baseURL ?? mode.baseURL) } catch { throw .malformed(error) }
        guard url.isConfidential else { throw .insecure(origin: url.origin) }
        guard url.query == nil else { throw .hasQuery }
        self.mode = mode
        self.baseURL = url
    }
}

extension CitconEndpoint {
    /// The vendor's environment. An access token works in one of them only.
    @nonexhaustive
    public enum Mode: Int, Sendable, Hashable, CaseIterable {
        /// The vendor's own development.
        case DEV = 0
        /// The vendor's own tests.
        case QA = 1
        /// For the merchant's tests.
        case UAT = 2
        /// Real money.
        case PROD = 3

        /// The address that calls are appended to, with its version.
        public var baseURL: String { "https://\(host)/v1/" }

        /// The host of the environment's API.
        public var host: String {
            switch self {
            case .DEV: "api.dev01.citconpay.com"
            case .QA: "api-eks.qa01.citconpay.com"
            case .UAT: "api.sandbox.citconpay.com"
            case .PROD: "api.citconpay.com"
            }
        }

        /// Creates the environment with the name `name` in an order link: `dev`, `qa`, `uat` or `prod`; nil for any
        /// other.
        public init?(linkName name: some StringProtocol) {
            guard let mode = Self.allCases.first(where: { $0.linkName == name }) else { return nil }
            self = mode
        }

        /// The environment's name in an order link.
        public var linkName: String {
            switch self {
            case .DEV: "dev"
            case .QA: "qa"
            case .UAT: "uat"
            case .PROD: "prod"
            }
        }
    }

    /// The reason why an address cannot be that of the service.
    @nonexhaustive
    public enum Defect: Error, Sendable, Hashable {
        /// It is not a web address.
        case malformed(LinkDefect)
        /// It is not encrypted and not on this machine.
        case insecure(origin: String)
        /// It has a query, which calls cannot be appended to.
        case hasQuery
    }
}

extension CitconEndpoint {
    /// Real money.
    package static let production: CitconEndpoint = {
        do { return try CitconEndpoint(.PROD) } catch { preconditionFailure("the vendor's own address is malformed") }
    }()
}

extension CitconEndpoint.Defect: CustomStringConvertible {
    /// One human-readable sentence.
    public var description: String {
        switch self {
        case .malformed(let defect): "the service's address is not usable: \(defect)"
        case .insecure(let origin): "\(origin) is neither https nor on this machine; the access token would be readable"
        case .hasQuery: "the service's address must not have a query"
        }
    }
}
