import Foundation
import PaymentCore
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

@Suite("Secrets print as nothing")
struct RedactionTests {
    @Test("Init data, sessions, cards, accounts, tokens")
    func values() throws {
        let card = try CardDetails(
            number: Canary.pan, expiryMonth: "12", expiryYear: "2040", securityCode: Canary.securityCode,
            holderName: "Ada Canary", now: YearAndMonth(year: 2026, month: 11))
        let token = try ApplePayToken(
            paymentData: Array(#"{"data":"apple-canary"}"#.utf8), displayName: "Visa", network: "Visa", type: .credit,
            transactionIdentifier: "transaction-canary")
        let session = try PayrailsSession.scripted(ScriptedService([:]))
        let values: [Any] = [
            Sample.initData(), Payrails.Configuration(initData: Sample.initData()), session, session.payload,
            PayrailsAPI(session.payload, http: session.transport, random: session.random),
            card, token, StoredPayPalInstrument(id: "i", email: Canary.email),
            session.storedInstruments(for: .payPal), SessionLink.link(to: Sample.initData()), PayrailsProvider(),
        ]
        for value in values {
            let text = shown(value)
            for secret in [
                Canary.token, Canary.pan, Canary.email, "Ada Canary", "apple-canary", "transaction-canary",
                Sample.initData().data, "\"\(Canary.securityCode)\"",
            ] {
                #expect(!text.contains(secret), "\(type(of: value))")
            }
        }
    }

    @Test("Errors of every kind")
    func errors() async throws {
        struct Foreign: Error { let secret = Canary.token }
        let body = #"{"errors":[{"code":"\#(Canary.token) x","detail":"\#(Canary.pan)","reason":{"result":"a b"}}]}"#
        for answer in [
            Answer.bytes(Array(body.utf8), 500), .bytes(Array(body.utf8), 422), .bytes(Array(Canary.token.utf8), 200),
            .fail(.maybeSent, .connectionLost("reset")),
        ] {
            let result = try await ScriptedService([.authorize: [answer]]).pay()
            let text = shown(result) + (result.authorizationFailure?.message ?? "")
            #expect(!text.contains(Canary.token) && !text.contains(Canary.pan))
        }
        #expect(PayrailsError.unknown(error: Foreign()).description == "The payment failed: Foreign")
        #expect(!PayrailsError.longPollingFailed(underlyingError: Foreign()).description.contains(Canary.token))
    }

    @Test("The vendor's cases have texts for people")
    func descriptions() {
        for (error, part) in [
            (PayrailsError.authenticationError, "start a new session"), (.sdkNotInitialized, "createSession"),
            (.missingData("x"), "missing: x"), (.missingData(nil), "an unknown field"), (.invalidDataFormat, "base64"),
            (.invalidCardData, "card"), (.unknown(error: nil), "failed"), (.unsupportedPayment(type: .card), "card"),
            (.incorrectPaymentSetup(type: .payPal), "payPal"), (.pollingFailed("p"), "begin: p"),
            (.failedToDerivePaymentStatus("d"), "read: d"), (.finalStatusNotFoundAfterLongPoll("f"), "yet: f"),
            (.longPollingFailed(underlyingError: nil), "Waiting"), (.paymentPending, "in progress"),
        ] {
            #expect(error.description.contains(part) && error.errorDescription == error.description)
        }
    }

    @Test("What the vendor's later releases report (Protocol 2.7)")
    func failures() {
        #expect(OnPayResult.success.authorizationFailure == nil && OnPayResult.pending.authorizationFailure == nil)
        for (result, code) in [
            (OnPayResult.failure(.declined("FraudRisk")), AuthorizationFailureReason.authorizationError),
            (.authorizationFailed(.authentication), .authenticationError), (.cancelledByUser, .userCancelled),
            (.error(.invalidDataFormat), .unknownError),
        ] {
            #expect(result.authorizationFailure?.code == code)
        }
        #expect(OnPayResult.failure(.declined("FraudRisk")).authorizationFailure?.message == "FraudRisk")
        #expect(AuthorizationFailureReason.userCancelled.rawValue == "USER_CANCELLED")
    }

    @Test("Init data are Codable, as the merchant's server answers them")
    func codable() throws {
        let data = Sample.initData()
        let encoded = try JSONEncoder().encode(data)
        #expect(try JSONDecoder().decode(Payrails.InitData.self, from: encoded) == data)
        #expect(try JSONValue(parsing: Array(encoded)).decode(Payrails.InitData.self) == data)
    }
}
