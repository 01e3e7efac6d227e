import PaymentCore
import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Answers of the merchant-facing API about payments, version 2026-02-19.preview. Lenient: unknown members are ignored,
// and an optional member may be null. Enumerations keep unknown values. (Protocol 3 and 4.)

/// `POST /v1/payments`.
struct CreatedBody: Decodable, Sendable {
    let paymentId: String
    let status: PaymentState
    let expiresAt: Int64
    let gatewayUrl: String
}

/// `GET /v1/payments/{id}`. It repeats neither the id nor the price.
struct ViewBody: Decodable, Sendable {
    struct Settlement: Decodable, Sendable {
        struct Successful: Decodable, Sendable {
            struct Amount: Decodable, Sendable { let unit: String }

            let txId: String
            let amount: Amount?
        }

        let successful: Successful?
    }

    let status: PaymentState
    let referenceId: String
    let info: ResultBody?
    let settlement: Settlement?
    let failureCode: String?
}

/// `POST /v1/payments/{id}/cancel`.
struct CancelledBody: Decodable, Sendable {
    let paymentId: String
    let status: PaymentState

    func check(against id: String, at merchant: ProviderID) throws(PaymentError) {
        guard paymentId == id, status == .cancelled else {
            throw PaymentError(
                .integrity, "WalletConnect Pay answered with another payment than the one to be cancelled",
                provider: merchant, phase: .maybeSent)
        }
    }
}

/// `POST /v1/refunds`.
struct RefundBody: Decodable, Sendable {
    let paymentId: String
}

/// An amount whose display data may be missing.
struct PlainAmountBody: Decodable, Sendable {
    struct Look: Decodable, Sendable { let decimals: Int64 }

    let unit: String
    let value: String
    let display: Look?

    /// The exact amount; nil when it is malformed, or when it is a token's and its decimals are not stated.
    var money: Money? {
        guard let currency = try? Currency(unit: unit) else { return nil }
        let exponent = display.flatMap { UInt8(exactly: $0.decimals) }
        guard let exponent = exponent ?? currency.exponent else { return nil }
        return try? Money(minorUnitText: value, currency: currency, exponent: exponent)
    }
}

/// `GET /v1/payments` and `GET /v1/merchants/payments`.
struct PaymentListBody: Decodable, Sendable {
    struct Row: Decodable, Sendable {
        struct Merchant: Decodable, Sendable {
            let id: String
            let name: String?
        }
        struct Buyer: Decodable, Sendable { let accountCaip10: String }
        struct Transaction: Decodable, Sendable {
            let networkId: String
            let hash: String?
        }
        struct Fees: Decodable, Sendable { let total: PlainAmountBody }
        struct Settlement: Decodable, Sendable {
            let settled: Bool
            let amount: PlainAmountBody?
            let txHash: String?
        }

        let paymentId: String
        let merchant: Merchant
        let referenceId: String
        let status: PaymentState
        let isTerminal: Bool
        let createdAt: String
        let lastUpdatedAt: String
        let fiatAmount: PlainAmountBody?
        let tokenAmount: PlainAmountBody?
        let buyer: Buyer?
        let transaction: Transaction?
        let fees: Fees?
        let settlement: Settlement?
        let settledAt: String?
    }

    struct Stats: Decodable, Sendable {
        struct Revenue: Decodable, Sendable {
            let amount: JSONValue
            let currency: String
        }

        let totalRevenue: [Revenue]
        let totalTransactions: Int64
        let totalCustomers: Int64
    }

    let data: [Row]
    let nextCursor: String?
    let stats: Stats
}

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

/// Times in the format of lists and webhooks: ISO 8601, in UTC or with an offset, with milliseconds or without.
enum WireTime {
    static func read(_ text: String) -> Date? { RFC3339(text, .lenient)?.date }
}
