import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentRouting
import PaymentTesting
import Testing

/// Invoices that are met again: published permanently, or in several links.
extension ProviderTests {
    @Test("Of two devices with a journal each that pay one standing invoice at once, one is paid and the other is not")
    func standingInvoiceAtOnce() async throws {
        let user = await sandbox.createUser(.ready)
        let link = user.link
        let other = try network.router(seed: 3)
        let otherPayer = payer
        var first = payer
        first.settler = ScriptedSettler(
            base: try #require(payer.settler),
            settle: { _ in
                // Both have looked for another payment of the invoice before.
                guard case .succeeded = try await other.pay(link, as: otherPayer) else { throw NoWord() }
                return nil
            })
        let outcome = try await router.pay(link, as: first)
        #expect(outcome.declineReason?.code == .paidElsewhere, "one payment is called paid twice")
        #expect(await captures(of: user.key) == 1)
        #expect(await journal.unfinished().isEmpty)
    }

    @Test("A payee who still publishes a paid invoice is not reported as paid by it: nothing would move")
    func standingInvoice() async throws {
        let user = await sandbox.createUser(.ready)
        let paid = try receipt(try await router.pay(user.link, as: payer))
        let again = try await router.pay(user.link, as: payer)
        let reason = try #require(again.declineReason, "a second payment is called paid by \(paid)")
        #expect(reason.code == .paidElsewhere && reason.message.contains("paid before"))
        #expect(await captures(of: user.key) == 1)
        #expect(await journal.unfinished().isEmpty)
        // Once they publish another one, they are paid.
        let fresh = await sandbox.createInvoice(2100, for: user.key)
        await sandbox.publish(Array(fresh.utf8), at: "/pub/paykit.app/v0/lightning", of: user.key)
        #expect(try receipt(try await router.pay(user.link, as: payer)).transactionID != paid.transactionID)
        #expect(await captures(of: user.key) == 2)
    }

    @Test("An invoice is paid once, whatever the link around it looks like")
    func invoice() async throws {
        let user = await sandbox.createUser(.emptyDirectory)
        let invoice = await sandbox.createInvoice(700, for: user.key)
        let link = "paykit:invoice?method=lightning&data=\(invoice)"
        let first = try receipt(try await router.pay(link, as: payer))
        for other in [link, "paykit:invoice?data=\(invoice.uppercased())&method=lightning"] {
            #expect(try receipt(try await router.pay(other, as: payer)) == first)
        }
        // The bare text belongs to another provider, and is another payment.
        let bare = try await router.pay("lightning:\(invoice)", as: payer)
        let reason = try #require(bare.declineReason, "one payment is called paid twice")
        #expect(reason.code == .paidElsewhere && reason.message.contains("nothing was sent"))
        #expect(await captures(of: user.key) == 1)
    }
}
