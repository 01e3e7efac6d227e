import PaymentCore
import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One action of the wallet for an option.
public struct Action: Sendable, Hashable {
    /// The wallet call.
    public var walletRpc: WalletRpcAction

    /// Creates an action.
    public init(walletRpc: WalletRpcAction) { self.walletRpc = walletRpc }
}

/// A wallet call.
public struct WalletRpcAction: Sendable, Hashable {
    /// The chain, CAIP-2: `eip155:8453`.
    public var chainId: String
    /// The method: `eth_signTypedData_v4`, `eth_sendTransaction`, `solana_signTransaction` and others.
    public var method: String
    /// The parameters as JSON text: an array, unless the service sent something else. For typed data:
    /// `["address", "{…typed data…}"]`.
    public var params: String

    /// Creates a call.
    public init(chainId: String, method: String, params: String) {
        self.chainId = chainId
        self.method = method
        self.params = params
    }

    /// Returns the account and the typed data of an `eth_signTypedData` call (any version).
    ///
    /// The typed data is JSON text, even if the service sent it as an object.
    ///
    /// - Throws: ``InvalidActionParametersError`` when this is another call or its parameters are malformed.
    public func typedDataParameters() throws -> (address: String, typedData: String) {
        guard method.hasPrefix("eth_signTypedData") else {
            throw InvalidActionParametersError(method: method, expected: "a call that signs typed data")
        }
        guard let list = try? JSONValue(parsing: params), let address = list[0]?.string, let data = list[1] else {
            throw InvalidActionParametersError(method: method, expected: "[address, typed data]")
        }
        switch data {
        case .string(let text) where (try? JSONValue(parsing: text))?.object != nil: return (address, text)
        case .object: return (address, data.text)
        default: throw InvalidActionParametersError(method: method, expected: "typed data that is a JSON object")
        }
    }
}

extension Action {
    /// Creates a call from the service's form; nil when it is malformed.
    init?(_ json: JSONValue) {
        guard let call = try? json.decode(WalletCallBody.self) else { return nil }
        self.init(
            walletRpc: WalletRpcAction(chainId: call.chainID, method: call.method, params: call.walletParams.text))
    }
}

/// An error for parameters of a wallet call that do not fit its method.
public struct InvalidActionParametersError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
    /// The call's method.
    public let method: String
    /// The expected parameters.
    public let expected: String

    /// One human-readable sentence; never the parameters themselves.
    public var description: String { "the parameters of \(method) cannot be used: expected \(expected)" }
    /// One human-readable sentence.
    public var errorDescription: String? { description }
}
