public import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension WalletConnectPayMerchant {
    /// The secret of a webhook endpoint, from the service's dashboard: `whsec_` and base64. Test and live have one
    /// each.
    public struct WebhookSecret: Sendable, Hashable {
        /// The bytes of the key, decoded from the text.
        let bytes: Redacted<[UInt8]>

        /// Creates a secret from its text.
        ///
        /// - Throws: ``PaymentError`` with code `unauthorized` when the text is no such secret. The error does not
        ///   contain the text.
        public init(_ text: Redacted<String>) throws(PaymentError) {
            let text = text.reveal()
            guard text.hasPrefix("whsec_"), let data = Data(base64Encoded: String(text.dropFirst(6))),
                (16...128).contains(data.count)
            else {
                throw PaymentError(
                    .unauthorized, "this is no webhook secret: they are whsec_ and the base64 of 16 bytes or more")
            }
            bytes = Redacted(Array(data))
        }
    }
}
