package import PaymentCore

extension CitconConfiguration {
    /// An application's return addresses. A URL that leads elsewhere is not a return.
    public struct ReturnPlaces: Sendable, Hashable {
        /// The application's own URL schemes, as orders name them: Alipay, UnionPay, Cash App and Klarna return by
        /// these.
        public var schemes: Set<String>
        /// The WeChat app ids, each of which is a URL scheme of the application.
        public var weChatAppIDs: Set<String>
        /// The application's bundle ids; Braintree returns to the scheme `<bundle id>.payments`.
        public var bundleIDs: Set<String>
        /// The universal links registered with WeChat, such as `https://www.merchant.com/apps/`.
        public var universalLinks: Set<String>
        /// The payers' destinations after payment pages: the merchant's success, failure and cancellation addresses.
        public var pages: Set<String>

        /// Creates a description. Schemes compare without regard to case.
        public init(
            schemes: Set<String> = [], weChatAppIDs: Set<String> = [], bundleIDs: Set<String> = [],
            universalLinks: Set<String> = [], pages: Set<String> = []
        ) {
            self.schemes = schemes
            self.weChatAppIDs = weChatAppIDs
            self.bundleIDs = bundleIDs
            self.universalLinks = universalLinks
            self.pages = pages
        }

        /// Returns these places combined with `others`.
        package func union(_ others: ReturnPlaces) -> ReturnPlaces {
            ReturnPlaces(
                schemes: schemes.union(others.schemes), weChatAppIDs: weChatAppIDs.union(others.weChatAppIDs),
                bundleIDs: bundleIDs.union(others.bundleIDs),
                universalLinks: universalLinks.union(others.universalLinks),
                pages: pages.union(others.pages))
        }

        /// Returns the URLs, without queries, by which the wallet returns.
        package func urls(of source: WalletReturn.Source) -> [String] {
            switch source {
            case .weChat:
                weChatAppIDs.sorted().flatMap { ["\($0)://pay/", "\($0)://pay"] }
                    + universalLinks.sorted().flatMap { link in
                        weChatAppIDs.sorted().map { "\(link.hasSuffix("/") ? link : link + "/")\($0)/pay" }
                    }
            case .alipay: schemes.sorted().flatMap { ["\($0)://safepay/", "\($0)://safepay"] }
            case .unionPay: schemes.sorted().flatMap { ["\($0)://uppayresult", "\($0)://uppayresult/"] }
            case .braintree:
                bundleIDs.sorted().flatMap { bundle in
                    ["success", "error", "cancel"].map { "\(bundle).payments://x-callback-url/vzero/auth/venmo/\($0)" }
                }
            case .cashApp: schemes.sorted().flatMap { ["\($0)://cashapp", "\($0)://cashapp/"] }
            case .payPal: [WalletReturn.payPalSession]
            case .klarna: schemes.sorted().flatMap { ["\($0)://klarna", "\($0)://klarna/"] }
            case .page:
                pages.sorted().compactMap { WalletReturn.address(of: $0) }.flatMap { url in
                    // The slash of an empty path is optional.
                    url.hasSuffix("/") && url.split(separator: "/").count == 2 ? [String(url.dropLast()), url] : [url]
                }
            }
        }

        /// The patterns, for a router, of every URL by which a payer can return.
        package var patterns: [LinkPattern] {
            var seen: Set<String> = []
            // PayPal returns to the system's session, never to a router.
            return WalletReturn.Source.allCases.filter { $0 != .payPal }.flatMap(urls).compactMap { text in
                guard let url = try? PaymentLink(text), url.form == .web, seen.insert(url.text).inserted else {
                    return nil
                }
                return .returnURL(url.text)
            }
        }
    }
}
