public import PaymentCore
import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension WalletConnectPayMerchant {
    /// The merchants of a partner's account, and their settlement destinations. (Protocol 6.)
    ///
    /// Operations without a published call are not included: payouts to banks are only shown.
    public struct Accounts: Sendable {
        let service: ProviderID
        let api: MerchantAPI

        // MARK: Merchants

        /// Creates a merchant: once for each key.
        ///
        /// - Parameters:
        ///   - details: its name, e-mail address and picture.
        ///   - idempotencyKey: identifies repetitions of the request; 1 to 255 printable ASCII characters.
        /// - Returns: the merchant.
        /// - Throws: ``PaymentError``; with phase `maybeSent` repeat the same request under the same key.
        public func createMerchant(
            _ details: MerchantDetails, idempotencyKey: String
        ) async throws(PaymentError) -> MerchantAccount {
            try Order.check(key: idempotencyKey, at: service)
            guard details.name != nil, details.email != nil else {
                throw refused("a new merchant has a name and an e-mail address")
            }
            let body = try details.body(at: service)
            let answer: MerchantBody = try await change(
                .post, ["merchants"], body, key: idempotencyKey, accepting: 201)
            guard answer.merchant.name == details.name else { throw other("merchant") }
            return MerchantAccount(answer.merchant)
        }

        /// Lists the account's merchants, one page at a time.
        ///
        /// - Parameters:
        ///   - search: a part of a name or id; nil for all.
        ///   - status: the service's raw value of a state; nil for all.
        ///   - cursor: the end of the previous page; nil for the first.
        ///   - limit: the page size: 1 to 100.
        /// - Returns: the page, and the cursor of the next one.
        /// - Throws: ``PaymentError`` when the request fails.
        public func merchants(
            search: String? = nil, status: MerchantAccount.Status? = nil, after cursor: String? = nil, limit: Int = 20
        ) async throws(PaymentError) -> (merchants: [MerchantAccount], nextCursor: String?) {
            guard (1...100).contains(limit) else { throw refused("a page of merchants has 1 to 100") }
            if let search, !(1...256).contains(search.utf8.count) {
                throw refused("merchants are searched for 1 to 256 bytes of text")
            }
            var query: [(name: String, value: String)] = [("limit", String(limit))]
            if let status { query.append(("status", status.rawValue)) }
            if let search { query.append(("search", search)) }
            if let cursor { query.append(("cursor", cursor)) }
            let page: MerchantListBody = try await ask(["merchants"], query: query)
            return (page.merchants.map(MerchantAccount.init), page.nextCursor)
        }

        /// Gets a merchant and its settlement destinations.
        ///
        /// - Parameter id: the service's id of the merchant.
        /// - Returns: the merchant.
        /// - Throws: ``PaymentError``; `integrity` when the service answers with another merchant.
        public func merchant(_ id: String) async throws(PaymentError) -> MerchantAccount {
            let answer: MerchantBody = try await ask(["merchants", try checked(id)])
            guard answer.merchant.id == id else { throw other("merchant", isMutation: false) }
            return MerchantAccount(answer.merchant)
        }

        /// Changes the details of a merchant.
        ///
        /// - Parameters:
        ///   - id: the service's id of the merchant.
        ///   - details: the details to change; nil members stay unchanged.
        /// - Returns: the changed merchant.
        /// - Throws: ``PaymentError``; with phase `maybeSent` it may have been changed.
        public func updateMerchant(
            _ id: String, _ details: MerchantDetails
        ) async throws(PaymentError) -> MerchantAccount {
            let body = try details.body(at: service)
            guard body.object?.isEmpty == false else { throw refused("nothing of the merchant is to be changed") }
            // A repetition has no further effect.
            let answer: MerchantBody = try await change(
                .patch, ["merchants", try checked(id)], body, replay: .safe)
            guard answer.merchant.id == id else { throw other("merchant") }
            return MerchantAccount(answer.merchant)
        }

        /// Removes a merchant. Removing it again has no effect.
        ///
        /// - Parameter id: the service's id of the merchant.
        /// - Throws: ``PaymentError``; with phase `maybeSent` it may have been removed.
        public func deleteMerchant(_ id: String) async throws(PaymentError) {
            let answer: DeletedBody = try await change(
                .delete, ["merchants", try checked(id)], nil, replay: .safe)
            guard answer.id == id, answer.deleted else { throw other("merchant") }
        }

        // MARK: Settlements

        /// Gets the settlement destinations of a merchant.
        ///
        /// - Parameter merchant: the service's id of the merchant.
        /// - Returns: its accounts.
        /// - Throws: ``PaymentError`` when the request fails.
        public func settlements(of merchant: String) async throws(PaymentError) -> Settlements {
            let answer: SettlementsBody = try await ask(["merchants", try checked(merchant), "settlements"])
            return Settlements(answer)
        }

        /// Adds accounts for a merchant's payouts in tokens, one for each asset.
        ///
        /// The answer is compared with the request: payouts to wrong accounts are the worst possible error here.
        ///
        /// - Parameters:
        ///   - wanted: 1 to 50, each with the account on the asset's own chain.
        ///   - merchant: the service's id of the merchant.
        ///   - idempotencyKey: identifies repetitions of the request; 1 to 255 printable ASCII characters.
        /// - Returns: the accounts with the service's ids.
        /// - Throws: ``PaymentError``; `integrity` when the service answers with other accounts.
        public func addSettlements(
            _ wanted: [TokenSettlement.Terms], to merchant: String, idempotencyKey: String
        ) async throws(PaymentError) -> [TokenSettlement] {
            try Order.check(key: idempotencyKey, at: service)
            guard (1...50).contains(wanted.count) else { throw refused("1 to 50 settlements are added at a time") }
            guard wanted.allSatisfy(\.isOnOneChain) else {
                throw refused("a settlement's account has to be on the asset's own chain")
            }
            guard Set(wanted.map(\.asset.text)).count == wanted.count else {
                throw refused("a merchant has one settlement for each asset")
            }
            let body: JSONValue = [
                "settlements": .array(
                    wanted.map { ["asset": .string($0.asset.text), "destination": .string($0.destination.text)] })
            ]
            let answer: AddedSettlementsBody = try await change(
                .post, ["merchants", try checked(merchant), "settlements", "crypto"], body, key: idempotencyKey,
                accepting: 201)
            let made = answer.settlements.compactMap(TokenSettlement.init)
            guard made.count == answer.settlements.count, Set(made.map(\.terms)) == Set(wanted) else {
                throw other("settlement")
            }
            return made
        }

        /// Changes the account for a merchant's payouts in an asset.
        ///
        /// - Parameters:
        ///   - settlement: the settlement, as the service showed it.
        ///   - destination: the new account, on the asset's own chain.
        ///   - merchant: the service's id of the merchant.
        /// - Returns: the changed settlement.
        /// - Throws: ``PaymentError``; `integrity` when the service answers with another account.
        public func changeSettlement(
            _ settlement: TokenSettlement, to destination: AccountID, of merchant: String
        ) async throws(PaymentError) -> TokenSettlement {
            let terms = TokenSettlement.Terms(asset: settlement.terms.asset, destination: destination)
            guard terms.isOnOneChain else {
                throw refused("a settlement's account has to be on the asset's own chain")
            }
            let path = ["merchants", try checked(merchant), "settlements", "crypto", try checked(settlement.id)]
            let answer: SettlementsBody.Token = try await change(
                .put, path, ["destination": .string(destination.text)], replay: .safe)
            guard let made = TokenSettlement(answer), made.id == settlement.id, made.terms == terms else {
                throw other("settlement")
            }
            return made
        }

        /// Removes an account for a merchant's payouts. Removing it again has no effect.
        ///
        /// - Parameters:
        ///   - id: the service's id of the settlement.
        ///   - merchant: the service's id of the merchant.
        /// - Throws: ``PaymentError``; with phase `maybeSent` it may have been removed.
        public func deleteSettlement(_ id: String, of merchant: String) async throws(PaymentError) {
            let path = ["merchants", try checked(merchant), "settlements", "crypto", try checked(id)]
            let answer: DeletedBody = try await change(.delete, path, nil, replay: .safe)
            guard answer.id == id, answer.deleted else { throw other("settlement") }
        }

        // MARK: Calls

        private func ask<Answer: Decodable>(
            _ path: [String], query: [(name: String, value: String)] = []
        ) async throws(PaymentError) -> Answer {
            try await asMerchant(service) { () throws(GatewayError) in
                try await api.call(.get, path, query: query, ofMerchant: false)
            }
        }

        private func change<Answer: Decodable>(
            _ method: HTTPRequest.Method, _ path: [String], _ body: JSONValue?, key: String? = nil,
            replay: HTTPRequest.Replay? = nil, accepting status: Int = 200
        ) async throws(PaymentError) -> Answer {
            try await asMerchant(service, isMutation: true) { () throws(GatewayError) in
                try await api.call(
                    method, path, body: body, ofMerchant: false, key: key, replay: replay, accepting: status)
            }
        }

        private func checked(_ id: String) throws(PaymentError) -> String {
            try WalletConnectPayMerchant.checked(id, "an id of a merchant or settlement", at: service)
        }

        private func refused(_ text: String) -> PaymentError { PaymentError(.requestRefused, text, provider: service) }

        private func other(_ what: String, isMutation: Bool = true) -> PaymentError {
            PaymentError(
                .integrity, "WalletConnect Pay answered with another \(what) than was asked for", provider: service,
                phase: isMutation ? .maybeSent : .answered)
        }
    }

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
                    throw refused("the merchant's e-mail address is malformed")
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
        /// The settlement destinations; nil if the answer does not include them.
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

    /// An account on a chain for a merchant's payouts in one asset.
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
