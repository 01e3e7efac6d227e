import PaymentCore
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// A delegate with only the guide's methods, as in an application with a progress indicator.
@MainActor private final class Spinner: PayrailsCardPaymentButtonDelegate {
    private(set) var turns = 0
    private(set) var endings = 0
    var isTurning: Bool { turns > endings }

    func onPaymentButtonClicked(_ button: CardPaymentButton) { turns += 1 }
    func onAuthorizeSuccess(_ button: CardPaymentButton) { endings += 1 }
    func onThreeDSecureChallenge(_ button: CardPaymentButton) {}
    func onAuthorizeFailed(_ button: CardPaymentButton) { endings += 1 }
}

extension Spinner: PayrailsStoredInstrumentsDelegate {
    func storedInstruments(_ view: StoredInstruments, didSelectInstrument instrument: any StoredInstrument) {
        turns += 1
    }
    func storedInstruments(
        _ view: StoredInstruments, didCompletePaymentForInstrument instrument: any StoredInstrument
    ) { endings += 1 }
    func storedInstruments(
        _ view: StoredInstruments, didFailPaymentForInstrument instrument: any StoredInstrument, error: PayrailsError
    ) { endings += 1 }
    func storedInstruments(_ view: StoredInstruments, didRequestDeleteInstrument instrument: any StoredInstrument) {}
}

@MainActor @Suite struct ComponentEndingTests {
    /// Every way in which a payment can end.
    nonisolated static let results: [OnPayResult] = [
        .success, .declined, .cancelledByUser, .pending, .authorizationFailed(.authentication),
        .error(.unknown(error: nil)), .error(.finalStatusNotFoundAfterLongPoll("late")),
        .error(.longPollingFailed(underlyingError: nil)), .error(.unsupportedPayment(type: .card)),
    ]

    @Test(
        "A button's delegate with the guide's four methods is called once for every ending", arguments: results.indices)
    func button(_ index: Int) async {
        let session = FakeSession(results: [Self.results[index]])
        let spinner = Spinner()
        let button = CardPaymentButton(storedInstrument: FakeSession.account, session: session)
        button.delegate = spinner
        session.hold()
        button.tap()
        #expect(spinner.isTurning)
        session.release()
        await button.waitUntilIdle()
        #expect(spinner.turns == 1 && spinner.endings == 1, "\(Self.results[index])")
    }

    @Test("A list's delegate with the guide's four methods is called once for every ending", arguments: results.indices)
    func list(_ index: Int) async throws {
        let session = FakeSession(results: [Self.results[index]])
        let spinner = Spinner()
        let list = StoredInstruments(session: session, showPayButton: true)
        list.delegate = spinner
        let row = try #require(list.views.first)
        row.tap()
        row.tapPay()
        await row.payButton.waitUntilIdle()
        #expect(spinner.turns == 1 && spinner.endings == 1, "\(Self.results[index])")
    }

    @Test("A card that is not complete, or cannot be encrypted, ends the tap too")
    func noCard() async {
        let session = FakeSession()
        let spinner = Spinner()
        let form = CardForm(session: session)
        let button = CardPaymentButton(cardForm: form, session: session)
        button.delegate = spinner
        button.tap()
        #expect(spinner.turns == 1 && spinner.endings == 1)
        guard case .error(.invalidCardData) = button.lastResult else {
            Issue.record("\(String(describing: button.lastResult))")
            return
        }
        form.fill()
        session.change { $0.encryptionError = .missingData("a key") }
        button.tap()
        #expect(spinner.turns == 2 && spinner.endings == 2)
        #expect(session.calls.isEmpty && !button.state.isProcessing)
    }

    @Test("A screen is notified of new rows, also when they look like the old ones")
    func reloaded() {
        let list = StoredInstruments(session: FakeSession())
        let before = list.views
        let state = list.state
        var count = 0
        list.onReload = { count += 1 }
        list.refreshInstruments()
        #expect(count == 1 && list.state == state)
        #expect(!list.views.elementsEqual(before) { $0 === $1 })
    }

    @Test("A payment that continues without the payer can be distinguished from one that failed")
    func pendingIsTold() async {
        let button = CardPaymentButton(
            storedInstrument: FakeSession.account, session: FakeSession(results: [.pending]))
        let spinner = Spinner()
        button.delegate = spinner
        button.tap()
        await button.waitUntilIdle()
        #expect(button.lastResult?.isPending == true && button.lastResult?.mayHaveBeenPaid == true)
    }
}

extension OnPayResult {
    fileprivate static let declined = OnPayResult.failure(.declined("InsufficientFunds"))
}
