package import PaymentCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The settings of a vendor's providers.
package struct VendorSettings: Sendable {
    /// The sandbox that they call; nil for the real services, which take nothing without an account.
    package let sandbox: HTTPURL?
    /// Reads the payment standards.
    package let reader: any InstructionReader
    /// The settings of the private channels over which payees are asked for invoices; nil pays what they publish.
    package let privately: PrivateSettings?
    /// Tokens that wallets may pay although no table knows them.
    package let allowedTokens: [AssetID]
    /// True if the payer pays invoices and addresses.
    package let hasWallet: Bool
    /// The DNS resolver over HTTPS that looks up payees' names; nil looks none up.
    package let names: HTTPURL?
    /// The accounts at the real services.
    package let accounts: [ProviderID: VendorAccount]

    package init(
        sandbox: HTTPURL?, reader: any InstructionReader, privately: PrivateSettings? = nil,
        allowedTokens: [AssetID] = [], hasWallet: Bool = false, names: HTTPURL? = nil,
        accounts: [ProviderID: VendorAccount] = [:]
    ) {
        self.accounts = accounts
        self.hasWallet = hasWallet
        self.names = names
        self.allowedTokens = allowedTokens
        self.sandbox = sandbox
        self.reader = reader
        self.privately = privately
    }
}

/// The settings of private channels over which payees are asked for invoices, with a key that can be computed, like the
/// development wallet's.
package struct PrivateSettings: Sendable, Hashable {
    /// The seed of the payer's key.
    package let seed: UInt64
    /// The journal's file, beside which the receipts are kept; nil keeps them as long as the program runs.
    package let journal: String?
    /// True if only invoices that were agreed on over such a channel are paid.
    package let isOnly: Bool

    package init(seed: UInt64, journal: String? = nil, isOnly: Bool = false) {
        self.seed = seed
        self.journal = journal
        self.isOnly = isOnly
    }
}

/// The settings of simulated services.
package struct SandboxSettings: Sendable {
    package var clock: any PaymentClock
    package var random: any RandomSource
    /// The transport of notifications to merchants' servers.
    package var transport: any HTTPTransport
    /// The time in which payments can be paid, in seconds; nil for that of the real services.
    package var lifetime: Int64?
    /// The delay before the next question while a payment is open, in milliseconds; nil for that of the real services.
    package var pace: Int64?
    /// The receiver of webhooks that are registered with the service instead of named by a payment; nil for none.
    package var webhooks: HTTPURL?

    package init(
        clock: any PaymentClock, random: any RandomSource, transport: any HTTPTransport, lifetime: Int64? = nil,
        pace: Int64? = nil, webhooks: HTTPURL? = nil
    ) {
        self.clock = clock
        self.random = random
        self.transport = transport
        self.lifetime = lifetime
        self.pace = pace
        self.webhooks = webhooks
    }
}

/// A payment that a merchant's server makes at a sandbox.
package struct SandboxOrder: Sendable {
    package let reference: String
    package let amount: Money
    package let expiresAt: Date
    /// The merchant's id; nil for the sandbox's own merchant.
    package let merchant: String?
    /// True if it is made in the sandbox's live world, whose webhooks and lists never show the world of tests.
    package let isLive: Bool

    package init(reference: String, amount: Money, expiresAt: Date, merchant: String?, isLive: Bool) {
        self.reference = reference
        self.amount = amount
        self.expiresAt = expiresAt
        self.merchant = merchant
        self.isLive = isLive
    }
}

/// A payment that was made.
package struct CreatedSandboxPayment: Sendable {
    package let id: String
    package let link: String
    package let expiresAt: Date
    package let merchant: String
    /// `test` or `live`.
    package let mode: String

    package init(id: String, link: String, expiresAt: Date, merchant: String, mode: String) {
        self.id = id
        self.link = link
        self.expiresAt = expiresAt
        self.merchant = merchant
        self.mode = mode
    }
}
