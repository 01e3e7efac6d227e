import Foundation
import PaymentCore
import PaymentTesting
import Testing

@testable import PaymentRouting

/// The texts that are sealed. A seal is compared years later: these texts never change.
@Suite("Texts that are sealed")
struct SealEncodingTests {
    private let reference = PaymentReference(provider: "acme", id: "p1")

    @Test("A date is its exact number of seconds")
    func dates() {
        #expect(SealEncoding.date(Date(timeIntervalSinceReferenceDate: 1.5)) == "3ff8000000000000")
        #expect(SealEncoding.date(Date(timeIntervalSinceReferenceDate: -1)) == "bff0000000000000")
    }

    @Test("An option is sealed with everything that it is")
    func options() throws {
        let plain = PaymentMethodOption(id: "card", title: "Card", amount: .cents(1000))
        #expect(
            try SealEncoding.option(plain)
                == #"{"amount":{"currency":"iso4217/EUR","exponent":2,"minorUnits":"1000"},"id":"card","needs":[],"title":"Card","unmet":[]}"#
        )
        var full = PaymentMethodOption(
            id: "usdc", title: "USDC", amount: .cents(7), isEstimate: true,
            account: try AccountID("eip155:1:0x00"),
            needs: [
                .signing(method: "eth_sign"), .data, .page, .app(name: "Pay"), .code,
                .settlement(.bolt11, network: nil),
                .settlement(.bolt11, network: "testnet"),
            ], expiresAt: Date(timeIntervalSinceReferenceDate: 2), providerData: ["k": 1])
        full.unmet = [.page]
        #expect(
            try SealEncoding.option(full)
                == #"{"account":"eip155:1:0x00","amount":{"currency":"iso4217/EUR","exponent":2,"minorUnits":"7"},"estimate":true,"expiresAt":2.0,"id":"usdc","needs":[{"signing":{"method":"eth_sign"}},{"data":{}},{"page":{}},{"app":{"name":"Pay"}},{"code":{}},{"settlement":{"kind":"bolt11","network":null}},{"settlement":{"kind":"bolt11","network":"testnet"}}],"providerData":{"k":1},"title":"USDC","unmet":[{"page":{}}]}"#
        )
    }

    @Test("A step is sealed with its name, kind, result, and whether a failed one was sent")
    func steps() throws {
        for (event, texts) in [
            (.stepStarted(name: "send", kind: .walletTransfer), ["started", "send", "wallet-transfer"]),
            (.stepFinished(name: "send", result: ["a": [1, true]]), ["finished", "send", #"{"a":[1,true]}"#]),
            (.stepFailed(name: "send", reason: "no", wasSent: true), ["failed", "send", "no"]),
            (.stepFailed(name: "send", reason: "no", wasSent: false), ["unsent", "send", "no"]),
            (.abandoned(reason: "no"), ["abandoned", "", "no"]),
        ] as [(JournalEntry.Event, [String])] {
            #expect(try SealEncoding.event(event) == texts)
        }
    }

    @Test("An outcome is sealed with everything that it says")
    func outcomes() throws {
        let receipt = PaymentReceipt(
            reference: PaymentReference(provider: "acme", id: "r1", subject: .refund(of: "p1")), amount: .cents(1),
            transactionID: "t", decision: "d")
        for (report, text) in [
            (
                .succeeded(PaymentReceipt(reference: reference)),
                #"{"succeeded":{"_0":{"reference":["acme","payment","p1"]}}}"#
            ),
            (
                .succeeded(receipt),
                #"{"succeeded":{"_0":{"amount":{"currency":"iso4217/EUR","exponent":2,"minorUnits":"1"},"decision":"d","reference":["acme","refund of p1","r1"],"transactionID":"t"}}}"#
            ),
            (.declined(DeclineReason(.refused, "no")), #"{"declined":{"_0":{"code":"refused","message":"no"}}}"#),
            (.cancelled, #"{"cancelled":{}}"#), (.expired, #"{"expired":{}}"#),
            (.pending(retryAfter: nil), #"{"pending":{}}"#),
            (.pending(retryAfter: .milliseconds(1500)), #"{"pending":{"retryAfter":1.5}}"#),
            (
                .unknown(UnknownOutcome(reference: reference, rawStatus: "odd", message: "m")),
                #"{"unknown":{"_0":{"message":"m","rawStatus":"odd","reference":["acme","payment","p1"]}}}"#
            ),
            (
                .unknown(UnknownOutcome(reference: reference, message: "m")),
                #"{"unknown":{"_0":{"message":"m","reference":["acme","payment","p1"]}}}"#
            ),
        ] as [(ServiceReport, String)] {
            #expect(try SealEncoding.event(.outcome(PaymentOutcome(stating: report))) == ["outcome", "", text])
        }
    }
}
