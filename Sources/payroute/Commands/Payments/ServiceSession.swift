import PaymentCore
import PaymentRouting
import PaymentSandbox
import PaymentStore
import PaymentTransport
import SandboxSupport

/// A session for merchants, and for questions about payments: a router with the payers' providers and the merchants'
/// services of a sandbox.
struct ServiceSession {
    let router: PaymentRouter
    let journal: any PaymentJournal
    /// The vendors with the ids of their services.
    private let vendors: [(vendor: any SandboxVendor, services: Set<ProviderID>)]

    /// The common options of these commands.
    static let options: [CommandSyntax.Option] = [
        .init(
            name: "sandbox", value: "url", help: "The sandbox to call, as printed by 'payroute sandbox'.",
            isRequired: true),
        .init(name: "journal", value: "file", help: "The journal of the payment, where it has one."),
        .init(name: "json", help: "Print one JSON object."),
    ]

    /// Opens the session that a line asks for.
    ///
    /// - Parameter isCreating: True if a missing journal is created.
    init(_ arguments: ParsedArguments, creatingJournal isCreating: Bool) throws {
        let sandbox = try PayCommand.sandboxURL(arguments)
        if let path = arguments.value("journal") {
            journal = try SQLiteJournal(path: path, creating: isCreating)
        } else {
            journal = InMemoryJournal()
        }
        var registry = try Installation.registry(sandbox: sandbox)
        vendors = try SandboxVendors.all.map { vendor in
            let merchants = try vendor.merchants(at: sandbox)
            for merchant in merchants { registry = try registry.adding(merchant) }
            return (vendor, Set(merchants.map(\.descriptor.id)).union([vendor.id]))
        }
        let transport = StandardTransport()
        router = PaymentRouter(
            registry: registry, transport: transport, journal: journal, readers: Installation.readers,
            secrets: SandboxSecrets(sandbox: sandbox, transport: transport))
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

    /// Returns the payment by the name under which its service can be asked about it without its link.
    func forStatus(_ payment: PaymentReference) -> PaymentReference {
        SandboxVendors[payment.provider]?.statusName(of: payment) ?? payment
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
        case .failure(let error): result.end(error)
        }
        console.show(result, isJSON: arguments.has("json"))
        if case .success(let outcome) = ending, isDone(outcome) { return .done }
        return signal.map(ExitCode.interrupted(by:)) ?? .failed
    }
}
