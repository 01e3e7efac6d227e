public import PayrailsProvider
public import PayrailsTypes

extension Payrails {
    /// What the merchant's server got from the service for one payment, handed on unchanged.
    public typealias InitData = PayrailsInitData

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

        /// Creates options.
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

        /// Creates a configuration.
        public init(initData: InitData, option: Options = Options()) {
            self.initData = initData
            self.option = option
        }
    }
}
