import PaymentCore
import PaymentStandards
import Testing

@Suite("A payto link")
struct PaytoTextTests {
    @Test("States account, amount and message")
    func read() {
        let text = ReadText("payto://iban/DE75512108001245126199?amount=EUR:12.50&message=Rent%20for%20May")
        #expect(text.standard == "payto")
        #expect(text.account == "DE75512108001245126199")
        #expect(text.money == "12.50 EUR")
        #expect(text.field("message") == "Rent for May")
    }
}
