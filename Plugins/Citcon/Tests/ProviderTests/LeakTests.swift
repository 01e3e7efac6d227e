import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// Charge tokens, access tokens and consent: no message, store, error, dump or mirror holds them, whatever the service
/// repeats.
@Suite struct LeakTests {
    private static let chargeToken = "62d5c1e0242011eda300f59379b812ce"
    private static let accessToken = "UPI_eyJhbGciOiJIUzI1NiJ9.canary"
    private static let nonce = "nonce-canary-7391"
    private static let pan = "378282246310005"
    private static let secrets = [chargeToken, accessToken, nonce, pan]

    private static func check(_ text: String, _ place: String, for secrets: [String] = secrets) {
        for secret in secrets where text.contains(secret) {
            let at = text.range(of: secret)?.lowerBound ?? text.startIndex
            Issue.record("\(place) holds \(secret.prefix(4))…: \(text[..<at].suffix(60))")
        }
    }

    /// The members of an answer, each of which repeats every value of the request.
    static let members = [
        "code", "message", "id", "object", "reference", "currency", "country", "status", "expiry", "gateway",
    ]

    private static func echo(_ data: String, _ member: String) -> String {
        var json = (try? JSONValue(parsing: data)) ?? [:]
        json[member] = .string("x " + secrets.joined(separator: " "))
        return json.text
    }

