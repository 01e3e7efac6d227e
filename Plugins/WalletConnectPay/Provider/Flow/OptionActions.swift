package import PaymentCore
package import PaymentReview

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The rules for the wallet calls of an option.
package enum OptionActions {
    /// The call that by itself moves money.
    package static let sendTransaction = "eth_sendTransaction"
    /// The maximum number of calls, more than any real option has. It bounds the signatures that a hostile answer can
    /// request.
    static let maximumCalls = 8

    /// The stored data of an attempt's option.
    struct Stored: Codable {
        let actions: [ActionBody]
        let collectData: CollectDataBody?
        /// The asset's symbol that the service stated and the payer saw.
        let symbol: String

        init(_ option: OptionBody) {
            actions = option.actions
            collectData = option.collectData
            symbol = option.amount.display.assetSymbol
        }
    }

    /// Returns the abilities that the payer needs. A `build` action shows its method only when fetched. Until then,
    /// native coins count as sent and tokens as signed for.
    static func needs(of option: OptionBody) -> [PayerNeed] {
        var methods: [String] = []
        for action in option.actions {
            let isNative = option.amount.unit.contains("/slip44:")
            let method = action.data["method"]?.string ?? (isNative ? sendTransaction : "eth_signTypedData_v4")
            if !methods.contains(method) { methods.append(method) }
        }
        return methods.map(PayerNeed.signing(method:)) + (option.collectData != nil ? [.data] : [])
    }

    /// Returns the wallet calls that are known without a request.
    package static func ready(_ actions: [ActionBody]) -> [JSONValue] {
        actions.filter { $0.type == "walletRpc" }.map { SigningReviewer.completed($0.data) }
    }

    /// Returns the wallet calls of an option, in order, as the service sent them, except for the type of a domain
    /// (``SigningReviewer/completed(_:)``). `fetch` resolves `build` actions, or all calls if there are no actions. The
    /// calls are not reviewed yet.
    static func resolve(
        _ known: [ActionBody], fetch: (_ data: String) async throws(GatewayError) -> ActionsBody
    ) async throws(GatewayError) -> [JSONValue] {
        let actions = known.isEmpty ? try await fetch("").actions : known
        // Checked before any action is fetched.
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

    /// Returns true if a payment in `unit` makes the wallet itself send money.
    static func isSent(_ unit: String) -> Bool { unit.hasPrefix("caip19/eip155:") && unit.contains("/slip44:") }

    /// Returns the kind of step for a call. A single transaction is the payment. A transaction before a signature is
    /// the approval, which pays no recipient.
    ///
    /// - Parameter end: the end of a signature's validity.
    static func stepKind(of call: WalletCallBody, among count: Int, until end: Date) -> StepKind {
        guard call.method == sendTransaction else { return .signature(until: end) }
        return isTransfer(call, among: count) ? .walletTransfer : .mutation(replay: .never)
    }

    /// Returns true if a call is the only one, and makes the wallet send money.
    package static func isTransfer(_ call: WalletCallBody, among count: Int) -> Bool {
        count == 1 && call.method == sendTransaction
    }

    /// Returns the end of the validity of the signature that `call` requests, in a review at `now`.
    package static func signatureEnd(_ review: SigningReview, of call: Int, now: Date) -> Date {
        let effects = review.effects.filter { $0.call == call }
        if let deadline = effects.compactMap(\.deadline).max() { return deadline }
        // A transaction of Solana is good for 151 blocks, some two minutes, after the block that it names. No deadline
        // that a review accepts is farther than a day.
        let isSolana = effects.contains { [.splTransfer, .solTransfer].contains($0.kind) }
        return now.addingTimeInterval(isSolana ? 600 : 86_400)
    }

    private static func call(_ action: ActionBody) throws(GatewayError) -> JSONValue {
        guard action.type == "walletRpc" else {
            throw .unsupported("the service asks for an action that this version does not know")
        }
        guard (try? action.data.decode(WalletCallBody.self)) != nil else {
            throw .unusableAnswer("the service asks for a wallet call that is malformed")
        }
        return SigningReviewer.completed(action.data)
    }
}

extension AgreedOption {
    /// Creates an option as the service states it.
    package init(_ option: OptionBody) {
        let display = option.amount.display
        self.init(
            unit: option.amount.unit, value: option.amount.value, account: option.account,
            symbol: display.assetSymbol, name: display.assetName, decimals: Int(display.decimals))
    }

    /// Creates the option of an attempt: the payer's choice, whatever the service states now.
    ///
    /// - Parameter symbol: the asset's symbol that the payer saw.
    init(_ option: PaymentMethodOption, account: AccountID, symbol: String) {
        self.init(
            unit: option.amount.currency.unit, value: option.amount.minorUnitText, account: account.text,
            symbol: symbol, decimals: Int(option.amount.exponent))
    }
}
