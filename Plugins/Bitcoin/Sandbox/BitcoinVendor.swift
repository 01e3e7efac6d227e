import BitcoinProvider
import BitcoinWallets
package import PaymentCore
import PaymentStandards
package import SandboxSupport

/// Bare texts of Bitcoin and Lightning, which a settler pays: the sandbox's, or the payer's own wallet. Without either
/// it has no provider.
package struct BitcoinVendor: SandboxVendor {
    package init() {}

    package var id: ProviderID { BitcoinProvider.id }
    package var paysStandards: Bool { true }

    package func providers(_ settings: VendorSettings) throws -> [any PaymentService] {
        guard settings.sandbox != nil || settings.hasWallet else { return [] }
        return [BitcoinProvider(reader: settings.reader, names: settings.names.map { DNSResolver($0) })]
    }

    package func wallet(_ settings: WalletSettings) async throws -> OpenedWallet? {
        guard let (kind, url) = settings.place(isPlain: { ["lnbits", "phoenixd"].contains($0) }) else { return nil }
        let transport = settings.transport
        let wallet: any LightningWallet
        switch kind {
        case "lnbits": wallet = LNbitsWallet(at: url, key: Self.text(settings.key), over: transport)
        case "lnd": wallet = LNDWallet(at: url, macaroon: Self.macaroon(settings.key), over: transport)
        case "cln": wallet = CoreLightningWallet(at: url, rune: Self.text(settings.key), over: transport)
        case "phoenixd": wallet = PhoenixdWallet(at: url, password: Self.text(settings.key), over: transport)
        default: return nil
        }
        var settler: WalletSettler?
        if let path = settings.orders {
            settler = WalletSettler(
                wallet, orders: try await WalletOrders(path: path), reader: settings.reader, network: settings.network,
                services: settings.services, comment: { _ in settings.comment })
        }
        return OpenedWallet(
            name: "\(wallet.name) at \(url.origin)", settler: settler, feeLimit: Self.feeLimit,
            message: { [settler] in await Self.message($0, settler) }
        ) {
            let account = try await wallet.account()
            let network = account.network.map { " on \($0)" } ?? ""
            guard account.network ?? settings.network == settings.network else {
                throw PaymentError(.payer, "it is\(network), not on \(settings.network); see --wallet-network")
            }
            return "answers\(network), as \(account.id.prefix(16))…"
                + (account.balance.map { ", with \($0 / 1000) satoshi" } ?? "")
        }
    }

    private static func feeLimit(_ option: PaymentMethodOption) -> Money? {
        let fees = option.method == "onchain" ? FeeLimit.chain : .standard
        return fees.limit(for: option.amount)
    }

    private static func message(_ name: String, _ settler: WalletSettler?) async -> PayeeMessage? {
        // The payment is made, whatever the answer to this question.
        switch try? await settler?.walletOrder(named: name)?.successAction {
        case .message(let text): PayeeMessage(text)
        case .page(let text, let url): PayeeMessage(text, page: url.text)
        case .secret(let text, let secret): PayeeMessage(text, secret: secret.reveal())
        default: nil
        }
    }

    /// A key file's text without the line's end.
    private static func text(_ key: Redacted<[UInt8]>) -> Redacted<String> {
        let bytes = key.reveal()
        let text = String(decoding: bytes, as: UTF8.self)
        return Redacted(String(text.reversed().drop { $0.isWhitespace }.reversed()))
    }

    /// A macaroon's file is binary; in a header it is in hexadecimal digits.
    private static func macaroon(_ key: Redacted<[UInt8]>) -> Redacted<String> {
        let text = text(key)
        return Hex.decode(text.reveal()) == nil ? Redacted(Hex.encode(key.reveal())) : text
    }
}
