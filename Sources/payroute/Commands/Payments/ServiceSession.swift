import PaymentCore
import PaymentRouting
import PaymentSandbox
import PaymentStore
import PaymentTransport
import WalletConnectPayMerchant

/// What merchants, and whoever asks about a payment, need: a router with the payers' providers and the merchants'
/// services of a sandbox.
struct ServiceSession {
    let router: PaymentRouter
    let journal: any PaymentJournal

    /// What these commands have in common on their lines.
    static let options: [CommandSyntax.Option] = [
        .init(
            name: "sandbox", value: "url", help: "The sandbox to call, as printed by 'payroute sandbox'.",
            isRequired: true),
        .init(name: "journal", value: "file", help: "The journal of the payment, where it has one."),
        .init(name: "json", help: "Print one JSON object."),
    ]

    /// Opens the session that a line asks for.
    ///
    /// - Parameter isCreating: whether a journal that is not there is made.
    init(_ arguments: ParsedArguments, creatingJournal isCreating: Bool) throws {
        let sandbox = try PayCommand.sandboxURL(arguments)
        if let path = arguments.value("journal") {
            journal = try SQLiteJournal(path: path, creating: isCreating)
        } else {
            journal = InMemoryJournal()
        }
        var registry = try Installation.registry(sandbox: sandbox)
        for merchant in try Installation.merchants(sandbox) { registry = try registry.adding(merchant) }
        let transport = StandardTransport()
        router = PaymentRouter(
            registry: registry, transport: transport, journal: journal, readers: Installation.readers,
            secrets: SandboxSecrets(sandbox: sandbox, transport: transport))
    }

    /// The payment as its merchant names it. At WalletConnect Pay only the service knows in which of its worlds it is.
    func asMerchant(_ payment: PaymentReference) async -> PaymentReference {
        let name = payment.asMerchant
        guard name.provider == WalletConnectPayMerchant.id else { return name }
        do throws(PaymentError) {
            _ = try await router.status(of: name)
        } catch {
            guard error.code == .notFound else { return name }
            return PaymentReference(provider: Installation.walletConnectPayTests, id: name.id)
        }
        return name
    }

    /// Does `work`, which a signal stops in good order, and shows how it ended.
    ///
    /// - Parameter isDone: whether an ending is what was asked for: only then the command ends with 0.
    static func finish(
        _ payment: PaymentReference, _ arguments: ParsedArguments, _ console: Console,
        isDone: (PaymentOutcome) -> Bool,
        _ work: @escaping @Sendable () async throws(PaymentError) -> PaymentOutcome
    ) async -> ExitCode {
        let (ending, signal) = await Interrupts.run { () -> Result<PaymentOutcome, PaymentError> in
            do throws(PaymentError) { return .success(try await work()) } catch { return .failure(error) }
        }
        var result = PaymentResult(payment.description)
        result.provider = payment.provider.rawValue
        result.reference = payment.id
        switch ending {
        case .success(let outcome): result.end(outcome)
        case .failure(let error): result.end(error)
        }
        console.show(result, isJSON: arguments.has("json"))
        if case .success(let outcome) = ending, isDone(outcome) { return .done }
        return signal.map(ExitCode.interrupted(by:)) ?? .failed
    }
}
