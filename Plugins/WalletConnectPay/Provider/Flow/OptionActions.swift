package import PaymentCore

/// What an option makes the wallet do.
package enum OptionActions {
    /// The call that moves money by itself.
    static let sendTransaction = "eth_sendTransaction"
    /// More than any real option has; bounds what a hostile answer can make the payer sign.
    static let maximumCalls = 8

    /// What an attempt keeps of its option.
    struct Stored: Codable {
        let actions: [ActionBody]
        let collectData: CollectDataBody?
        /// The asset's name as the service stated it, and the payer saw it; absent in older journals.
        let symbol: String?

        init(_ option: OptionBody) {
            actions = option.actions
            collectData = option.collectData
            symbol = option.amount.display.assetSymbol
        }
    }

    /// What the payer must be able to do. A `build` action shows its method only when fetched; native coins are sent,
    /// tokens are signed for.
    static func needs(of option: OptionBody) -> [PayerNeed] {
        var methods: [String] = []
        for action in option.actions {
            let isNative = option.amount.unit.contains("/slip44:")
            let method = action.data["method"]?.string ?? (isNative ? sendTransaction : "eth_signTypedData_v4")
            if !methods.contains(method) { methods.append(method) }
        }
        return methods.map(PayerNeed.signing(method:)) + (option.collectData != nil ? [.data] : [])
    }

    /// The wallet calls that are known without asking.
    package static func ready(_ actions: [ActionBody]) -> [JSONValue] {
        actions.filter { $0.type == "walletRpc" }.map(\.data)
    }

    /// The wallet calls of an option, in order, as the service sent them; `build` actions are resolved by `fetch`,
    /// without actions all are fetched. Nothing is said yet about what they do.
    static func resolve(
        _ known: [ActionBody], fetch: (_ data: String) async throws(GatewayError) -> ActionsBody
    ) async throws(GatewayError) -> [JSONValue] {
        let actions = known.isEmpty ? try await fetch("").actions : known
        // Before anything is fetched for them.
        guard actions.count <= maximumCalls else { throw tooMany(actions.count) }
        var calls: [JSONValue] = []
        for action in actions {
            switch action.type {
            case "walletRpc":
                calls.append(try call(action))
            case "build":
                for action in try await fetch(action.data["data"]?.string ?? "").actions {
                    calls.append(try call(action))
                }
            default:
                throw .unsupported("the service asks for an action that this version does not know")
            }
        }
        guard (1...maximumCalls).contains(calls.count) else { throw tooMany(calls.count) }
        return calls
    }

    private static func tooMany(_ count: Int) -> GatewayError {
        .unusableAnswer("the service asks for \(count) wallet calls; 1 to \(maximumCalls) are accepted")
    }

    /// Whether paying `unit` makes the wallet itself send money.
    static func isSent(_ unit: String) -> Bool { unit.hasPrefix("caip19/eip155:") && unit.contains("/slip44:") }

    /// What kind of step answering a call is. A transaction by itself is the payment; before a signature it is the
    /// approval, which pays nobody.
    static func stepKind(of call: WalletCallBody, among count: Int) -> StepKind {
        guard call.method == sendTransaction else { return .interaction }
        return count == 1 ? .walletTransfer : .mutation(replay: .never)
    }

    private static func call(_ action: ActionBody) throws(GatewayError) -> JSONValue {
        guard action.type == "walletRpc" else {
            throw .unsupported("the service asks for an action that this version does not know")
        }
        guard (try? action.data.decode(WalletCallBody.self)) != nil else {
            throw .unusableAnswer("the service asks for a wallet call that is malformed")
        }
        return action.data
    }
}
