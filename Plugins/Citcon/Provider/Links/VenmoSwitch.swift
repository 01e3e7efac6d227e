public import PaymentCore

extension CitconWalletURL {
    /// The launch values of Venmo's app: `com.venmo.touch.v2://x-callback-url/vzero/auth?…`. The form is that of
    /// Braintree's own library, which makes these from its client token.
    public struct VenmoSwitch: Sendable, Hashable {
        /// The application's bundle id; Venmo returns to the scheme `<bundle id>.payments`.
        public let bundleID: String
        /// The application's name, which Venmo shows.
        public let source: String
        /// The merchant's id at Braintree.
        public let merchantID: String
        /// The token with which Venmo issues a nonce.
        public let accessToken: Redacted<String>
        /// `production` or `sandbox`.
        public let environment: String
        /// The library's data about itself, in base64.
        public let sdkData: Redacted<String>
        /// The id of the payment at Braintree, in later releases of the library.
        public let resourceID: String?

        /// Creates a value.
        public init(
            bundleID: String, source: String, merchantID: String, accessToken: Redacted<String>, environment: String,
            sdkData: Redacted<String>, resourceID: String? = nil
        ) {
            self.bundleID = bundleID
            self.source = source
            self.merchantID = merchantID
            self.accessToken = accessToken
            self.environment = environment
            self.sdkData = sdkData
            self.resourceID = resourceID
        }

        private static let endings = ["success", "error", "cancel"]

        private static func back(_ bundleID: String, _ ending: String) -> String {
            "\(bundleID).payments://x-callback-url/vzero/auth/venmo/\(ending)"
        }

        /// Reads a launch URL; nil when it lacks an item, repeats one, or returns to more than one place.
        init?(_ link: PaymentLink) {
            let suffix = Self.back("", "success")
            guard link.path == "/vzero/auth", let success = link.only("x-success"), success.hasSuffix(suffix),
                let source = link.only("x-source"), let merchant = link.only("braintree_merchant_id"),
                let token = link.only("braintree_access_token"), let environment = link.only("braintree_environment"),
                let data = link.only("braintree_sdk_data"), link.queryItems.values("resource_id").count <= 1
            else { return nil }
            let bundle = String(success.dropLast(suffix.utf8.count))
            guard !bundle.isEmpty, Self.endings.allSatisfy({ link.only("x-\($0)") == Self.back(bundle, $0) }) else {
                return nil
            }
            self.init(
                bundleID: bundle, source: source, merchantID: merchant, accessToken: Redacted(token),
                environment: environment, sdkData: Redacted(data), resourceID: link.only("resource_id"))
        }

        /// The URL.
        var text: Redacted<String> {
            var items = Self.endings.map { ("x-\($0)", Self.back(bundleID, $0)) }
            items += [
                ("x-source", source), ("braintree_merchant_id", merchantID),
                ("braintree_access_token", accessToken.reveal()), ("braintree_environment", environment),
                ("braintree_sdk_data", sdkData.reveal()),
            ]
            if let resourceID { items.append(("resource_id", resourceID)) }
            let query = items.map { "\($0)=\(PercentCoding.encode($1))" }.joined(separator: "&")
            return Redacted("com.venmo.touch.v2://x-callback-url/vzero/auth?\(query)")
        }
    }
}

extension PaymentLink {
    /// Returns the decoded value of the one item with this name; nil when there is none, more than one, or an empty
    /// one.
    func only(_ name: String) -> String? {
        let values = queryItems.values(name)
        guard values.count == 1, let value = PercentCoding.decode(values[0]), !value.isEmpty else { return nil }
        return value
    }
}
