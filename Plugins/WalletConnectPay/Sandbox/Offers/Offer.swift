import PaymentCore

/// One offered option: the data for the client, and for checking the client's results.
struct Offer: Sendable {
    let id: String
    /// CAIP-10, spelt as in the client's request.
    let account: String
    let asset: Asset
    /// Minor units of the asset.
    let value: UInt128
    /// Unix seconds; nil for prices that do not change.
    let expiresAt: Int64?
    /// The wallet calls, in order. Never empty.
    let calls: [WalletCall]
    /// True if the account's owner has to submit data first.
    let asksForData: Bool

    /// Returns the option for the client; `collectData` is the data that it has to submit, or null.
    func body(collectData: JSONValue) -> JSONValue {
        let actions: [JSONValue] =
            switch asset.delivery {
            case .ready: ready
            case .encoded: calls.map { ["type": "build", "data": ["data": .string(Hex.encode($0.body.serialized()))]] }
            case .onRequest: [["type": "build", "data": ["data": ""]]]
            case .unfamiliar: unfamiliar
            }
        return [
            "id": .string(id), "account": .string(account), "amount": amount, "etaS": 5,
            "expiresAt": expiresAt.map { .number(JSONNumber($0)) } ?? .null, "actions": .array(actions),
            "collectData": collectData,
        ]
    }

    /// The amount, as every answer states it.
    var amount: JSONValue {
        let images = "https://api.walletconnect.com/assets/v1/image"
        return [
            "unit": .string(asset.unit), "value": .string(String(value)),
            "display": [
                "assetSymbol": .string(asset.symbol), "assetName": .string(asset.name),
                "decimals": .number(JSONNumber(asset.decimals)), "networkName": .string(asset.network),
                "iconUrl": "\(images)/token/\(asset.symbol)/md",
                "networkIconUrl": "\(images)/network/\(asset.chain)/md",
            ],
        ]
    }

    /// The answer of `fetch`.
    var fetched: JSONValue {
        if case .unfamiliar = asset.delivery { return ["actions": .array(unfamiliar)] }
        return ["actions": .array(ready)]
    }

    /// Returns true if `results`, one per call, prove that the account agreed.
    func accepts(_ results: [String]) -> Bool {
        guard results.count == calls.count, let account = try? AccountID(account) else { return false }
        return zip(calls, results).allSatisfy { $0.accepts($1, from: String(account.address)) }
    }

    private var ready: [JSONValue] { calls.map { ["type": "walletRpc", "data": $0.body] } }
    private var unfamiliar: [JSONValue] { [["type": "showHologram", "data": ["scene": "merchant"]]] }
}
