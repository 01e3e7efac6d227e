import PaymentCore
import PayrailsSandbox
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// The reason for a failed payment with a stored instrument, as the guide's delegate receives it.
@MainActor @Suite("Failures of stored instruments")
struct ComponentFailureTests {
    /// The guide's delegate: shows `error.localizedDescription` and nothing else.
    private final class Delegate: PayrailsStoredInstrumentViewDelegate {
        var errors: [PayrailsError] = []
        func storedInstrumentView(_: StoredInstrumentView, didSelectInstrument: any StoredInstrument) {}
        func storedInstrumentView(_: StoredInstrumentView, didDeselectInstrument: any StoredInstrument) {}
        func storedInstrumentView(_: StoredInstrumentView, didCompletePaymentForInstrument: any StoredInstrument) {}
        func storedInstrumentView(
            _: StoredInstrumentView, didFailPaymentForInstrument: any StoredInstrument, error: PayrailsError
        ) { errors.append(error) }
        func storedInstrumentView(_: StoredInstrumentView, didRequestDeleteInstrument: any StoredInstrument) {}
    }

    private func failure(_ result: OnPayResult) async throws -> PayrailsError {
        let delegate = Delegate()
        let row = StoredInstrumentView(
            instrument: FakeSession.twoCards[0], session: FakeSession(results: [result]), showPayButton: true)
        row.delegate = delegate
        row.setSelected(true)
        row.tapPay()
        await row.payButton.waitUntilIdle()
        return try #require(delegate.errors.first)
    }

    @Test(
        "Every reason has a text for the payer, and a separate code",
        arguments: [
            ("GenericRejection", StoredInstrumentError.Code.declined, "the bank refused it"),
            ("FraudRisk", .declined, "the bank refused it"),
            ("InsufficientBalance", .insufficientFunds, "there is not enough money"),
            ("LimitExceeded", .limitExceeded, "it is over a limit"),
            ("PayerAuthenticationFailed", .authenticationFailed, "the bank could not confirm that it is you"),
            ("ExpiredInstrument", .instrumentExpired, "the card has expired"),
            ("BlockedInstrument", .instrumentRefused, "this payment method is blocked"),
            ("InvalidInstrument", .instrumentRefused, "the card's details are not right"),
            ("PayerCanceled", .cancelledByPayer, "you cancelled it"),
            ("UnheardOf", .declined, "The payment was declined."),
            ("the shop cancelled the payment", .declined, "the shop cancelled the payment"),
        ])
    func words(result: String, code: StoredInstrumentError.Code, words: String) async throws {
        let error = try await failure(.declined(result))
        // As an application sees it, through the protocol and through NSError.
        #expect(error.localizedDescription.hasPrefix("The payment was declined"))
        #expect(error.localizedDescription.contains(words) && (error as any Error).localizedDescription.contains(words))
        let failure = try #require(error.storedInstrumentError)
        #expect(failure.code == code && failure.result == result && failure.localizedDescription.contains(words))
        #expect(failure.reason == .authorizationError && !failure.mayHaveBeenPaid && !error.leavesFateOpen)
        #expect(!error.localizedDescription.contains("UnheardOf"))
    }

    @Test("A payer who left is notified, and the payment may have been made")
    func left() async throws {
        let error = try await failure(.cancelledByUser)
        let failure = try #require(error.storedInstrumentError)
        #expect(failure.code == .cancelledByPayer && failure.reason == .userCancelled && failure.result == nil)
        #expect(error.localizedDescription == "You left before the payment was finished.")
        #expect(failure.mayHaveBeenPaid && error.leavesFateOpen)
    }

    @Test("What is no failure of the instrument keeps the vendor's case")
    func others() async throws {
        for (result, word) in [
            (OnPayResult.error(.paymentPending), "pending"),
            (.authorizationFailed(.authentication), "authenticationError"),
            (.error(.missingData("x")), "missingData x"),
        ] {
            let error = try await failure(result)
            #expect(error.word == word && error.storedInstrumentError == nil)
            #expect(error.localizedDescription == error.description)
        }
    }

    @Test("From the sandbox to the delegate: declined, not enough money, 3-D Secure failed, left")
    func sandbox() async throws {
        let cases: [(PayrailsSandbox.Scenario, PayrailsSandbox.PayerBehaviour, StoredInstrumentError.Code)] = [
            (.declined, .completes, .declined), (.insufficientBalance, .completes, .insufficientFunds),
            (.challenge, .fails, .authenticationFailed), (.challenge, .cancels, .cancelledByPayer),
            (.challenge, .leaves, .cancelledByPayer),
        ]
        for (scenario, behaviour, code) in cases {
            let world = PayrailsWorld()
            let (_, session) = try await world.session(scenario)
            let screen = SandboxScreen(world.sandbox, behaviour)
            let list = StoredInstruments(session: session, showPayButton: true)
            let recorder = Recorder()
            list.delegate = recorder
            list.presenter = screen
            let row = try #require(list.views.first)
            row.tap()
            row.tapPay()
            await row.payButton.waitUntilIdle()
            let failure = try #require(recorder.failures.first?.storedInstrumentError, "\(scenario) \(behaviour)")
            #expect(failure.code == code && !failure.message.isEmpty, "\(scenario) \(behaviour)")
        }
    }
}
