import PaymentCore

/// One option as it was offered: what the client is told, and what its results are checked against.
struct Offer: Sendable {
    let id: String
    /// CAIP-10, spelt as the client spelt it.
    let account: String
    let asset: Asset
    /// Minor units of the asset.
    let value: UInt128
    /// Unix seconds; nil for prices that do not move.
    let expiresAt: Int64?
    /// The wallet calls, in order. Never empty.
    let calls: [WalletCall]
    /// Whether the account's owner has to hand in data first.
    let asksForData: Bool

    /// What the client is told; `collectData` is what it has to hand in, or null.
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

    /// The amount as every answer states it.
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

    /// What `fetch` answers.
    var fetched: JSONValue {
        if case .unfamiliar = asset.delivery { return ["actions": .array(unfamiliar)] }
        return ["actions": .array(ready)]
    }

    /// Whether `results`, one per call, prove that the account agreed.
    func accepts(_ results: [String]) -> Bool {
        guard results.count == calls.count, let account = try? AccountID(account) else { return false }
        return zip(calls, results).allSatisfy { $0.accepts($1, from: String(account.address)) }
    }

    private var ready: [JSONValue] { calls.map { ["type": "walletRpc", "data": $0.body] } }
    private var unfamiliar: [JSONValue] { [["type": "showHologram", "data": ["scene": "merchant"]]] }
}
