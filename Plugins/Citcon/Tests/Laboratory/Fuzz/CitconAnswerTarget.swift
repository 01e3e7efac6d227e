import CitconKit
import CitconProvider
import Foundation
import FuzzModel
import PaymentCore
import Synchronization

/// Answers of Citcon's service to an app, to inquiries and to confirmations.
struct CitconAnswerTarget: FuzzTarget {
    static let name = "Citcon's answers"
    static let share = 8
    /// A stand-in for a card's number.
    private static let canary = "4111111111111111"

    let corpus = Corpus(
        [
            #"{"status":"success","app":"citcon_upi","version":"v1.0.0","data":{"object":"charge","charge_token":"t","id":"2000470537596802752517","reference":"order-1","amount":1250,"currency":"USD","time_created":1762594912,"time_captured":null,"auto_capture":true,"status":"initiated","country":"US","payment":{"method":"wechatpay","client":[{"client":"mobile_native","format":"json","method":"GET","content":"{\"appid\":\"wxeb0650d489d69e14\",\"partnerid\":\"1\",\"prepayid\":\"2\",\"noncestr\":\"3\",\"timestamp\":\"4\",\"package\":\"Sign=WXPay\",\"sign\":\"5\"}"}]}}}"#,
            #"{"status":"success","app":"citcon_upi","version":"v0.1.1","data":{"id":"8b3ac410a2d911ec8410e9f493c7d3ef","object":"charge","amount":1250,"currency":"USD","status":" succeeded","time_canceled":"","expiry":null,"reference":"order-1","payment":{"method":"paypal","token":null,"type":"","data":{"pan":"4111111111111111","expiry":"12/33"}}}}"#,
            #"{"status":"success","data":{"id":"1","reference":"order-1","status":"authorized","payment":{"client":[{"client":"mobile_native","format":"redirect","content":"https://landing.citconpay.com/v1/landing/1"}]}}}"#,
            #"{"status":"success","data":{"id":"1","reference":"order-1","status":"pending","payment":{"client":[{"format":"json","content":"{\"orderSpec\":\"a=1\",\"signedString\":\"b\"}"}]}}}"#,
            #"{"status":"success","data":{"id":"1","reference":"order-1","status":"initiated","payment":{"client":[{"format":"json","content":"{\"tn\":\"123\"}"},{"format":"qr","content":"00020101"}]}}}"#,
            #"{"status":"fail","app":"citcon_upi","version":"v1.0.0","data":{"code":"4100","message":"duplicate request"}}"#,
            #"{"status":" Success ","data":{"status":"CAPTURED","reference":"order-1","amount":1250.0,"currency":"USD"}}"#,
        ],
        pieces: [
            "{", "}", "[", "]", "\"", ":", ",", "\\\"", "null", "true", "0", "1250", "125000", "-1", "1e400",
            "99999999999999999999",
            "\"status\":\"succeeded\"", "\"status\":\"success\"", "\"status\":\"fail\"", "\"status\":null", "succeeded",
            "captured", "authorized", "expired", "voided", " ", "\"data\":{", "\"data\":null",
            "\"reference\":\"order-2\"",
            "\"amount\":7", "\"currency\":\"KWD\"", "\"format\":\"redirect\"", "\"format\":\"qr\"",
            "http://evil.example/",
            "javascript:alert(1)", "https://evil.example/", "file:///etc", "http://127.0.0.1:1/", "mobile_native",
            "\u{0}", "é",
        ])
    private(set) var counts: [String: Int] = [:]
    private let gateways = [
        "wechatpay", "alipay", "upop", "toss", "fomo", "xendit", "braintree", "cashapp", "klarna",
    ]
    private let endpoint: CitconEndpoint
    private let provider: CitconProvider
    private let link: PaymentLink
    private let agreed: Money
    private let terms: JSONValue

    init() throws {
        endpoint = try CitconEndpoint(.UAT)
        agreed = try Money(minorUnits: 1250, currency: .usd)
        provider = CitconProvider(
            configuration: CitconConfiguration(
                endpoint: endpoint, accessToken: Redacted("token"),
                application: .init(scheme: "com.citcon.citconpay", universalLink: "https://app.example/"),
                settlementTimeout: .zero))
        link = try PaymentLink(
            "citcon:charge?token=t&method=card&reference=order-1&amount=1250&currency=USD&country=US&env=uat")
        terms = try JSONValue.encode(OrderTerms(Redacted("t")))
    }

    mutating func violation(_ input: [UInt8]) -> String? {
        let isPaid = Self.isPaid(input)
        return wrongCheck(input, isPaid) ?? wrongStatus(input, isPaid) ?? wrongConfirmation(input)
    }

    /// A second reading: true if the answer states in both places that it is paid.
    private static func isPaid(_ input: [UInt8]) -> (isPaid: Bool, isOurs: Bool) {
        guard let json = try? JSONValue(parsing: input), let status = json["status"]?.string,
            let word = json["data"]?["status"]?.string
        else { return (false, false) }
        let isPaid =
            ["success", "succeeded", "captured"].contains(status.trimmed.lowercased())
            && ["success", "succeeded", "captured", "authorized"].contains(word.trimmed.lowercased())
        return (isPaid, json["data"]?["reference"]?.string == "order-1")
    }

