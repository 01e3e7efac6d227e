import PaymentCore

extension Payrails {
    /// What the merchant's server got from the service for one payment, handed on unchanged.
    ///
    /// It holds an access token: it prints as nothing, and belongs into no log and no journal.
    public struct InitData: Sendable, Hashable, Codable {
        /// The format's version; opaque.
        public let version: String
        private let content: Redacted<String>

        /// Standard base64 of a JSON object.
        public var data: String { content.reveal() }

        /// Makes a value from the two members of the server's answer.
        public init(version: String, data: String) {
            self.version = version
            content = Redacted(data)
        }

        private enum CodingKeys: String, CodingKey {
            case version, data
        }

        /// Reads the server's answer.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                version: try container.decode(String.self, forKey: .version),
                data: try container.decode(String.self, forKey: .data))
        }

        /// Writes what ``init(from:)`` reads, token and all.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(version, forKey: .version)
            try container.encode(data, forKey: .data)
        }
    }

    /// Which of the world's two Payrails a session is meant for. It decides over PayPal's own environment only: every
    /// address comes from the ``InitData``.
    public enum Env: String, Sendable, Hashable, CaseIterable {
        /// Real payments.
        case production
        /// Payments for testing.
        case test

        /// The older name of ``production``.
        public static let prod = Env.production
        /// The older name of ``test``, as the guide has it.
        public static let dev = Env.test
    }

    /// How a session behaves.
    public struct Options: Sendable, Hashable {
        /// Which Payrails the session is meant for.
        public let env: Env
        /// Where payers come back to from pages.
        public let returnURLs: ReturnURLs

        /// Makes options.
        public init(env: Env = .production, returnURLs: ReturnURLs = .standard) {
            self.env = env
            self.returnURLs = returnURLs
        }
    }

    /// Everything a session is made from.
    public struct Configuration: Sendable, Hashable {
        /// What the merchant's server got for this payment.
        public let initData: InitData
        /// How the session behaves.
        public let option: Options

        /// Makes a configuration.
        public init(initData: InitData, option: Options = Options()) {
            self.initData = initData
            self.option = option
        }
    }
}

// The data holds an access token.
extension Payrails.InitData: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The version only.
    public var description: String { "InitData(version: \(version), data: <redacted>)" }
    /// The version only.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
