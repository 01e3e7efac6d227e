package import MarketModel
package import PaymentCore
package import PaymentTesting
import PaymentWallet
import WalletConnectPayProvider
import WalletConnectPaySandbox

/// WalletConnect Pay: its provider and its sandbox with all its scenarios, native coins and approvals among them. Each
/// payment may be named by several spellings of its link, and be paid by several devices.
package struct WalletConnectPayMarket: Market {
    private static let gateway = "api.pay.walletconnect.com"
    private static let shortLinks = "https://pay.wct.me/"

    /// Most are ordinary payments, and those where wallets send coins: they have the most to lose.
    private static let scenarios: [WalletConnectPaySandbox.Scenario] = {
        let all = WalletConnectPaySandbox.Scenario.allCases
        let usual: [WalletConnectPaySandbox.Scenario] = [.paidAtOnce, .paidAfterPolling]
        return all + all.flatMap { _ in usual }
            + all.indices.flatMap { index in
                index % 4 == 0 ? [.nativeCoin, .approvalAndPermit] : []
            }
    }()

    /// - Parameters:
    ///   - keeps: the probability that a signature is refused and kept; nil where a third of the gateways do so.
    ///   - cashes: true if what is kept is cashed later.
    ///   - surround: wraps the provider's context as the application does.
    package static func maker(
        share: Int, keeps: Double? = nil, cashes: Bool = true,
        surround: @escaping @Sendable (ProviderContext) -> ProviderContext = { $0 }
    ) -> MarketMaker {
        MarketMaker(share: share) { try WalletConnectPayMarket($0, keeps: keeps, cashes: cashes, surround) }
    }

    /// Creates a device's payer, with accounts on all chains of the sandbox.
    @Sendable package static func payer(
        _ device: Int, _ random: any RandomSource, _ chooser: Payer.Chooser?
    ) -> Payer {
        SandboxWallet(wallets[device % wallets.count], random: random).payer(chooser: chooser)
    }

    /// Created once, because keys are slow to compute.
    private static let wallets = [DevelopmentWallet(seed: 7), DevelopmentWallet(seed: 8)]

    package let provider: any PaymentProvider
    private let sandbox: WalletConnectPaySandbox
    private let surround: @Sendable (ProviderContext) -> ProviderContext

    private init(
        _ world: SimulatedWorld, keeps: Double?, cashes: Bool,
        _ surround: @escaping @Sendable (ProviderContext) -> ProviderContext
    ) throws {
        sandbox = WalletConnectPaySandbox(clock: world.clock, random: world.random)
        self.surround = surround
        let random = SeededRandomSource(seed: world.random.next())
        let share = keeps ?? (random.happens(0.3) ? 0.5 : 0)
        world.connect(KeepingGateway(sandbox, world.clock, random, share: share, cashes: cashes), to: Self.gateway)
        provider = WalletConnectPayProvider(
            configuration: try GatewayConfiguration(credentials: .apiKey(Redacted("key"))))
    }

    package func makePayment(_ number: Int, _ random: SeededRandomSource) async -> MarketPayment {
        let payment = await sandbox.createPayment(random.pick(Self.scenarios), cents: 1250 + UInt128(number))
        return MarketPayment(
            reference: PaymentReference(provider: WalletConnectPayProvider.id, id: payment.id),
            links: Self.spellings(payment.link, payment.id), isEndless: payment.scenario == .unknownStatus,
            isForAll: true)
    }

    /// The usual link, the one with a path, one inside a pairing, the bare id, and the short link that the service
    /// resolves.
    private static func spellings(_ link: String, _ id: String) -> [String] {
        let pairing = "wc:7f6e504bfad60b485450578e05678441fa7f0d2f2a2f1d2e3f4a5b6c7d8e9f00@2?relay-protocol=irn&symKey="
        return [
            link, "https://pay.walletconnect.com/\(id)",
            pairing + String(repeating: "ab", count: 32) + "&pay=" + PercentCoding.encode(link), id, shortLinks + id,
        ]
    }

    /// Only the service resolves a short link, which arrives encoded as a whole.
    package func identity(of reference: String) -> String {
        let text = PercentCoding.decode(reference) ?? reference
        return text.hasPrefix(Self.shortLinks) ? String(text.dropFirst(Self.shortLinks.count)) : reference
    }

    package func surround(_ context: ProviderContext) -> ProviderContext { surround(context) }

    // MARK: Truth

    /// The service also records a native coin that the wallet sent as taken. It is the same money.
    private static func isSentByWallet(_ amount: String) -> Bool {
        amount.contains("caip19/eip155:") && amount.hasSuffix("/slip44:60")
    }

    package func captures(of payment: PaymentReference) async -> Int {
        await sandbox.ledger.events(of: payment.id).count { event in
            if case .captured(_, let amount, _) = event { !Self.isSentByWallet(amount) } else { false }
        }
    }

    /// A payment by another device counts.
    package func isPaid(_ payment: PaymentReference) async -> Bool {
        if await sandbox.ledger.events(of: payment.id).contains(.settled) { return true }
        return await status(of: payment)?["status"]?.string == "succeeded"
    }

    /// A failed settlement returned the money.
    package func wasCaptured(_ attempt: PaymentAttempt) async -> Bool {
        let events = await sandbox.ledger.events(of: identity(of: attempt.reference.id))
        guard !events.contains(.failed) else { return false }
        return events.contains { event in
            if case .captured(attempt.option.id, let amount, _) = event { !Self.isSentByWallet(amount) } else { false }
        }
    }

    package func isDecided(_ payment: PaymentReference) async -> Bool {
        await status(of: payment)?["isFinal"]?.bool == true
    }

    package func untruth(in receipt: PaymentReceipt, of payment: PaymentReference) async -> String? {
        guard let info = await status(of: payment)?["info"] else { return nil }
        if let id = receipt.transactionID, id != info["txId"]?.string { return "names the transaction \(id)" }
        guard let amount = receipt.amount else { return nil }
        let (value, unit) = (info["optionAmount"]?["value"]?.string, info["optionAmount"]?["unit"]?.string)
        let isTrue =
            value == String(amount.minorUnits)
            && (unit.flatMap { try? Currency(unit: $0) }?.denotesSame(as: amount.currency) ?? false)
        return isTrue ? nil : "states \(amount) instead of \(value ?? "nothing") \(unit ?? "")"
    }

    private func status(of payment: PaymentReference) async -> JSONValue? {
        let path = "https://\(Self.gateway)/v1/gateway/payment/\(payment.id)/status"
        guard let url = try? HTTPURL(path) else { return nil }
        let answer = await sandbox.respond(to: HTTPRequest(.get, url, headers: ["Api-Key": "key"]))
        return try? JSONValue(parsing: answer.body)
    }

    package func payment(movedBy request: HTTPRequest) -> String? {
        guard let path = request.path(at: Self.gateway), path.last == "confirm", path.count >= 2 else { return nil }
        return PercentCoding.decode(String(path[path.count - 2]))
    }
}
