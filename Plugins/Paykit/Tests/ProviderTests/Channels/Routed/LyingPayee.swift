import Foundation
import PaymentCore
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PaykitProvider
@testable import PaykitSandbox

/// A payee of the sandbox that agrees on everything, and returns a wrong invoice.
final class LyingPayee: PaykitPayee {
    enum Lie: String, CaseIterable, Sendable {
        /// The invoice of another user, known to the payer.
        case somebodyElses
        /// One invoice for every payment.
        case always
        /// An expired invoice.
        case expired
        /// For less than the requested amount: the amount of the receipt is right.
        case less
        /// Of the chain with real money.
        case otherChain
        /// Not an invoice at all.
        case unreadable
        /// The address of a coin in place of an invoice.
        case address
        /// An invoice that was paid before, by a link.
        case paidBefore
        /// Another invoice for each request, also for one receipt.
        case another
        /// No confirmation that anything has arrived.
        case denies
    }

    let lie: Lie
    let user: PubkySandbox.User
    private let sandbox: PubkySandbox
    let fixedInvoice: String
    private let instead = Mutex<String?>(nil)
    private let given = Mutex<[String]>([])

    /// All invoices that it returned.
    var invoices: [String] { given.withLock { $0 } }

    /// Returns `invoice` in place of its invoices from now on.
    func give(_ invoice: String) { instead.withLock { $0 = invoice } }

    init(_ lie: Lie, at sandbox: PubkySandbox) async throws {
        self.lie = lie
        self.sandbox = sandbox
        user = await sandbox.createUser(.ready)
        let other = await sandbox.createUser(.ready)
        switch lie {
        case .somebodyElses: fixedInvoice = await sandbox.createInvoice(2100, for: other.key)
        case .paidBefore:
            fixedInvoice = await sandbox.createInvoice(2100, for: user.key)
            _ = try await sandbox.pay(fixedInvoice)
        case .expired:
            let secrets = (
                [UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32), [UInt8](repeating: 3, count: 32)
            )
            fixedInvoice = try PubkyInvoice(
                2100, for: user.key, at: 1_600_000_000, lifetime: 3600, chain: .regtest, secrets: secrets
            ).text
        case .otherChain:
            let secrets = (
                [UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32), [UInt8](repeating: 3, count: 32)
            )
            fixedInvoice = try PubkyInvoice(
                2100, for: user.key, at: await sandbox.now / 1_000_000, lifetime: 86_400, chain: .mainnet,
                secrets: secrets
            ).text
        case .unreadable: fixedInvoice = "lnbcrt21u1nonsense"
        case .address: fixedInvoice = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"
        default: fixedInvoice = await sandbox.createInvoice(2100, for: user.key)
        }
    }

    func terms(for inquiry: PaykitInquiry) async throws -> PaykitPayeeTerms {
        let amount = UInt64(inquiry.amount ?? "") ?? 0
        let text =
            switch lie {
            case .another, .denies: await sandbox.createInvoice(amount, for: user.key)
            case .less: await sandbox.createInvoice(amount / 2, for: user.key)
            default: instead.withLock { $0 } ?? fixedInvoice
            }
        given.withLock { $0.append(text) }
        return PaykitPayeeTerms(endpoint: text)
    }

    func hasArrived(_ inquiry: PaykitInquiry, _ proof: PaykitProof) async -> Bool { lie != .denies }
}

/// A store that never finds a record again.
struct ForgetfulRecords: ForwardingRecords {
    let base: any RecordStore = InMemoryRecords()

    func transact(
        _ ranges: [RecordRange], under lease: RecordLease?, at now: Date,
        _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> [RecordWrite]
    ) async throws {
        _ = try decide(ranges.map { _ in [] })
    }
}
