package import PaymentCore
import PaymentTesting
package import PaymentWallet

/// Vendors that a program knows. It is given them: only the program's first file names the list of all.
package struct SandboxVendors: Sendable {
    package let list: [any SandboxVendor]

    package init(_ list: [any SandboxVendor]) { self.list = list }

    /// Returns the vendor of a provider.
    package subscript(id: ProviderID) -> (any SandboxVendor)? { list.first { $0.id == id } }

    /// Returns every provider, calling the real services or the sandbox that the settings name.
    package func providers(_ settings: VendorSettings) throws -> [any PaymentService] {
        try list.flatMap { try $0.providers(settings) }
    }

    /// Opens a wallet of the payer's own; nil where no vendor knows its address.
    package func wallet(_ settings: WalletSettings) async throws -> OpenedWallet? {
        for vendor in list { if let wallet = try await vendor.wallet(settings) { return wallet } }
        return nil
    }

    /// Returns a payer with made-up wallets, apps, pages and data, who pays at the sandboxes that are served at
    /// `origin` and takes the first option whatever it costs.
    package func payer(
        _ wallet: DevelopmentWallet, at origin: HTTPURL, over transport: any HTTPTransport
    ) -> Payer {
        let parts = list.compactMap { vendor in
            vendor.payer(wallet, at: origin, over: transport).map { (payer: $0, pages: vendor.pagePaths) }
        }
        var payer = Payer(policy: .firstWhateverItCosts)
        for part in parts.map(\.payer) {
            payer.accounts += part.accounts
            payer.signer = payer.signer ?? part.signer
            payer.appLauncher = payer.appLauncher ?? part.appLauncher
            payer.codeDisplay = payer.codeDisplay ?? part.codeDisplay
            payer.settler = payer.settler ?? part.settler
        }
        payer.browser = { page in
            guard page.url.origin == origin.origin else {
                throw PaymentError(.payer, "the page at \(page.url.authority) is not the sandbox's; it is not opened")
            }
            let owner = parts.first { part in part.pages.contains { page.url.path.hasPrefix($0 + "/") } }
            guard let browser = owner?.payer.browser else {
                throw PaymentError(.payer, "no simulated payer opens the page \(page.url.path); it is not opened")
            }
            return try await browser(page)
        }
        // Every service asks for its own data; the first part that has all required fields answers.
        let collectors = parts.compactMap(\.payer.dataCollector)
        payer.dataCollector = { request in
            for collect in collectors {
                guard let values = try await collect(request) else { continue }
                if request.isAnswered(by: values) { return values }
            }
            return nil
        }
        return payer
    }
}

/// The secrets that an application keeps, got from the sandbox, whose keys are not secret.
package struct SandboxSecrets: SecretStore {
    private let vendors: SandboxVendors
    private let sandbox: HTTPURL
    private let transport: any HTTPTransport

    package init(_ vendors: SandboxVendors, sandbox: HTTPURL, transport: any HTTPTransport) {
        self.vendors = vendors
        self.sandbox = sandbox
        self.transport = transport
    }

    /// Returns a secret that one of the vendors knows; nil for any other name.
    package func secret(_ name: String) async throws -> Redacted<String>? {
        for vendor in vendors.list {
            if let secret = try await vendor.secret(name, at: sandbox, over: transport) { return secret }
        }
        return nil
    }
}

/// The secrets that an application keeps, got with the accounts at the real services.
package struct AccountSecrets: SecretStore {
    private let vendors: SandboxVendors
    private let accounts: [ProviderID: VendorAccount]
    private let transport: any HTTPTransport

    package init(_ vendors: SandboxVendors, _ accounts: [ProviderID: VendorAccount], transport: any HTTPTransport) {
        (self.vendors, self.accounts, self.transport) = (vendors, accounts, transport)
    }

    /// Returns a secret that one of the accounts gives; nil for any other name.
    package func secret(_ name: String) async throws -> Redacted<String>? {
        for vendor in vendors.list {
            guard let account = accounts[vendor.id] else { continue }
            if let secret = try await vendor.secret(name, of: account, over: transport) { return secret }
        }
        return nil
    }
}
