import BitcoinProvider
package import PaymentCore
package import SandboxSupport

/// Bare texts of Bitcoin and Lightning, which a settler pays. It has no provider without a sandbox, because no settler
/// is available then.
package struct BitcoinVendor: SandboxVendor {
    package init() {}

    package var id: ProviderID { BitcoinProvider.id }
    package var paysStandards: Bool { true }

    package func providers(_ settings: VendorSettings) throws -> [any PaymentService] {
        settings.sandbox == nil ? [] : [BitcoinProvider(reader: settings.reader)]
    }
}
