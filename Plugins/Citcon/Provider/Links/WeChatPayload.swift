import PaymentCore

extension CitconWalletURL {
    /// The values that start a WeChat payment, by the names of the service.
    public struct WeChatPayload: Sendable, Hashable {
        /// The merchant's app id at WeChat; also the scheme for the return.
        public let appID: String
        let values: Redacted<[String: String]>

        static let names = ["appid", "partnerid", "prepayid", "noncestr", "timestamp", "package", "sign"]

        /// Reads a launch payload; nil when one of the seven values is missing.
        init?(_ json: JSONValue) {
            var values: [String: String] = [:]
            for name in Self.names {
                guard let value = json[name]?.string ?? json[name]?.number?.text, !value.isEmpty else { return nil }
                values[name] = value
            }
            self.init(values)
        }

        private init?(_ values: [String: String]) {
            guard let appID = values["appid"],
                appID.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit }), !appID.isEmpty
            else { return nil }
            self.appID = appID
            self.values = Redacted(values)
        }

        /// Reads the query of a launch URL.
        init?(_ link: PaymentLink) {
            let words = link.path.split(separator: "/").map(String.init)
            guard let last = words.last, last == "pay", words.count == (link.isHTTP ? 3 : 2) else { return nil }
            var values = ["appid": words[words.count - 2]]
            for (name, key) in Self.queryNames {
                let found = link.queryItems.values(key)
                guard found.count == 1, let value = PercentCoding.decode(found[0]), !value.isEmpty else { return nil }
                values[name] = value
            }
            self.init(values)
        }

        /// The items of the URL, in WeChat's own order.
        private static let queryNames = [
            ("noncestr", "nonceStr"), ("package", "package"), ("partnerid", "partnerId"), ("prepayid", "prepayId"),
            ("timestamp", "timeStamp"), ("sign", "sign"),
        ]

        /// The text `<app id>/pay/?…`. MD5 has 32 digits, SHA-1 has 40; the service does not name its choice.
        var query: String {
            let values = values.reveal()
            var items = Self.queryNames.map { "\($1)=\(PercentCoding.encode(values[$0] ?? ""))" }
            items.append("signType=\(values["sign"]?.utf8.count == 32 ? "MD5" : "SHA1")")
            return "\(appID)/pay/?\(items.joined(separator: "&"))"
        }
    }
}
