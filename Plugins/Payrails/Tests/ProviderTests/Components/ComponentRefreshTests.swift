import PaymentCore
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// Protocol 5.10: a list that asks the service for the stored instruments.
@MainActor @Suite("Refreshing a list of instruments")
struct ComponentRefreshTests {
    private nonisolated static let third: any StoredInstrument = StoredCardInstrument(
        id: "c3", bin: nil, suffix: "9999")

    private func list(_ session: FakeSession) -> StoredInstruments { StoredInstruments(session: session) }

    @Test("New instruments appear and gone ones disappear, once the service has answered")
    func news() async {
        let session = FakeSession()
        let list = list(session)
        session.change { $0.service = [FakeSession.twoCards[0], Self.third] }
        session.hold()
        list.refreshInstruments()
        #expect(list.state.rows.map(\.id) == ["c1", "c2", "p1"], "what the session has stays until then")
        session.release()
        await list.waitUntilRefreshed()
        #expect(list.state.rows.map(\.id) == ["c1", "c3"])
    }

    @Test("Without an answer everything stays")
    func unanswered() async {
        let session = FakeSession()
        let list = list(session)
        list.refreshInstruments()
        list.view(for: "c2")?.tap()
        await list.waitUntilRefreshed()
        #expect(list.state.rows.map(\.id) == ["c1", "c2", "p1"] && list.state.selectedID == "c2")
    }

    @Test("What was chosen while the service was asked stays chosen, unless it is gone or another thing now")
    func selection() async throws {
        let renamed: any StoredInstrument = StoredCardInstrument(id: "c2", bin: "555555", suffix: "0000")
        for (all, isKept) in [
            (FakeSession.twoCards + [Self.third], true), ([FakeSession.twoCards[0]], false),
            ([FakeSession.twoCards[0], renamed], false),
        ] {
            let session = FakeSession()
            let list = list(session)
            let button = CardPaymentButton(cardForm: nil, session: session)
            list.bindCardPaymentButton(button)
            let first = try #require(list.view(for: "c1"))
            session.change { $0.service = all }
            session.hold()
            list.refreshInstruments()
            list.view(for: "c2")?.tap()
            let row = list.view(for: "c2")
            session.release()
            await list.waitUntilRefreshed()
            #expect(list.state.selectedID == (isKept ? "c2" : nil))
            #expect(button.getStoredInstrument()?.id == (isKept ? "c2" : nil))
            #expect(list.state.rows.filter(\.isSelected).map(\.id) == (isKept ? ["c2"] : []))
            #expect((list.view(for: "c2") === row) == isKept)
            #expect(list.view(for: "c1") !== first, "the first look made all rows anew")
        }
    }

    @Test("A payment in progress outlives its instrument")
    func busy() async {
        let session = FakeSession()
        let recorder = Recorder()
        let list = StoredInstruments(session: session, showPayButton: true)
        list.delegate = recorder
        list.view(for: "c1")?.tap()
        session.hold()
        list.view(for: "c1")?.tapPay()
        session.change { $0.service = [FakeSession.twoCards[1]] }
        list.refreshInstruments()
        let row = list.view(for: "c1")
        session.release()
        await list.waitUntilRefreshed()
        await row?.payButton.waitUntilIdle()
        #expect(recorder.lines.last == "list paid c1")
        #expect(list.state.rows.map(\.id).contains("c2"))
    }

    @Test("Of two refreshes the later one shows")
    func twice() async {
        let session = FakeSession()
        let list = list(session)
        session.change { $0.service = [Self.third] }
        list.refreshInstruments()
        list.refreshInstruments()
        await list.waitUntilRefreshed()
        #expect(list.state.rows.map(\.id) == ["c3"])
    }
}
