import PaymentRouting
import Testing

/// Errors of journals, for people.
@Suite("Errors of journals")
struct JournalErrorTests {
    @Test(
        "The time that was waited for a lock is stated in seconds, as short as it can be",
        arguments: [
            (.zero, nil), (.milliseconds(20), "0.02"), (.milliseconds(1500), "1.5"), (.seconds(5), "5"),
            (.seconds(100), "100"),
        ] as [(Duration, String?)])
    func locked(waited: Duration, text: String?) {
        let words = JournalError.locked(path: "j", waited: waited).description
        #expect(words.contains(text.map { "did not let go of it for \($0) s;" } ?? "locked; nothing was written"))
    }
}
