import Foundation
import PaymentCore
import PaymentRouting
import TestSupport
import Testing

/// Signatures for payments without a question.
@Suite("Signing without a question")
struct UnaskedSigningTests {
    /// A wallet that signs transactions.
    private struct Wallet: PaymentSigner {
        let signed: Tally
        func supports(method: String) -> Bool { method == "eth_sendTransaction" }
        func sign(_ request: SigningRequest) async throws -> String {
            signed.count("sign")
            return "0x01"
        }
    }

    /// A world in which paying asks for a signature whose review has these warnings.
    private func world(_ warnings: [SigningReview.Warning]) throws -> World {
        try world(reviewed: SigningReview(effects: [], warnings: warnings, digest: nil, lines: []))
    }

    /// A world in which paying asks for a signature with this review.
    private func world(reviewed review: SigningReview?) throws -> World {
        let account = try AccountID("eip155:8453:0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf")
        var world = World()
        world.autoPay = AutoPayTests.daily(1000)
        world.provider.payBody = { attempt, context in
            _ = try await context.step("sign 1 of 2", .mutation(replay: .never)) {
                try await context.payer.signer?.sign(
                    SigningRequest(
                        account: account, method: "eth_sendTransaction", parameters: [], review: review, count: 2))
            }
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        return world
    }

    @Test(
        "An allowance above the payment is not granted without a question: nothing is signed, and nothing stays reserved",
        arguments: [SigningReview.Warning.approvalUnlimited, .approvalMoreThanNeeded])
    func allowance(warning: SigningReview.Warning) async throws {
        let (world, signed) = (try world([.recipientUnknown, warning]), Tally())
        let error = await failure { try await world.pay(as: Payer(signer: Wallet(signed: signed))) }
        #expect(error?.code == .consentNeeded && error?.phase == .beforeSend, "\(error?.message ?? "")")
        #expect(error?.message.contains("allowance") == true && signed["sign"] == 0)
        let journal = try #require(world.journal as? InMemoryJournal)
        #expect(await journal.spendings(since: SpendingDay(number: .min)).map(\.state) == [.released])
    }

    @Test("Of all warnings, only an unknown recipient is signed without a question")
    func allowed() async throws {
        for warning in SigningReview.Warning.allCases {
            let (world, signed) = (try world([warning]), Tally())
            let outcome = try? await world.pay(as: Payer(signer: Wallet(signed: signed)))
            #expect(signed["sign"] == (warning == .recipientUnknown ? 1 : 0), "\(warning.rawValue)")
            #expect(outcome.map(AutoPayTests.isPaid) == (warning == .recipientUnknown ? true : nil))
        }
    }

    private static let boundless = SigningReview.Effect(.approve, call: 0, asset: nil, quantity: .unlimited)
    private static let unknown = SigningReview.Effect(.unreviewed, call: 0, asset: nil, quantity: nil)

    private func review(
        _ effects: SigningReview.Effect..., warnings: [SigningReview.Warning] = []
    ) -> SigningReview { SigningReview(effects: effects, warnings: warnings, digest: nil, lines: []) }

    @Test("The provider sees which methods the payer's wallet signs")
    func methods() async throws {
        let seen = Tally()
        var world = try world([])
        world.provider.payBody = { attempt, context in
            for method in ["eth_sendTransaction", "personal_sign"]
            where context.payer.signer?.supports(method: method) == true { seen.count(method) }
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        _ = try await world.pay(as: Payer(signer: Wallet(signed: seen)))
        #expect(seen["eth_sendTransaction"] == 1 && seen["personal_sign"] == 0)
    }

    @Test("Of several objections the first is stated")
    func objections() async throws {
        for review in [review(warnings: [.approvalUnlimited, .solanaRent]), review(Self.boundless, Self.unknown)] {
            let error = await failure {
                try await world(reviewed: review).pay(as: Payer(signer: Wallet(signed: Tally())))
            }
            #expect(error?.message.contains("an unlimited allowance") == true)
        }
    }

    @Test("A reviewed transfer is signed")
    func transfer() async throws {
        let (signed, transfer) = (Tally(), SigningReview.Effect(.nativeTransfer, call: 0, asset: nil, quantity: nil))
        let world = try world(reviewed: review(transfer))
        #expect(AutoPayTests.isPaid(try await world.pay(as: Payer(signer: Wallet(signed: signed)))))
        #expect(signed["sign"] == 1)
    }

    @Test("Calls without a review, or with an effect that was not reviewed or has no end, are not signed")
    func unreviewed() async throws {
        for review in [nil, review(Self.unknown), review(Self.boundless)] {
            let (world, signed) = (try world(reviewed: review), Tally())
            let error = await failure { try await world.pay(as: Payer(signer: Wallet(signed: signed))) }
            #expect(error?.code == .consentNeeded && error?.phase == .beforeSend && signed["sign"] == 0)
            let journal = try #require(world.journal as? InMemoryJournal)
            #expect(await journal.spendings(since: SpendingDay(number: .min)).map(\.state) == [.released])
        }
    }

    @Test("Nor is it by a process that resumes the payment without limits")
    func resumed() async throws {
        var (world, signed) = (try world([.approvalUnlimited]), Tally())
        let amount = Money.cents(1000)
        let id = AttemptID(rawValue: "att_crashed")
        let journal = try #require(world.journal as? InMemoryJournal)
        let spending = Spending(
            attempt: id, payment: ScriptedProvider.reference, amounts: [amount], day: SpendingDay(number: 0),
            keeper: .journal)
        #expect(try await journal.reserve(spending, within: [SpendingLimit(amount, per: .day)]) == .granted)
        #expect(try await world.crashed([]) == id)
        world.autoPay = nil
        let error = await failure { try await world.router.resume(id, as: Payer(signer: Wallet(signed: signed))) }
        #expect(error?.code == .consentNeeded && signed["sign"] == 0)
    }

    @Test("What lasts no longer than the payment is signed; and what the payer has chosen is")
    func signed() async throws {
        let (plain, signed) = (try world([.recipientUnknown]), Tally())
        #expect(AutoPayTests.isPaid(try await plain.pay(as: Payer(signer: Wallet(signed: signed)))))
        var chosen = try world([.approvalUnlimited])
        chosen.autoPay = AutoPayTests.daily(1)
        let payer = Payer(signer: Wallet(signed: signed), chooser: { $0.options.first?.id })
        #expect(AutoPayTests.isPaid(try await chosen.pay(as: payer)))
        #expect(signed["sign"] == 2)
    }
}
