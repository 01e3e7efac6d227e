import PaymentCore
import PaymentRouting
import PaymentTransport
import PaymentWallet
import SandboxSupport

/// A session for merchants, and for questions about payments: a router with the payers' providers and the merchants'
/// services, of a sandbox or of the accounts at the real services.
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
        let known = console.vendors
        let accounts = try AccountsOption.read(arguments, known)
        let names = try NamesOption.read(arguments)
        guard accounts != nil || WalletOption.namesOwn(arguments) else {
            let (seed, sandbox) = (try WalletOption.number(arguments), try PayCommand.sandboxURL(arguments))
            let transport = StandardTransport()
            try self.init(
                arguments, console, creatingJournal: isCreating,
                VendorSettings(sandbox: sandbox, reader: Installation.standards, names: names),
                payer: known.payer(DevelopmentWallet(seed: seed), at: sandbox, over: transport),
                secrets: AccountSecrets(known, sandbox: sandbox, transport: transport), over: transport
            ) { try $0.merchants(at: sandbox) }
            return
        }
        guard !isCreating || arguments.value(PaymentOptions.journal.name) != nil else {
            throw UsageError(
                "Real money needs '--journal <file>', the same file each time: it keeps money from moving twice",
                arguments.syntax)
        }
        var payer = Payer()
        if WalletOption.namesOwn(arguments), case .own(let wallet) = try await WalletOption.read(arguments, console) {
            payer = Payer(policy: .firstWhateverItCosts, settler: wallet.settler)
        }
        let real = accounts ?? [:]
        let transport = try AccountsOption.transport(real, known)
        try self.init(
            arguments, console, creatingJournal: isCreating,
            VendorSettings(
                sandbox: nil, reader: Installation.standards, hasWallet: true, names: names, accounts: real),
            payer: payer,
            secrets: AccountSecrets(known, real, transport: transport), over: transport
        ) { try real[$0.id].map($0.merchants) ?? [] }
    }

    /// Creates a session without vendors' services.
    init(_ router: PaymentRouter, payer: Payer) {
        (self.router, self.payer, vendors, known) = (router, payer, [], SandboxVendors([]))
    }

    private init(
        _ arguments: ParsedArguments, _ console: Console, creatingJournal isCreating: Bool, _ settings: VendorSettings,
        payer: Payer, secrets: any SecretStore, over transport: StandardTransport,
        merchants: (any SandboxVendor) throws -> [any PaymentService]
    ) throws {
        let external = try ExternalOption.load(arguments, console, sandbox: settings.sandbox)
        (known, self.payer) = (console.vendors, payer)
        var registry = try known.registry(settings, with: external)
        vendors = try known.list.map { vendor in
            let services = try merchants(vendor)
            for service in services { registry = try registry.adding(service) }
            return (vendor, Set(services.map(\.descriptor.id)).union([vendor.id]))
        }
        router = PaymentRouter(
            registry: registry, transport: external.network(transport),
            journal: try PaymentOptions.journal(arguments, creating: isCreating), readers: Installation.readers,
            secrets: ExternalSecrets(base: secrets, providers: external, environment: console.environment))
    }

    /// Returns the vendor of a service.
    func vendor(of service: ProviderID) -> (any SandboxVendor)? {
        vendors.first { $0.services.contains(service) }?.vendor
    }

    /// Returns the payment as its merchant names it. If there are several names, the service decides.
    func asMerchant(_ payment: PaymentReference) async -> PaymentReference {
        let names = (vendor(of: payment.provider)?.merchantNames(of: payment) ?? []).filter { isKnown($0.provider) }
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
        let name = known[payment.provider]?.statusName(of: payment)
        return try await router.status(
            of: payment, askedAs: name.flatMap { isKnown($0.provider) ? $0 : nil } ?? payment, as: payer)
    }

    /// Returns true if there is a service of this id: an account may lack the merchant's.
    private func isKnown(_ service: ProviderID) -> Bool {
        router.registry.descriptors.contains { $0.id == service }
    }

    /// Does `work`, which a signal stops in good order, and shows its result.
    ///
    /// - Parameter isDone: Returns true if a result is the requested one: only then the command ends with 0.
    func finish(
        _ payment: PaymentReference, _ arguments: ParsedArguments, _ console: Console,
        isDone: (PaymentResult.Ending) -> Bool,
        by work: @escaping @Sendable () async throws(PaymentError) -> PaymentOutcome
    ) async -> ExitCode {
        let (ending, signal) = await Interrupts.run { () -> Result<PaymentOutcome, PaymentError> in
            do throws(PaymentError) { return .success(try await work()) } catch { return .failure(error) }
        }
        var result = PaymentResult(payment.description)
        result.provider = payment.provider.rawValue
        result.reference = payment.id
        switch ending {
        case .success(let outcome): result.end(.stated(outcome))
        case .failure(let error):
            let failure = arguments.value("sandbox") == nil ? error : error.withSandboxHint
            result.end(await router.statement(on: failure, of: payment))
        }
        console.show(result, isJSON: arguments.has("json"))
        if isDone(result.ending) { return .done }
        return signal.map(ExitCode.interrupted(by:)) ?? .failed
    }
}
