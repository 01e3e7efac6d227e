package import PaymentCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What a vendor's providers are made with.
package struct VendorSettings: Sendable {
    /// The sandbox that they call; nil for the real services. Nothing is sent without one, so that no key is needed.
    package let sandbox: HTTPURL?
    /// Reads the payment standards.
    package let reader: any InstructionReader
    /// How payees are asked for invoices over a private channel; nil pays what they publish.
    package let privately: PrivateSettings?

    package init(sandbox: HTTPURL?, reader: any InstructionReader, privately: PrivateSettings? = nil) {
        self.sandbox = sandbox
        self.reader = reader
        self.privately = privately
    }
}

/// How payees are asked for invoices over a private channel: with a key that can be computed, as the development
/// wallet's can.
package struct PrivateSettings: Sendable, Hashable {
    /// The number that makes the payer's key.
    package let seed: UInt64
    /// The journal's file, beside which the receipts are kept; nil keeps them as long as the program runs.
    package let journal: String?
    /// Whether nothing is paid but what was agreed on over such a channel.
    package let isOnly: Bool

    package init(seed: UInt64, journal: String? = nil, isOnly: Bool = false) {
        self.seed = seed
        self.journal = journal
        self.isOnly = isOnly
    }
}

/// What simulated services are made with.
package struct SandboxSettings: Sendable {
    package var clock: any PaymentClock
    package var random: any RandomSource
    /// The way of notifications to merchants' servers.
    package var transport: any HTTPTransport
    /// How long payments can be paid, in seconds; nil for as long as at the real services.
    package var lifetime: Int64?
    /// When to ask again while a payment is open, in milliseconds; nil for as the real services say.
    package var pace: Int64?
    /// Where webhooks go that are registered with the service instead of named by a payment; nil for nowhere.
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
    /// Whether it is made in the sandbox's live world, whose webhooks and lists never show the world of tests.
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
