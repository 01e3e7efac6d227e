public import PaymentCore

extension WalletConnectPayMerchant {
    /// The service's environment, test or live. The two share addresses and nothing else: neither sees the other's
    /// data.
    @nonexhaustive
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// No money moves.
        case test
        /// Real money.
        case live
    }

    /// An API key. It acts for a partner's whole account, including all merchants in it, so it has no place in an app.
    public struct Key: Sendable, Hashable {
        /// The environment of the key: the service encodes it only in the key's prefix.
        public let mode: Mode
        let text: Redacted<String>

        /// Creates a key: `wcp_test_…` for the test environment, any other `wcp_…` for real money.
        ///
        /// - Throws: ``PaymentError`` with code `unauthorized` when the text is no such key. The error does not contain
        ///   the text.
        public init(_ text: Redacted<String>) throws(PaymentError) {
            let key = text.reveal()
            let beginning = key.hasPrefix("wcp_test_") ? "wcp_test_" : "wcp_"
            let isPlain = key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            guard key.hasPrefix("wcp_"), key.utf8.count > beginning.utf8.count, key.utf8.count <= 512, isPlain else {
                throw PaymentError(
                    .unauthorized, "this is no API key of WalletConnect Pay: they begin with wcp_test_ or wcp_")
            }
            mode = beginning == "wcp_" ? .live : .test
            self.text = text
        }
    }
}
