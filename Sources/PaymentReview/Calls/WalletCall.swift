import PaymentCore

/// One call of the list, of exactly the known shape.
struct WalletCall: Sendable {
    /// The methods of wallets.
    enum Method: Sendable, Hashable {
        case signTypedData
        case sendTransaction
        case signSolanaTransaction
        /// A method that the application let pass by name.
        case unreviewed(String)
    }

    let method: Method
    let params: JSONValue
    /// The position of the call in the list, from 0.
    let index: Int

    /// The pointer to a member of the call's parameters.
    func member(_ path: String) -> String { "/calls/\(index)/params\(path)" }

    /// Reads a call on `chain` (CAIP-2).
    init(_ json: JSONValue, index: Int, on chain: String, letting unreviewed: Set<String>) throws(SigningError) {
        let place = "/calls/\(index)"
        guard let members = json.object, Set(members.keys) == ["chain_id", "method", "params"],
            let chainID = members["chain_id"]?.string, let name = members["method"]?.string,
            let params = members["params"]
        else {
            throw SigningError(
                .callShape, place, "a call has other members than the chain, the method and the parameters")
        }
        method = try Self.method(name, on: chain, letting: unreviewed, at: "\(place)/method")
        guard chainID.isExactly(chain) else {
            throw SigningError(.callChain, "\(place)/chain_id", "a call is for another chain than the account")
        }
        self.params = params
        self.index = index
    }

    private static func method(
        _ name: String, on chain: String, letting unreviewed: Set<String>, at member: String
    ) throws(SigningError) -> Method {
        if chain.hasPrefix("eip155:") {
            if name == "eth_signTypedData_v4" { return .signTypedData }
            if name == "eth_sendTransaction" { return .sendTransaction }
        }
        if chain == Chain.solana, name == "solana_signTransaction" { return .signSolanaTransaction }
        if unreviewed.contains(where: name.isExactly) { return .unreviewed(name) }
        throw SigningError(
            .methodNotAllowed, member, "a call uses a method whose effect on this chain cannot be reviewed")
    }
}