    /// Services whose `member` of the answer to one call repeats every secret.
    private static func services(_ member: String) -> [ScriptedCitcon] {
        let failure = #"{"code":"4000","message":"bad request"}"#
        @Sendable func answer(_ call: String, _ isEcho: Bool, _ data: String) -> ScriptedCitcon.Answer {
            .ok(isEcho ? echo(data, member) : data)
        }
        var services: [ScriptedCitcon] = []
        for gateway in ["wechatpay", "braintree", "toss"] {
            for call in ["POST config", "POST charges", "GET"] {
                let charge =
                    gateway == "toss"
                    ? ScriptedCitcon.charge("https://x.example/", format: "redirect")
                    : ScriptedCitcon.charge("", status: "succeeded")
                let plain = gateway == "wechatpay" ? ScriptedCitcon.charge() : charge
                services.append(
                    ScriptedCitcon { seen, count in
                        let isMeant = seen.hasPrefix(call)
                        if seen == "POST config" {
                            return answer(seen, isMeant, #"{"gateway":"\#(gateway)","config":{}}"#)
                        }
                        if seen.hasPrefix("POST") { return answer(seen, isMeant, plain) }
                        return answer(
                            seen, isMeant,
                            ScriptedCitcon.transaction(count == 0 && gateway == "braintree" ? "initiated" : "odd"))
                    })
                services.append(
                    ScriptedCitcon { seen, _ in
                        if seen.hasPrefix(call) {
                            return .json(400, #"{"status":"fail","data":\#(echo(failure, member))}"#)
                        }
                        if seen == "POST config" { return .ok(#"{"gateway":"\#(gateway)","config":{}}"#) }
                        return .ok(seen.hasPrefix("POST") ? plain : ScriptedCitcon.transaction("initiated"))
                    })
            }
        }
        services.append(ScriptedCitcon { _, _ in .json(500, secrets.joined(separator: "<br>")) })
        services.append(ScriptedCitcon { _, _ in .json(200, #"{"\#(secrets[0])":"\#(secrets[1])"}"#) })
        return services
    }

    private static func order(_ gateway: Int) -> CPayRequest {
        let order = Shop.order(gateway == 1 ? "card" : "wechatpay", token: chargeToken)
        order.payment?.nonce = nonce
        order.payment?.data = CPayPaymentData()
        order.payment?.data?.pan = pan
        return order
    }

    @Test("Results, checks, events and errors of the vendor's client", arguments: members)
    func client(_ member: String) async throws {
        for (index, service) in Self.services(member).enumerated() {
            let said = Mutex<[String]>([])
            let configuration = CPayClientConfiguration(
                endpoint: try CPayEndpoint(.UAT), accessToken: Redacted(Self.accessToken), places: Shop.places)
            Self.check(shown(configuration), "the configuration")
            let client = CPayClient(
                configuration: configuration, transport: service,
                launcher: { launch in
                    said.withLock { $0.append(shown(launch)) }
                    return .returned(url: "\(Shop.scheme)://?charge_token=\(Self.chargeToken)&reference=\(Self.nonce)")
                }, observer: { event in said.withLock { $0.append(shown(event)) } })
            let order = Self.order(index % 3)
            Self.check(shown(order) + shown(client) + shown(Order(order)), "the order or the client")
            let task = Task { await client.requestOrder(order) }
            while !task.isCancelled, client.pendingReferences.isEmpty, service.calls.isEmpty { await Task.yield() }
            let ended = Task {
                while !Task.isCancelled {
                    client.cancelPending()
                    await Task.yield()
                }
            }
            let result = await task.value
            ended.cancel()
            Self.check(shown(result) + shown(result.data), "\(member): a result")
            for value in [
                result.data.code, result.data.message, result.data.id, result.data.reference, result.data.status,
                result.data.currency, result.data.country, result.data.object,
            ] { Self.check(value ?? "", "\(member): a result's member") }
            for check in [await client.inquireOrder("1"), await client.inquireOrder(reference: "order-1")] {
                Self.check(
                    shown(check) + shown(check.data), "\(member): a check",
                    for: [Self.chargeToken, Self.accessToken])
                // A plain inquiry belongs to no order.
                #expect(check.data.message?.contains(Self.accessToken) != true, "\(member)")
            }
            for text in said.withLock({ $0 }) { Self.check(text, "\(member): an event") }
        }
    }

    @Test("Outcomes, errors, logs and journals of a router", arguments: members)
    func router(_ member: String) async throws {
        for method in ["wechatpay", "venmo", "toss"] {
            let link = LinkTests.good.replacing("wechatpay", with: method)
            for service in Self.services(member) {
                let said = Mutex<[String]>([])
                let journal = InMemoryJournal()
                let provider = try Shop.provider(Redacted(Self.accessToken))
                Self.check(shown(provider), "the provider")
                let router = try PaymentRouter(
                    provider, over: service, journal: journal,
                    log: PaymentLog { event in said.withLock { $0.append(shown(event)) } })
                let nonce = Self.nonce
                let back =
                    "\(Shop.scheme).payments://x-callback-url/vzero/auth/venmo/success?paymentMethodNonce=\(nonce)"
                let payer = Payer(
                    browser: { _ in nil }, appLauncher: { _ in try PaymentLink(back) }, policy: .firstWhateverItCosts)
                var texts = ""
                do { texts += shown(try await router.pay(link, as: payer)) } catch { texts += shown(error) }
                for url in [
                    "\(Shop.scheme)://?charge_token=\(Self.chargeToken)", "\(Shop.scheme)://?reference=\(nonce)",
                ] {
                    do { texts += shown(try await router.handle(url) as Any) } catch { texts += shown(error) }
                }
                for reference in ["uat/order-1", "order-1"] {
                    let payment = PaymentReference(provider: CitconProvider.id, id: reference)
                    do { texts += shown(try await router.status(of: payment)) } catch {
                        texts += shown(error)
                    }
                    for history in await journal.histories(of: payment) {
                        texts += try JSONValue.encode(history.attempt).text + JSONValue.encode(history.entries).text
                    }
                }
                do {
                    for report in try await router.recover(as: Payer()) { texts += shown(report) }
                } catch { texts += shown(error) }
                // Consent that was never sent is not a secret of this payment.
                let isSent = service.seen.contains { $0.body?["payment"]?["nonce"] != nil }
                let sent = [Self.chargeToken, Self.accessToken] + (isSent && member != "gateway" ? [Self.nonce] : [])
                Self.check(texts + said.withLock { $0.joined() }, "\(member) \(method)", for: sent)
            }
        }
    }

    @Test("What a link is refused for never quotes it")
    func links() throws {
        for (old, new) in [
            ("env=uat", "env=\(Self.chargeToken)"), ("method=wechatpay", "method=\(Self.chargeToken)%20"),
            ("country=US", "\(Self.chargeToken)=US"), ("amount=1250", "amount=\(Self.chargeToken)"),
            ("token=", "token=%zz"), ("token=", "token=x&token="), ("&env=uat", "#\(Self.chargeToken)"),
            ("reference=order-1", "reference=a%2F\(Self.chargeToken)"),
        ] {
            let link = try PaymentLink(LinkTests.good.replacing(old, with: new))
            do {
                _ = try CitconOrderLink(link)
                Issue.record("\(new)")
            } catch { Self.check(shown(error), new) }
            let provider = CitconProvider(
                configuration: CitconConfiguration(endpoint: try CPayEndpoint(.UAT), accessToken: Redacted("t")))
            Self.check(shown(provider.recognize(link) as Any), new)
        }
        let good = try CitconOrderLink(PaymentLink(LinkTests.good))
        Self.check(shown(good) + shown(good.text) + shown(good.token), "a good link")
    }
}
