import PaymentCore
import Synchronization

@testable import PayrailsKit
@testable import PayrailsProvider

/// A session without a network: a test sets its answers and their time.
final class FakeSession: ComponentSession {
    struct State {
        var cards: [any StoredInstrument] = []
        var accounts: [any StoredInstrument] = []
        var results: [OnPayResult] = []
        var calls: [String] = []
        var isHeld = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var page: HTTPURL?
        var encryptionError: PayrailsError?
        var deletion: Result<Bool, PayrailsError> = .success(true)
        /// The service's instruments, if they differ from the session's; nil: it does not answer.
        var service: [any StoredInstrument]?
    }

    let state: Mutex<State>
    let currentMonth = YearAndMonth(year: 2026, month: 11)

    init(
        cards: [any StoredInstrument] = FakeSession.twoCards, accounts: [any StoredInstrument] = [FakeSession.account],
        results: [OnPayResult] = []
    ) {
        state = Mutex(State(cards: cards, accounts: accounts, results: results))
    }

    static let twoCards: [any StoredInstrument] = [
        StoredCardInstrument(id: "c1", bin: "411111", suffix: "1111"),
        StoredCardInstrument(id: "c2", bin: "555555", suffix: "4444"),
    ]
    static let account: any StoredInstrument = StoredPayPalInstrument(id: "p1", email: "payer@example.com")

    var calls: [String] { state.withLock { $0.calls } }

    func change(_ change: @Sendable (inout State) -> Void) { state.withLock { change(&$0) } }

    /// Keeps payments and deletions waiting until ``release()``.
    func hold() { state.withLock { $0.isHeld = true } }

    func release() {
        let waiting = state.withLock { state in
            state.isHeld = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for one in waiting { one.resume() }
    }

    private func pass(_ call: String) async {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                state.calls.append(call)
                if state.isHeld { state.waiting.append(continuation) }
                return state.isHeld
            }
            if !isHeld { continuation.resume() }
        }
    }

    private func result() -> OnPayResult {
        state.withLock { $0.results.isEmpty ? .success : $0.results.removeFirst() }
    }

    @MainActor private func present(_ presenter: (any PaymentPresenter)?) async -> OnPayResult? {
        guard let page = state.withLock({ $0.page }) else { return nil }
        guard let presenter else { return .error(.unknown(error: PayrailsUnderlyingError.noPresenter)) }
        return (try? await presenter.presentPayment(PageRequest(url: page))) == nil ? .cancelledByUser : nil
    }

    func storedInstruments(for type: Payrails.PaymentType) -> [any StoredInstrument] {
        state.withLock { type == .card ? $0.cards : type == .payPal ? $0.accounts : [] }
    }

    func encryptCard(_ card: CardDetails) throws(PayrailsError) -> String {
        if let error = state.withLock({ $0.encryptionError }) { throw error }
        return "encrypted-\(card.number.reveal().suffix(4))"
    }

    func pay(
        withStoredInstrument instrument: any StoredInstrument, presenter: (any PaymentPresenter)?
    ) async -> OnPayResult {
        await pass("stored \(instrument.id)")
        return await present(presenter) ?? result()
    }

    func pay(
        withEncryptedCard encryptedData: String, saveInstrument: Bool, presenter: (any PaymentPresenter)?
    ) async -> OnPayResult {
        await pass("card \(encryptedData.prefix(14)) save \(saveInstrument)")
        return await present(presenter) ?? result()
    }

    func pay(
        withType type: Payrails.PaymentType, saveInstrument: Bool, presenter: (any PaymentPresenter)?
    ) async -> OnPayResult {
        await pass("type \(type.rawValue)")
        return await present(presenter) ?? result()
    }

    func deleteInstrument(instrumentId: String) async throws -> DeleteInstrumentResponse {
        await pass("delete \(instrumentId)")
        let success = try state.withLock { $0.deletion }.get()
        if success {
            state.withLock { state in
                state.cards.removeAll { $0.id == instrumentId }
                state.accounts.removeAll { $0.id == instrumentId }
            }
        }
        return DeleteInstrumentResponse(success: success)
    }

    struct Unanswered: Error {}

    func reloadInstruments() async throws {
        let isAnswered = state.withLock { $0.service != nil }
        if isAnswered { await pass("reload") }
        try state.withLock { state in
            guard let all = state.service else { throw Unanswered() }
            state.cards = all.filter { $0.type == .card }
            state.accounts = all.filter { $0.type == .payPal }
        }
    }
}