    /// The vendor's client.
    private mutating func wrongCheck(_ input: [UInt8], _ truth: (isPaid: Bool, isOurs: Bool)) -> String? {
        let endpoint = endpoint
        let check = Surroundings.wait { () -> (isPaid: Bool, text: String) in
            let client = CPayClient(
                configuration: CPayClientConfiguration(
                    endpoint: endpoint, accessToken: Redacted("token")),
                transport: Surroundings.Service { _ in HTTPResponse(status: 200, body: input) },
                clock: Surroundings.Clock())
            let check = await client.inquireOrder("1")
            var text = "\(check) \(check.data)"
            dump(check, to: &text)
            return (check.isPaid, text)
        }
        guard let check else { return "no result" }
        counts[check.isPaid ? "paid" : "not paid", default: 0] += 1
        if check.isPaid != truth.isPaid { return "the client calls \(check.isPaid ? "paid" : "open") what is not" }
        return Self.isShown(in: check.text, input) ? "a card's number is shown" : nil
    }

    /// True if `text` shows the card number of `input` from the `pan` member, and `input` has it nowhere else.
    private static func isShown(in text: String, _ input: [UInt8]) -> Bool {
        guard text.contains(canary), var json = try? JSONValue(parsing: input) else { return false }
        json["data"]?["payment"]?["data"]?["pan"] = nil
        return !json.text.contains(canary)
    }

    private mutating func wrongStatus(_ input: [UInt8], _ truth: (isPaid: Bool, isOurs: Bool)) -> String? {
        let provider = provider
        let reference = PaymentReference(provider: CitconProvider.id, id: "order-1")
        let outcome = Surroundings.wait { () -> Result<ServiceReport, any Error> in
            let context = Surroundings.context { _ in HTTPResponse(status: 200, body: input) }
            do { return .success(try await provider.status(of: reference, in: context)) } catch {
                return .failure(error)
            }
        }
        switch outcome {
        case .success(let outcome)?:
            if outcome.isSuccess, !truth.isPaid || !truth.isOurs { return "the provider calls paid what is not" }
            return Self.isShown(in: "\(outcome)", input) ? "a card's number is in an outcome" : nil
        case .failure(let error)?:
            if Self.isShown(in: "\(error)", input) { return "a card's number is in an error" }
            return error is PaymentError ? nil : "a foreign error"
        case nil: return "no result"
        }
    }

    /// A confirmation may start something, but only the later inquiry states a payment; here it states that the charge
    /// still waits.
    private mutating func wrongConfirmation(_ input: [UInt8]) -> String? {
        let (provider, link, agreed, terms) = (provider, link, agreed, terms)
        let gateway = gateways[input.count % gateways.count]
        let opened = Opened()
        let outcome = Surroundings.wait { () -> ServiceReport? in
            let payer = Payer(
                browser: { page in
                    opened.note(
                        page.url.isSecure && !page.url.isLoopback ? nil : "a page that is readable on the way, or local"
                    )
                    return nil
                },
                appLauncher: { app in
                    if let url = app.url?.reveal(), (try? PaymentLink(url)).flatMap({ CitconWalletURL($0) }) == nil {
                        opened.note("an app by something else than a wallet's URL")
                    } else {
                        opened.note(nil)
                    }
                    return nil
                }, codeDisplay: { _ in opened.note(nil) }, policy: .firstWhateverItCosts)
            let context = Surroundings.context(link: link, payer: payer) { request in
                switch request.url.path {
                case "/v1/config":
                    return Surroundings.answer(#"{"status":"success","data":{"gateway":"\#(gateway)"}}"#)
                case "/v1/charges/t": return HTTPResponse(status: 200, body: input)
                default:
                    return Surroundings.answer(
                        #"{"status":"success","data":{"reference":"order-1","amount":1250,"currency":"USD","#
                            + #""status":"initiated"}}"#)
                }
            }
            let option = PaymentMethodOption(id: "card", title: "Card", amount: agreed, providerData: terms)
            let attempt = PaymentAttempt(
                id: AttemptID(rawValue: "att_1"),
                reference: PaymentReference(provider: CitconProvider.id, id: "order-1"), option: option,
                idempotencyKey: "k", startedAt: Date(timeIntervalSince1970: 1_800_000_000), expiresAt: nil)
            return try? await provider.pay(attempt, in: context)
        }
        if opened.count > 0 { counts["something was opened", default: 0] += 1 }
        if let problem = opened.problem { return "opens \(problem)" }
        guard let outcome = outcome ?? nil else { return nil }
        return outcome.isSuccess ? "a confirmation alone counts as a payment" : nil
    }

    private final class Opened: Sendable {
        private let state = Mutex<(count: Int, problem: String?)>((0, nil))

        var count: Int { state.withLock(\.count) }
        var problem: String? { state.withLock(\.problem) }

        func note(_ problem: String?) {
            state.withLock { state in
                state.count += 1
                state.problem = state.problem ?? problem
            }
        }
    }
}
