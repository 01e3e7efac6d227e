import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTransport
import SandboxSupport

/// Asks the real services whether accounts can be used.
enum AccountCheck {
    /// Returns a finding for each account, or one for a file that cannot be read.
    static func findings(_ path: String, _ vendors: SandboxVendors) async -> [DoctorCommand.Finding] {
        do {
            let accounts = try AccountsOption.accounts(path, vendors)
            let transport = try AccountsOption.transport(accounts, vendors)
            var findings: [DoctorCommand.Finding] = []
            for (id, account) in accounts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                guard let vendor = vendors[id] else { continue }
                findings.append(await finding(vendor, try vendor.merchants(of: account), over: transport))
            }
            return findings
        } catch {
            return [DoctorCommand.Finding(what: "accounts", state: .bad, detail: "\(error)")]
        }
    }

    /// Asks for a payment that does not exist: a service answers so only to a merchant that it knows.
    private static func finding(
        _ vendor: any SandboxVendor, _ merchants: [any PaymentService], over transport: StandardTransport
    ) async -> DoctorCommand.Finding {
        let what = "\(vendor.id) account"
        guard let merchant = merchants.first?.descriptor.id else {
            return DoctorCommand.Finding(what: what, state: .good, detail: "is for payers; its service is not asked")
        }
        do {
            let router = PaymentRouter(
                registry: try ProviderRegistry(merchants), transport: transport, journal: InMemoryJournal())
            _ = try await router.status(of: PaymentReference(provider: merchant, id: vendor.unknownPayment))
        } catch let error as PaymentError where error.code == .notFound {
            // As it should be.
        } catch {
            let reason = (error as? PaymentError)?.message ?? "\(error)"
            return DoctorCommand.Finding(what: what, state: .bad, detail: reason)
        }
        return DoctorCommand.Finding(what: what, state: .good, detail: "its service answers, and knows the merchant")
    }
}
