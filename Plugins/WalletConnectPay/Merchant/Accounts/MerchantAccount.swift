public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension WalletConnectPayMerchant {
    /// The details of a merchant. A nil member is not sent, and a change leaves it unchanged.
    public struct MerchantDetails: Sendable, Hashable {
        /// The source of the picture.
        @nonexhaustive
        public enum Icon: Sendable, Hashable {
            /// The picture at this https address, which the service copies at once.
            case copied(from: String)
            /// No picture.
            case none
        }

        /// The merchant's name for buyers: 1 to 256 bytes.
        public var name: String?
        /// The e-mail address for the service's messages.
        public var email: Redacted<String>?
        /// The picture.
        public var icon: Icon?

        /// Creates details.
        public init(name: String? = nil, email: Redacted<String>? = nil, icon: Icon? = nil) {
            self.name = name
            self.email = email
            self.icon = icon
        }

        func body(at service: ProviderID) throws(PaymentError) -> JSONValue {
            func refused(_ text: String) -> PaymentError { PaymentError(.requestRefused, text, provider: service) }
            var body: JSONValue = [:]
            if let name {
                guard (1...256).contains(name.utf8.count) else { throw refused("a merchant's name has 1 to 256 bytes") }
                body["merchantName"] = .string(name)
            }
            if let email = email?.reveal() {
                let parts = email.split(separator: "@", omittingEmptySubsequences: false)
                let isPlain = email.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
                guard parts.count == 2, !parts[0].isEmpty, parts[1].contains("."), isPlain else {
                    throw refused("the merchant's e-mail address is none")
                }
                body["merchantEmail"] = .string(email)
            }
            switch icon {
            case .copied(let address):
                guard let url = try? HTTPURL(address), url.isSecure else {
                    throw refused("the merchant's picture has to be at an https address")
                }
                body["iconUrl"] = .string(url.text)
            case .some(.none): body["iconUrl"] = .null
            case nil: break
            }
            return body
        }
    }

    /// A merchant of a partner's account.
    public struct MerchantAccount: Sendable, Hashable {
        /// The merchant's ability to be paid. Open: the service may add others.
        public struct Status: Sendable, Hashable, RawRepresentable {
            /// The service's raw value.
            public let rawValue: String

            /// Creates a status from the service's raw value.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// It can be paid.
            public static let active = Status(rawValue: "active")
            /// It cannot be paid.
            public static let inactive = Status(rawValue: "inactive")
            /// The service has suspended it.
            public static let suspended = Status(rawValue: "suspended")
        }

        /// The service's id of the merchant.
        public let id: String
        /// The merchant's name for buyers.
        public let name: String
        /// The e-mail address for the service's messages.
        public let email: Redacted<String>?
        /// The merchant's ability to be paid.
        public let status: Status
        /// The picture.
        public let iconURL: String?
        /// The time of its creation.
        public let createdAt: Date?
        /// The settlement destinations; nil where the answer does not include them.
        public let settlements: Settlements?

        init(_ body: MerchantBody.Merchant) {
            id = body.id
            name = body.name
            email = body.email.map { Redacted($0) }
            status = Status(rawValue: body.status)
            iconURL = body.iconUrl
            createdAt = WireTime.read(body.createdAt)
            settlements = body.settlements.map(Settlements.init)
        }
    }

    /// The settlement destinations of a merchant.
    public struct Settlements: Sendable, Hashable {
        /// A bank account, which only the service's own pages can create and change.
        public struct Bank: Sendable, Hashable {
            /// The service's id of the account.
            public let id: String
            /// The service's raw status.
            public let rawStatus: String
            /// The service's raw value for the kind of bank.
            public let kind: String
        }

        /// Accounts on chains.
        public let tokens: [TokenSettlement]
        /// Bank accounts.
        public let banks: [Bank]
        /// The number of accounts on chains in a form that this version cannot read.
        public let unreadableCount: Int

        init(_ body: SettlementsBody) {
            tokens = body.crypto.compactMap(TokenSettlement.init)
            banks = body.fiat.map { Bank(id: $0.id, rawStatus: $0.status, kind: $0.bankType) }
            unreadableCount = body.crypto.count - tokens.count
        }
    }

    /// An account on a chain to which a merchant is paid out, in one asset.
    public struct TokenSettlement: Sendable, Hashable {
        /// The asset and the recipient of the payouts.
        public struct Terms: Sendable, Hashable {
            /// The token or coin.
            public let asset: AssetID
            /// The account, on the asset's own chain.
            public let destination: AccountID

            /// Creates terms.
            public init(asset: AssetID, destination: AccountID) {
                self.asset = asset
                self.destination = destination
            }

            var isOnOneChain: Bool { asset.chain == destination.chain }
        }

        /// The service's id of the settlement.
        public let id: String
        /// The asset and the recipient of the payouts.
        public let terms: Terms

        init?(_ body: SettlementsBody.Token) {
            guard let asset = try? AssetID(body.asset), let destination = try? AccountID(body.destination) else {
                return nil
            }
            id = body.id
            terms = Terms(asset: asset, destination: destination)
        }
    }
}
