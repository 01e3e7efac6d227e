import PaymentCore
import PaymentRouting
import PaymentTransport
import PaymentWallet
import SandboxSupport

/// A session for merchants, and for questions about payments: a router with the payers' providers and the merchants'
/// services of a sandbox.
struct ServiceSession {
    let router: PaymentRouter
    /// The payer, for questions about the payer's payments.
    let payer: Payer
    /// The vendors with the ids of their services.
    private let vendors: [(vendor: any SandboxVendor, services: Set<ProviderID>)]
    private let known: SandboxVendors

    static let json = CommandSyntax.Option(name: "json", help: "Print one JSON object.")

    /// Opens the session that a line asks for.
    ///
    /// - Parameter isCreating: True if a missing journal is created.
    init(_ arguments: ParsedArguments, _ console: Console, creatingJournal isCreating: Bool) async throws {
        guard case .development(let seed, let sandbox) = try await WalletOption.read(arguments, console) else {
            let session = try await PaymentSession(arguments, console, creatingJournal: isCreating) { _ in }
            (router, payer, vendors, known) = (session.router, session.payer, [], console.vendors)
            return
        }
        let wallet = DevelopmentWallet(seed: seed)
        let journal = try PaymentOptions.journal(arguments, creating: isCreating)
        let external = try ExternalOption.load(arguments, console, sandbox: sandbox)
        known = console.vendors
        var registry = try known.registry(sandbox: sandbox, with: external)
        vendors = try known.list.map { vendor in
            let merchants = try vendor.merchants(at: sandbox)
            for merchant in merchants { registry = try registry.adding(merchant) }
            return (vendor, Set(merchants.map(\.descriptor.id)).union([vendor.id]))
        }
        let transport = StandardTransport()
        payer = known.payer(wallet, at: sandbox, over: transport)
        router = PaymentRouter(
            registry: registry, transport: external.network(transport), journal: journal,
            readers: Installation.readers,
            secrets: ExternalSecrets(
                base: SandboxSecrets(known, sandbox: sandbox, transport: transport), providers: external,
                environment: console.environment))
    }

    /// Returns the vendor of a service.
    func vendor(of service: ProviderID) -> (any SandboxVendor)? {
        vendors.first { $0.services.contains(service) }?.vendor
    }

    /// Returns the payment as its merchant names it. Where there are several names, the service decides.
    func asMerchant(_ payment: PaymentReference) async -> PaymentReference {
        let names = vendor(of: payment.provider)?.merchantNames(of: payment) ?? [payment]
        for name in names.dropLast() {
            do throws(PaymentError) { _ = try await router.status(of: name) } catch {
                if error.code == .notFound { continue }
            }
            return name
        }
        return names.last ?? payment
    }

    /// Returns the outcome of a payment. Its service is asked under the name that it knows without the payment's link.
    func status(of payment: PaymentReference) async throws(PaymentError) -> PaymentOutcome {
        let name = known[payment.provider]?.statusName(of: payment) ?? payment
        return try await router.status(of: payment, askedAs: name, as: payer)
    }

    /// Does `work`, which a signal stops in good order, and shows its result.
    ///
    /// - Parameter isDone: Returns true if a result is the requested one: only then the command ends with 0.
    static func finish(
        _ payment: PaymentReference, _ arguments: ParsedArguments, _ console: Console,
        isDone: (PaymentOutcome) -> Bool,
        by work: @escaping @Sendable () async throws(PaymentError) -> PaymentOutcome
    ) async -> ExitCode {
        let (ending, signal) = await Interrupts.run { () -> Result<PaymentOutcome, PaymentError> in
            do throws(PaymentError) { return .success(try await work()) } catch { return .failure(error) }
        }
        var result = PaymentResult(payment.description)
        result.provider = payment.provider.rawValue
        result.reference = payment.id
        switch ending {
        case .success(let outcome): result.end(outcome)
        case .failure(let error): result.end(arguments.value("sandbox") == nil ? error : error.withSandboxHint)
        }
        console.show(result, isJSON: arguments.has("json"))
        if case .success(let outcome) = ending, isDone(outcome) { return .done }
        return signal.map(ExitCode.interrupted(by:)) ?? .failed
    }
}
