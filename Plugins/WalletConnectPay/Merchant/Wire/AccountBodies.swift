// Answers of the merchant-facing API about merchants and settlements. Lenient as those about payments. (Protocol 6.)

/// `POST`, `GET` and `PATCH /v1/merchants…`.
struct MerchantBody: Decodable, Sendable {
    struct Merchant: Decodable, Sendable {
        let id: String
        let name: String
        let email: String?
        let status: String
        let iconUrl: String?
        let createdAt: String
        let settlements: SettlementsBody?
    }

    let merchant: Merchant
}

/// `GET /v1/merchants`. The description calls the list `merchants`, an older page `data`.
struct MerchantListBody: Decodable, Sendable {
    let merchants: [MerchantBody.Merchant]
    let nextCursor: String?

    private enum CodingKeys: String, CodingKey { case merchants, data, nextCursor }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let key: CodingKeys = members.contains(.merchants) ? .merchants : .data
        merchants = try members.decode([MerchantBody.Merchant].self, forKey: key)
        nextCursor = try members.decodeIfPresent(String.self, forKey: .nextCursor)
    }
}

/// `DELETE`.
struct DeletedBody: Decodable, Sendable {
    let id: String
    let deleted: Bool
}

/// `GET …/settlements`.
struct SettlementsBody: Decodable, Sendable {
    struct Token: Decodable, Sendable {
        let id: String
        /// CAIP-19, without the prefix that amounts have.
        let asset: String
        /// CAIP-10.
        let destination: String
    }
    struct Bank: Decodable, Sendable {
        let id: String
        let status: String
        let bankType: String
    }

    let fiat: [Bank]
    let crypto: [Token]
}

/// `POST …/settlements/crypto`.
struct AddedSettlementsBody: Decodable, Sendable {
    let settlements: [SettlementsBody.Token]
}
