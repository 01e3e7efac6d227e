import PaymentCore
import ServiceSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// The meaning of answers (Protocol 2.1, 2.3, 2.5, 2.6 and 6.1 to 6.3).
@Suite struct ResponseTests {
    private func answer(_ text: String) throws -> CitconService.Answer {
        CitconService.Answer(try Envelope(Array(text.utf8)))
    }

    @Test("A result of the earlier service (layer A)")
    func earlyResult() throws {
        let result = CPayResult(
            try answer(
                #"""
                {"status":"success","app":"citcon_upi","version":"v0.1.1","data":{"object":"charge",
                "id":"8b3ac410a2d911ec8410e9f493c7d3ef","reference":"sdk_digit_1647181572.353276","amount":1,
                "amount_captured":null,"amount_refunded":null,"currency":"USD","time_created":1647181576000,
                "time_captured":null,"auto_capture":false,"status":"succeeded","country":"US",
                "payment":{"method":"paypal"}}}
                """#))
        #expect(result.status == "success" && result.app == "citcon_upi" && result.version == "v0.1.1")
        #expect(result.isPaid && result.data.id == "8b3ac410a2d911ec8410e9f493c7d3ef" && result.data.object == "charge")
        #expect(result.data.amount == 1 && result.data.amountCaptured == 0 && result.data.amountRefunded == 0)
        #expect(result.data.timeCreated == 1_647_181_576_000 && result.data.timeCaptured == 0)
        #expect(result.data.timeAuthorized == 0 && !result.data.autoCapture && result.data.payment?.method == "paypal")
        #expect(result.data.code == nil && result.data.message == nil && result.data.chargeToken == nil)
        #expect(result.data.currency == "USD" && result.data.country == "US")
    }

    @Test("An inquiry of the earlier service, with a blank in its state and an empty time (layer A)")
    func earlyCheck() throws {
        let check = CPayCheck(
            try answer(
                #"""
                {"status":"success","app":"citcon_upi","version":"v0.1.1","data":{"id":"8b3a","object":"charge",
                "amount":1,"currency":"USD","status":" succeeded","time_canceled":"","expiry":null,
                "time_created":1647181576000,"country":"US","reference":"sdk_digit_1","amount_captured":null,
                "amount_refunded":null,"time_captured":null,"auto_capture":false,
                "payment":{"method":"paypal","token":null,"type":"","data":{"pan":"","expiry":""}},
                "exchange":{"amount":null,"currency":null,"rate":null},"captures":{"data":[]},
                "refunds":{"data":[]},"chargebacks":{"data":[]}}}
                """#))
        #expect(check.isPaid && check.data.status == " succeeded" && check.data.timeCanceled == 0)
        #expect(check.data.expiry == nil && check.data.payment?.type == "" && check.data.payment?.token == nil)
        #expect(check.data.payment?.data?.pan == "" && check.data.payment?.data?.expiry == "")
        #expect(check.data.reference == "sdk_digit_1" && check.data.amount == 1)
    }

    @Test(
        "A token comes through whatever stands beside it, and an answer without any means of payment has none",
        arguments: [
            (#"{"token":"t"}"#, "t"), (#"{"method":"card","token":"t"}"#, "t"), (#"{"type":"visa"}"#, nil), ("{}", nil),
        ])
    func means(payment: String, token: String?) throws {
        let check = CPayCheck(try answer(#"{"status":"success","data":{"id":"8b3a","payment":\#(payment)}}"#))
        #expect(check.data.payment?.token == token && (check.data.payment == nil) == (payment == "{}"))
    }

    @Test("A confirmed charge of the current service (layer B)")
    func todaysResult() throws {
        let result = CPayResult(try answer(ScriptedCitcon.Answer.ok(ScriptedCitcon.charge()).text))
        #expect(result.version == "v1.0.0" && !result.isPaid && result.data.status == "initiated")
        #expect(result.data.timeCreated == 1_762_594_912 && result.data.autoCapture)
        #expect(result.data.chargeToken == "62d5" && result.data.amount == 1250)
    }

    static let canceled: [(String, Int)] = [
        ("\"\"", 0), ("null", 0), ("1647181576000", 1_647_181_576_000), ("1647181576", 1_647_181_576),
        ("\"soon\"", 0), ("true", 0), ("[]", 0), ("1.5", 0), ("17.0", 17),
    ]

    @Test("A time of cancellation in every form (Protocol 2.6)", arguments: canceled)
    func timeCanceled(_ text: String, _ expected: Int) throws {
        let fields = TransactionFields(try JSONValue(parsing: #"{"time_canceled":\#(text),"status":"pending"}"#))
        #expect(CPayCheckData(transaction: fields).timeCanceled == expected && fields.state == .pending)
    }

    @Test("An end, a flag and an amount in every form (Protocol 2.4, 2.5, 2.6)")
    func leniency() throws {
        func fields(_ text: String) throws -> TransactionFields { TransactionFields(try JSONValue(parsing: text)) }
        #expect(try fields(#"{"expiry":1700000000}"#).expiry == "1700000000")
        #expect(try fields(#"{"expiry":"12/33"}"#).expiry == "12/33")
        #expect(try fields(#"{"expiry":null}"#).expiry == nil)
        #expect(try fields(#"{"auto_capture":true}"#).autoCapture)
        #expect(try fields(#"{"auto_capture":"TRUE"}"#).autoCapture)
        #expect(try !fields(#"{"auto_capture":"no"}"#).autoCapture)
        #expect(try !fields(#"{"auto_capture":null}"#).autoCapture)
        #expect(try fields(#"{"amount":100.0}"#).amount == 100)
        #expect(try fields(#"{"amount":100.5}"#).amount == nil)
        #expect(try fields(#"{"amount":"100"}"#).amount == nil)
        #expect(try fields(#"{"time_authorized":5}"#).timeAuthorized == 5)
        #expect(try fields(#"{"code":4100}"#).code == "4100")
        #expect(try fields("{}").state == nil)
    }

    static let states: [(String, CPayStatus)] = [
        ("succeeded", .succeeded), (" succeeded", .succeeded), ("success", .succeeded), ("captured", .succeeded),
        ("SUCCEEDED\t\n", .succeeded), ("failed", .failed), ("fail", .failed), ("canceled", .canceled),
        ("cancelled", .canceled), ("voided", .canceled), ("initiated", .initiated), ("authorized", .authorized),
        ("pending", .pending), ("expired", .expired), ("refunded", .unknown("refunded")), ("", .unknown("")),
        (" odd ", .unknown(" odd ")), ("suc ceeded", .unknown("suc ceeded")), ("0", .unknown("0")),
    ]

    @Test("States, however they are spelt (Protocol 6.2, 6.3)", arguments: states)
    func state(_ word: String, _ expected: CPayStatus) {
        let state = CPayStatus(rawValue: word)
        #expect(state == expected)
        #expect(CPayStatus(rawValue: state.rawValue) == state)
        #expect(state.isPaid == [.succeeded, .authorized].contains(expected))
        #expect(
            state.isSettled == [.succeeded, .authorized, .failed, .canceled, .expired].contains(expected))
    }

    static let outcomes: [(String, String)] = [
        ("succeeded", "paid (transaction 2000470537596802752517)"),
        ("authorized", "paid (transaction 2000470537596802752517)"), ("failed", "declined"),
        ("canceled", "cancelled"), ("expired", "expired"), ("initiated", "pending"), ("pending", "pending"),
        ("reversed", "unknown"),
    ]

    @Test("What a state means for the payer (Protocol 6.2)", arguments: outcomes)
    func outcome(_ word: String, _ expected: String) throws {
        let payment = PaymentReference(provider: CitconProvider.id, id: "order-1")
        let fields = TransactionFields(try JSONValue(parsing: ScriptedCitcon.transaction(word)))
        let agreed = try Money(minorUnits: 1250, currency: .usd)
        let outcome = try fields.report(of: payment, over: ChargeTerms(reference: "order-1", agreed: agreed))
        #expect(outcome.description.hasPrefix(expected))
        if case .unknown(let unknown) = outcome { #expect(unknown.rawStatus == word) }
        let bare = try fields.report(of: payment, over: ChargeTerms(reference: "order-1"))
        #expect(bare == outcome)
        if case .succeeded(let receipt) = outcome { #expect(receipt.amount == agreed) }
    }

    @Test("An answer about something else is no outcome")
    func integrity() throws {
        let fields = TransactionFields(try JSONValue(parsing: ScriptedCitcon.transaction()))
        let payment = PaymentReference(provider: CitconProvider.id, id: "order-1")
        #expect(throws: PaymentError.self) { try fields.report(of: payment, over: ChargeTerms(reference: "order-2")) }
        for (units, code) in [(1251, "USD"), (1249, "USD"), (1250, "EUR"), (1250, "JPY")] as [(UInt128, String)] {
            let agreed = try Money(minorUnits: units, currency: .fiat(FiatCurrency(code)))
            let terms = ChargeTerms(reference: "order-1", agreed: agreed)
            #expect { try fields.report(of: payment, over: terms) } throws: { error in
                (error as? PaymentError)?.code == .integrity && (error as? PaymentError)?.phase == .maybeSent
            }
        }
        let terms = ChargeTerms(reference: "order-1")
        var silent = fields
        silent.amount = nil
        #expect(try silent.report(of: payment, over: terms).description.hasPrefix("unknown"), "paid, but how much?")
        silent.status = nil
        #expect(try silent.report(of: payment, over: terms).description.hasPrefix("unknown"))
        silent.reference = nil
        #expect(throws: PaymentError.self) { try silent.report(of: payment, over: terms) }
    }

    static let codes: [(String?, String?, Bool)] = [
        ("0", nil, false), ("-1", nil, false), ("-2", nil, true), ("6001", nil, true), ("-2", "cancelled", true),
        ("-2", "Unexcept Error for Response Data: x", false), ("4000", nil, false), (nil, nil, false),
    ]

    @Test("The two meanings of -2 (Protocol 6.1)", arguments: codes)
    func cancellation(_ code: String?, _ message: String?, _ expected: Bool) {
        #expect(CPayCode.isCancellation(code, message: message) == expected)
    }

    static let defects = [
        "", "not json", "[]", "{}", #"{"status":"success"}"#, #"{"data":{}}"#, #"{"status":1,"data":{}}"#,
        #"{"status":"success","data":[]}"#, #"{"status":"success","data":"paid"}"#,
    ]

    @Test("A body that is no envelope is refused without quoting it (Protocol 2.1)", arguments: defects)
    func defect(_ text: String) {
        #expect { try Envelope(Array(text.utf8)) } throws: { error in
            guard case .unusableAnswer(let text) = error as? CitconCallError else { return false }
            return !text.contains("paid")
        }
    }

    @Test("Results that are made by hand have the vendor's initialisers (Protocol 6.5)")
    func initialisers() {
        let result = CPayResult(status: "fail", code: "-1", message: "m", reference: "r")
        #expect(result.data.id == nil && result.data.reference == "r" && result.data.amount == 0 && !result.isPaid)
        let check: CPayCheckData = CPayCheck(status: "fail", code: "-1", message: "m", id: "i").data
        #expect(check.id == "i" && check.code == "-1")
        let word = CPayResult(status: "success", code: "0", message: nil, reference: "r")
        #expect(!word.isPaid, "without the service's word nothing is paid")
    }

    @Test("No gateway named is Alipay's, and its keys print as nothing (Protocol 2.3)")
    func config() throws {
        let config = GatewayConfig(try JSONValue(parsing: #"{"config":{"client_token":"canary","n":1}}"#))
        #expect(config.gateway == "alipay" && config.keys.reveal() == ["client_token": "canary"])
        #expect(!"\(config)".contains("canary"))
    }

    @Test("Refusals by code, and by HTTP status (Protocol 2.9)")
    func refusals() {
        func refusal(_ status: Int, _ code: String?) -> CitconErrorResponse {
            let body = code.map { #"{"status":"fail","data":{"code":"\#($0)","message":"secret text"}}"# } ?? "<html>"
            let response = HTTPResponse(status: status, body: Array(body.utf8))
            return CitconErrorResponse(response, try? Envelope(response.body))
        }
        func paymentError(_ error: CitconCallError, isMutation: Bool) -> PaymentError {
            ErrorTable.citcon.paymentError(from: error, isMutation: isMutation, at: CitconProvider.id)
        }
        let table: [(Int, String?, PaymentError.Code, PaymentError.Phase)] = [
            (400, "4000", .requestRefused, .maybeSent), (401, "4010", .unauthorized, .answered),
            (400, "4100", .requestRefused, .maybeSent), (500, "4101", .serviceFailure, .maybeSent),
            (400, "4102", .requestRefused, .answered), (404, "4103", .notFound, .maybeSent),
            (508, "4105", .serviceFailure, .maybeSent), (508, "4106", .serviceFailure, .maybeSent),
            (508, "4107", .serviceFailure, .maybeSent), (406, "4202", .requestRefused, .maybeSent),
            (406, "4208", .requestRefused, .maybeSent), (500, "5100", .serviceFailure, .maybeSent),
            (500, "5200", .unsupported, .maybeSent), (408, nil, .requestRefused, .maybeSent),
            (422, "9999", .requestRefused, .maybeSent), (403, nil, .unauthorized, .answered),
            (429, nil, .rateLimited, .maybeSent), (303, nil, .invalidResponse, .maybeSent),
            (503, nil, .serviceFailure, .maybeSent), (401, nil, .unauthorized, .answered),
            (404, nil, .notFound, .maybeSent),
            (400, nil, .requestRefused, .maybeSent), (415, nil, .requestRefused, .answered),
            (200, "4000", .requestRefused, .maybeSent),
        ]
        for (status, code, expected, phase) in table {
            let error = paymentError(.refused(refusal(status, code)), isMutation: true)
            #expect(error.code == expected && error.phase == phase, "\(status) \(code ?? "-")")
            #expect(!error.message.contains("secret"))
            let question = paymentError(.refused(refusal(status, code)), isMutation: false)
            #expect(question.phase == .answered)
        }
    }
}

extension ScriptedCitcon.Answer {
    var text: String { if case .json(_, let text) = self { text } else { "" } }
}
