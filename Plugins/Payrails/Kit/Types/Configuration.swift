public import PayrailsProvider

extension Payrails {
    /// The content of the service's answer to the merchant's server for one payment, passed on unchanged.
    public typealias InitData = PayrailsInitData

    /// The environment that a session is meant for. It selects PayPal's own environment only: every address comes from
    /// the ``InitData``.
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

    /// The options of a session.
    public struct Options: Sendable, Hashable {
        /// The environment that the session is meant for.
        public let env: Env
        /// The addresses at which payers return from pages.
        public let returnURLs: ReturnURLs

        /// Creates options.
        public init(env: Env = .production, returnURLs: ReturnURLs = .standard) {
            self.env = env
            self.returnURLs = returnURLs
        }
    }

    /// The input that a session is created from.
    public struct Configuration: Sendable, Hashable {
        /// The init data of this payment, from the merchant's server.
        public let initData: InitData
        /// The options of the session.
        public let option: Options

        /// Creates a configuration.
        public init(initData: InitData, option: Options = Options()) {
            self.initData = initData
            self.option = option
        }
    }
}