/// Records the calls of delegates, in order, with the state at that moment.
@MainActor final class Recorder {
    var lines: [String] = []
    /// The errors of payments from a list.
    var failures: [PayrailsError] = []
}

extension Recorder: PayrailsCardPaymentButtonDelegate {
    func onPaymentButtonClicked(_ button: CardPaymentButton) { note("clicked", button) }
    func onAuthorizeSuccess(_ button: CardPaymentButton) { note("success", button) }
    func onThreeDSecureChallenge(_ button: CardPaymentButton) { note("challenge", button) }
    func onAuthorizeFailed(_ button: CardPaymentButton) { note("failed", button) }
    func onAuthorizePending(_ button: CardPaymentButton) { note("pending", button) }
    func onStoredInstrumentChanged(_ button: CardPaymentButton, instrument: (any StoredInstrument)?) {
        note("instrument \(instrument?.id ?? "none")", button)
    }
    private func note(_ text: String, _ button: CardPaymentButton) {
        lines.append(button.state.isProcessing ? text + " (processing)" : text)
    }
}

extension Recorder: PayrailsStoredInstrumentsDelegate {
    func storedInstruments(_ view: StoredInstruments, didSelectInstrument instrument: any StoredInstrument) {
        lines.append("list selected \(instrument.id), state \(view.state.selectedID ?? "none")")
    }
    func storedInstruments(_ view: StoredInstruments, didCompletePaymentForInstrument instrument: any StoredInstrument)
    {
        lines.append("list paid \(instrument.id)")
    }
    func storedInstruments(
        _ view: StoredInstruments, didFailPaymentForInstrument instrument: any StoredInstrument, error: PayrailsError
    ) {
        lines.append("list failed \(instrument.id): \(Self.word(error))")
        failures.append(error)
    }
    func storedInstruments(_ view: StoredInstruments, didRequestDeleteInstrument instrument: any StoredInstrument) {
        lines.append("list delete \(instrument.id)")
    }
    static func word(_ error: PayrailsError) -> String {
        if case .unknown(let cause as StoredInstrumentError) = error { return cause.message }
        if case .paymentPending = error { return "pending" }
        return error.description
    }
}

extension Recorder: PayrailsStoredInstrumentViewDelegate {
    func storedInstrumentView(_ view: StoredInstrumentView, didSelectInstrument instrument: any StoredInstrument) {
        lines.append("row selected \(instrument.id)")
    }
    func storedInstrumentView(_ view: StoredInstrumentView, didDeselectInstrument instrument: any StoredInstrument) {
        lines.append("row deselected \(instrument.id)")
    }
    func storedInstrumentView(
        _ view: StoredInstrumentView, didCompletePaymentForInstrument instrument: any StoredInstrument
    ) { lines.append("row paid \(instrument.id)") }
    func storedInstrumentView(
        _ view: StoredInstrumentView, didFailPaymentForInstrument instrument: any StoredInstrument,
        error: PayrailsError
    ) { lines.append("row failed \(instrument.id): \(Self.word(error))") }
    func storedInstrumentView(_ view: StoredInstrumentView, didRequestDeleteInstrument instrument: any StoredInstrument)
    { lines.append("row delete \(instrument.id)") }
}

extension Recorder: PayrailsCardFormDelegate {
    func cardForm(_ view: CardForm, didCollectCardData data: String) { lines.append("collected \(data)") }
    func cardForm(_ view: CardForm, didFailWithError error: any Error) {
        lines.append("form failed: \((error as? PayrailsError)?.description ?? "?")")
    }
}

extension CardForm {
    /// Types a card that is right in every field.
    func fill(number: String = "4242424242424242") {
        setText(number, for: .CARD_NUMBER)
        setText("Test Holder", for: .CARDHOLDER_NAME)
        setText("123", for: .CVV)
        setText("12", for: .EXPIRATION_MONTH)
        setText("2030", for: .EXPIRATION_YEAR)
        setText("12/30", for: .EXPIRATION_DATE)
    }
}

extension OnPayResult {
    static func declined(_ reason: String) -> OnPayResult {
        .failure(AuthorizationFailure(code: .authorizationError, message: reason))
    }
}
