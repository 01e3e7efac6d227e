import PaymentCore
import PaymentStandards
import Testing

@Suite("Links to services in the forms of their makers")
struct HostedFormTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let text: String
        let standard: String
        var payee: String?
        var money: String?
        var memo: String?
        var reference: String?
        var warnings: [InstructionWarning] = []
        var testDescription: String { text }
    }

    @Test(
        "Read",
        arguments: [
            Row(
                text: "https://venmo.com/?txn=pay&audience=friends&recipients=bob-smith&amount=10&note=lunch",
                standard: "venmo", payee: "bob-smith", money: "10.00 USD", memo: "lunch"),
            Row(
                text: "https://account.venmo.com/pay?recipients=%2Cbob&amount=3.50&txn=pay", standard: "venmo",
                payee: "bob", money: "3.50 USD"),
            Row(
                text: "https://venmo.com/code?user_id=2345678901234567890&created=1", standard: "venmo",
                payee: "2345678901234567890"),
            Row(text: "https://account.venmo.com/u/bob-smith", standard: "venmo", payee: "bob-smith"),
            Row(
                text: "https://www.paypal.com/cgi-bin/webscr?cmd=_xclick&business=shop%40example.com&amount=10.00"
                    + "&currency_code=EUR&item_name=Green+Tea&invoice=7",
                standard: "paypal-button", payee: "shop@example.com", money: "10.00 EUR", memo: "Green Tea",
                reference: "7"),
            Row(
                text: "https://www.paypal.com/us/cgi-bin/webscr?cmd=_donations&business=ABC123&amount=5",
                standard:
                    "paypal-button", payee: "ABC123", money: "5.00 USD", warnings: [.amountEditable]),
            Row(
                text: "https://www.paypal.com/cgi-bin/webscr?cmd=_s-xclick&hosted_button_id=QWERTY123",
                standard: "paypal-button", reference: "QWERTY123"),
            Row(text: "https://www.paypal.com/donate/?hosted_button_id=Q1", standard: "paypal-button", reference: "Q1"),
            Row(
                text: "https://www.paypal.com/donate?business=a%40b.example&currency_code=EUR",
                standard: "paypal-button", payee: "a@b.example"),
            Row(
                text: "https://www.paypal.com/ncp/payment/ABC123", standard: "paypal-payment-link", reference: "ABC123"),
            Row(text: "https://donate.stripe.com/3cs4hL9dY", standard: "stripe-payment-link", reference: "3cs4hL9dY"),
            Row(
                text: "https://donate.stripe.com/test_3cs4", standard: "stripe-payment-link", reference: "test_3cs4",
                warnings: [.testNetwork]),
            Row(text: "https://square.link/u/Abc123", standard: "square-payment-link", reference: "Abc123"),
            Row(
                text: "https://sandbox.square.link/u/Abc123", standard: "square-payment-link", reference: "Abc123",
                warnings: [.testNetwork]),
            Row(
                text: "https://qr-mt.vipps.no/r/DI5bjNA0", standard: "vipps-token", reference: "DI5bjNA0",
                warnings: [.testNetwork]),
            Row(text: "https://qr.vipps.no/r/DI5bjNA0", standard: "vipps-token", reference: "DI5bjNA0"),
            Row(
                text: "https://payconiq.com/t/1/5A8D3B2F1C4E6A7B8C9D0E1F?A=1050&R=INV42&D=Lunch", standard: "payconiq",
                payee: "5A8D3B2F1C4E6A7B8C9D0E1F", money: "10.50 EUR", memo: "Lunch", reference: "INV42"),
            Row(
                text: "HTTPS://PAYCONIQ.COM/T/1/5A8D3B2F1C4E6A7B8C9D0E1F?A=5", standard: "payconiq",
                payee: "5A8D3B2F1C4E6A7B8C9D0E1F", money: "0.05 EUR"),
            Row(text: "https://payconiq.com/l/1/5A8D3B2F", standard: "payconiq", payee: "5A8D3B2F"),
            Row(text: "https://payconiq.com/t/1/5A8D3B2F?A=0", standard: "payconiq", payee: "5A8D3B2F"),
            Row(
                text: "https://qr.nspk.ru/AD10006PTORDPC5D98HPT12HV37MMQ6G?type=02&bank=100000000284&sum=15590050"
                    + "&cur=RUB&crc=4C8A",
                standard: "sbp", money: "155900.50 RUB", reference: "AD10006PTORDPC5D98HPT12HV37MMQ6G"),
            Row(
                text: "https://qr.nspk.ru/AS1A003RTQJV7SPH85OPSMRVK29EOS71?type=01&bank=100000000111&sum=0&cur=RUB",
                standard: "sbp", reference: "AS1A003RTQJV7SPH85OPSMRVK29EOS71"),
        ])
    func read(row: Row) throws {
        let read = ReadText(row.text)
        #expect(read.standard == row.standard, "\(String(describing: read.defect))")
        #expect(read.account == row.payee)
        #expect(read.money == row.money)
        #expect(read.instruction?.memo == row.memo && read.instruction?.reference == row.reference)
        #expect(Set(row.warnings).isSubset(of: read.warnings))
        #expect(read.warnings.contains(.testNetwork) == row.warnings.contains(.testNetwork))
        #expect(read.instruction?.purpose == .payment)
    }

    @Test(
        "Refused, or another page",
        arguments: [
            "https://venmo.com/", "https://venmo.com/?txn=pay&amount=10", "https://venmo.com/pricing",
            "https://venmo.com/?txn=pay&recipients=bob,eve&amount=10", "https://venmo.com/?txn=steal&recipients=bob",
            "https://venmo.com/?txn=pay&recipients=bob&amount=1,5", "https://www.paypal.com/donate",
            "https://www.paypal.com/cgi-bin/webscr?cmd=_login",
            "https://www.paypal.com/cgi-bin/webscr?cmd=_xclick&amount=1",
            "https://www.paypal.com/cgi-bin/webscr?cmd=_xclick&business=a&amount=1&currency_code=XYZ",
            "https://square.link/", "https://square.link/x/1", "https://payconiq.com/", "https://payconiq.com/t/1/",
            "https://payconiq.com/t/1/5A?A=10.50", "https://payconiq.com/t/1/5A?A=1&A=2", "https://qr.nspk.ru/",
            "https://qr.nspk.ru/AS1?sum=100&cur=USD", "https://qr.nspk.ru/AS1?sum=1.5", "http://qr.nspk.ru/AS1",
            "https://qr-mt.vipps.no/x", "https://qr.nspk.ru.evil.example/AS1?sum=1",
        ])
    func refused(text: String) { #expect(ReadText(text).instruction == nil) }

    @Test("A charge and a subscription take money; what else a button counts is not clear")
    func others() {
        #expect(ReadText("https://venmo.com/?txn=charge&recipients=bob&amount=1").instruction?.purpose == .pull)
        let start = "https://www.paypal.com/cgi-bin/webscr?cmd=_xclick"
        #expect(ReadText(start + "-subscriptions&business=a&a3=5").instruction?.purpose == .pull)
        let many = ReadText(start + "&business=a&amount=5&quantity=3&shipping=2").instruction
        #expect(many?.unclear.map(\.name) == ["quantity"] && many?.unread.map(\.name).contains("shipping") == true)
    }
}
