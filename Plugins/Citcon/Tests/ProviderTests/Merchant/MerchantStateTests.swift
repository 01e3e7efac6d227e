import CitconMerchant
import CitconProvider
import CitconSandbox
import Foundation
import PaymentCore
import TestSupport
import Testing

/// The state of a merchant's records as notifications arrive.
@Suite struct MerchantStateTests {
    /// Genuine notifications with these statuses, from a sandbox that signs them.
    private func notification(_ world: MerchantWorld, _ index: Int) async throws -> CitconNotification {
        let body = await world.sandbox.notifications[index].body
        return try world.merchant.read(IncomingNotification(headers: [:], body: body))
    }

    @Test("Goes forward only")
    func goesForwardOnly() async throws {
        let (world, charge) = try await MerchantWorld.paid(captures: false)
        _ = try await world.capture(charge)
        let authorized = try await notification(world, 0)
        let captured = try await notification(world, 1)
        var state = CitconTransactionState(id: charge.id)
        #expect(state.status == .initiated)
        #expect(state.apply(authorized) == .applied)
        #expect(state.apply(authorized) == .repeated)
        #expect(state.apply(captured) == .applied)
        #expect(state.apply(captured) == .repeated)
        #expect(state.status == .succeeded)
        // In the other order.
        var late = CitconTransactionState(id: charge.id)
        #expect(late.apply(captured) == .applied)
        #expect(late.apply(authorized) == .outdated)
        #expect(late.apply(authorized) == .repeated)
        #expect(late.status == .succeeded)
        #expect(try JSONValue.encode(state).decode(CitconTransactionState.self) == state)
    }

    @Test("Endings stay")
    func endingsStay() async throws {
        let world = try MerchantWorld()
        let paid = try await world.paid()
        let success = try await notification(world, 0)
        let cancelled = try await world.paid("order-2", .cancels)
        let failure = try await notification(world, 1)
        var state = CitconTransactionState(id: paid.id)
        #expect(state.apply(failure) == .foreign)
        #expect(state.apply(success) == .applied)
        var other = CitconTransactionState(id: cancelled.id)
        #expect(other.apply(failure) == .applied)
        #expect(other.status == .canceled)
        var refund = CitconTransactionState(id: paid.id, kind: .refund)
        #expect(refund.apply(success) == .foreign)
    }

    /// A notification that is signed with the merchant's key.
    private func notification(_ kind: String, _ status: String) throws -> CitconNotification {
        let json: JSONValue = [
            "id": "1", "transaction_type": .string(kind), "reference": "r", "amount": 1, "currency": "USD",
            "status": .string(status), "fields": "id,transaction_type,reference,amount,currency,status",
        ]
        let body = NotificationSigning.signed(json, secret: CitconSandbox.privateKey.reveal()).serialized()
        return try MerchantWorld().merchant.read(IncomingNotification(headers: [:], body: body))
    }

    @Test("A charge goes through its statuses in one order")
    func order() throws {
        let statuses = ["initiated", "pending", "authorized", "success"]
        for (place, first) in statuses.enumerated() {
            var state = CitconTransactionState(id: "1")
            #expect(try state.apply(notification("charge", first)) == (place == 0 ? .repeated : .applied))
            for earlier in statuses[..<place] {
                #expect(try state.apply(notification("charge", earlier)) == .outdated)
            }
            for later in statuses[(place + 1)...] {
                #expect(try state.apply(notification("charge", later)) == .applied)
            }
        }
    }

    @Test("Contradictions change nothing")
    func contradictionsChangeNothing() throws {
        var state = CitconTransactionState(id: "1")
        #expect(try state.apply(notification("charge", "fail")) == .applied)
        #expect(try state.apply(notification("charge", "success")) == .contradictory)
        #expect(try state.apply(notification("charge", "authorized")) == .outdated)
        #expect(try state.apply(notification("charge", "failed")) == .repeated)
        #expect(try state.apply(notification("charge", "odd")) == .unrecognized)
        #expect(try state.apply(notification("charge", "odd")) == .repeated)
        #expect(state.status == .failed)
    }

    @Test("A dispute's status is final")
    func disputesKeepTheLastWord() throws {
        var state = CitconTransactionState(id: "1", kind: .chargeback)
        for word in ["Notification of Claim", "Request For Information", "pending", "initiated", "Lost"] {
            #expect(try state.apply(notification("chargeback", word)) == .applied)
            #expect(state.status.rawValue == word)
        }
    }
}
