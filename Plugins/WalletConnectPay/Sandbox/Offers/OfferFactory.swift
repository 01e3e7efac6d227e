import PaymentCore
import PaymentWallet

/// A factory of offers: prices, nonces and the wallet calls, in the service's own formats.
struct OfferFactory: Sendable {
    let plan: WalletConnectPaySandbox.Scenario.Plan
    let configuration: WalletConnectPaySandbox.Configuration
    let random: any RandomSource
    /// Unix seconds.
    let now: Int64

    /// Returns one offer for each account on each asset's chain, in the order of the assets.
    func offers(for payment: PaymentRecord, accounts: [AccountID]) -> [Offer] {
        (configuration.offersUnlistedTokenOnly ? [.unlisted] : plan.assets).flatMap { asset in
            accounts.compactMap { account in
                account.chain.text == asset.chain ? offer(asset, account, payment) : nil
            }
        }
    }

    private func offer(_ asset: Asset, _ account: AccountID, _ payment: PaymentRecord) -> Offer? {
        // At most 2^64 cents and 18 decimals: far below 2^128.
        let unit = Self.power(asset.decimals)
        let value = asset.price.map { payment.cents * unit / $0 } ?? payment.cents * (unit / 100)
        let calls = EVMCalls(
            asset: asset, address: String(account.address).lowercased(), value: value,
            // Signatures are valid for five minutes longer than the payment. Payments of the real service last minutes;
            // for a payment that lasts days here, the signatures expire earlier.
            deadline: min(payment.expiresAt, now + Self.longestSignature) + 300, random: random)
        let made: [WalletCall?] =
            switch asset.mechanism {
            case .permit2(approving: true): [calls.approval, calls.permit]
            case .permit2(approving: false): [calls.permit]
            case .authorization(let name, let version): [calls.authorization(name, version)]
            case .transaction: [calls.transaction]
            case .solana: [ForeignCalls.solana(asset, payer: String(account.address), value: value, random)]
            case .tron: [ForeignCalls.tron(asset)]
            }
        let complete = made.compactMap { $0 }
        // No call can be made for an address of another chain, so no offer is made.
        guard complete.count == made.count else { return nil }
        var expiresAt: Int64?
        if plan.hasShortQuotes {
            expiresAt = now + configuration.shortQuoteLifetime
        } else if asset.price != nil {
            expiresAt = now + configuration.quoteLifetime
        }
        return Offer(
            id: random.uuid(), account: account.text, asset: asset, value: value, expiresAt: expiresAt,
            calls: complete, asksForData: asksForData(asset))
    }

    private func asksForData(_ asset: Asset) -> Bool {
        switch plan.data {
        case .none: false
        case .everybody: true
        case .ethereum: asset.chain == "eip155:1"
        }
    }

    /// The maximum lifetime of a signature before the extra minutes, in seconds.
    private static let longestSignature: Int64 = 3600

    private static func power(_ exponent: Int) -> UInt128 {
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }
}
