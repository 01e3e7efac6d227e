import PaymentCore

/// The name of a blockchain, of an account on one, or of an asset. Source: CAIP-2, CAIP-10, CAIP-19.
///
/// An account is not a request to pay it. A payment standard's scheme has precedence over a chain's namespace.
struct CAIP: PaymentStandard {
    static let id = "caip10"
    /// The three kinds.
    static let ids = ["caip2", id, "caip19"]
    static let specification = "CAIP-2, CAIP-10, CAIP-19, of registered namespaces"
    /// A namespace of the registry that is not a payment scheme.
    static let patterns: [StandardPattern] = [
        "aleo", "antelope", "arweave", "bip122", "casper", "cip34", "concordium", "cosmos", "eip155", "eosio", "fil",
        "flow", "hedera", "icp", "lip9", "mvx", "near", "polkadot", "stacks", "starknet", "stellar", "tvm",
        "wavesplatform",
    ].map { .scheme($0) }

    private enum Name: Hashable {
        case chain(ChainID)
        case account(AccountID)
        case asset(AssetID)
    }

    private let name: Name

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let whole = source.all().trimmed
        let text = whole.text
        guard source.link.form == .opaque, source.link.spelling == nil else {
            throw whole.defect(.malformed, "chain namespace", "must be in small letters, with one colon behind it")
        }
        let isAsset = whole.bytes.contains(UInt8(ascii: "/"))
        let isAccount = whole.split(at: ":").count > 2
        do throws(CAIPError) {
            name =
                try isAsset
                ? .asset(AssetID(text)) : isAccount ? .account(AccountID(text)) : .chain(ChainID(text))
        } catch {
            throw Self.defect(error, whole)
        }
        try checkReferences(whole)
    }

    /// Returns the defect at the place of the malformed part.
    private static func defect(_ error: CAIPError, _ whole: TextPart) -> StandardDefect {
        let (chain, asset) = whole.cut(at: "/")
        let (namespace, reference) = chain.cut(at: ":")
        let (assetType, token) = asset?.cut(at: "/") ?? (whole.suffix(0), nil)
        let part: TextPart =
            switch error.part {
            case .chainNamespace: namespace
            case .chainReference: reference?.cut(at: ":").head ?? chain.suffix(0)
            case .accountAddress: reference?.cut(at: ":").tail ?? chain.suffix(0)
            case .assetNamespace: assetType.cut(at: ":").head
            case .assetReference: assetType.cut(at: ":").tail ?? assetType.suffix(0)
            case .tokenID: token ?? whole.suffix(0)
            }
        var (kind, offset) = (StandardDefect.Kind.malformed, part.offset)
        let advice: String
        switch error.reason {
        case .missing: (kind, advice) = (.missing, "is missing")
        case .tooShort(let minimum): (kind, advice) = (.length, "needs at least \(minimum) characters")
        case .tooLong where error.part == .chainReference && reference?.cut(at: ":").tail == nil:
            (kind, advice) = (
                .missing, "is missing: a chain must stand before an address, \(namespace.text):CHAIN:ADDRESS"
            )
        case .tooLong(let maximum): (kind, advice) = (.length, "may have at most \(maximum) characters")
        case .forbiddenCharacter(let index): (offset, advice) = (offset + index, "has a character it may not have")
        }
        return StandardDefect(kind, error.part.rawValue, at: min(offset, whole.end), advice)
    }

    /// Checks chain numbers and addresses by the rules of their namespaces, as far as the text shows a mistake.
    private func checkReferences(_ whole: TextPart) throws(StandardDefect) {
        guard let reference = whole.cut(at: ":").tail?.cut(at: "/").head.cut(at: ":").head else { return }
        switch chain.namespace {
        case "eip155":
            guard reference.isDigits else {
                throw reference.defect(.malformed, "chain reference", "of eip155 must be decimal digits")
            }
            if case .account = name, let address = whole.split(at: ":").last {
                _ = try ERC55.address(address, "account address")
            }
        case "bip122":
            guard reference.count == 32, Hex.decode(reference.text) != nil else {
                throw reference.defect(.length, "chain reference", "of bip122 must be 32 hexadecimal digits")
            }
        default: break
        }
    }

    private var chain: ChainID {
        switch name {
        case .chain(let chain): chain
        case .account(let account): account.chain
        case .asset(let asset): asset.chain
        }
    }

    var standard: String {
        switch name {
        case .chain: Self.ids[0]
        case .account: Self.ids[1]
        case .asset: Self.ids[2]
        }
    }

    var fields: InstructionFields {
        if case .asset(let asset) = name {
            var fields: InstructionFields = ["chain": .string(chain.text)]
            fields.set("assetNamespace", String(asset.namespace))
            fields.set("assetReference", String(asset.reference))
            fields.setOrNull("tokenId", asset.tokenID.map(String.init))
            return fields
        }
        var fields: InstructionFields = ["namespace": .string(String(chain.namespace))]
        fields.set("reference", String(chain.reference))
        if case .account(let account) = name { fields.set("address", String(account.address)) }
        return fields
    }

    /// Names a chain, an account or an asset, without a request.
    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.network = chain.text
            instruction.purpose = .information
            if case .account(let account) = name {
                instruction.payee = .init(account: String(account.address), check: .none)
            }
        }
    }
}
