import PaymentCore
import WalletConnectPayProvider

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

    /// The exact amount; nil when it is malformed, or a token's without stated decimals.
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
