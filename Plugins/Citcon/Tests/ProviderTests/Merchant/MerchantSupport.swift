import CitconKit
import CitconMerchant
import CitconProvider
import CitconSandbox
import Foundation
import PaymentCore
import PaymentCrypto
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

/// A merchant's server and the sandbox that it calls.
typealias MerchantWorld = VendorWorld<CitconSandbox, CitconMerchant>

extension MerchantWorld {
    init(_ configure: (inout CitconSandbox.Configuration) -> Void = { _ in }) throws {
        self = try CitconWorld(seed: 6, configure).serving(
            CitconMerchant(endpoint: try CPayEndpoint(.UAT), privateKey: CitconSandbox.privateKey))
    }

    var merchant: CitconMerchant { service }
    var client: CitconMerchantClient { merchant.client(over: wire, clock: clock) }

    static func order(_ reference: String = "order-1", cents: UInt128 = 1250) throws -> CitconOrder {
        var order = CitconOrder(
            reference: reference, amount: try Money(minorUnits: cents, currency: .usd), country: "US", method: "alipay",
            urls: .init(ipn: "https://shop.example/ipn", success: "https://shop.example/paid"))
        order.clients = ["mobile_browser"]
        return order
    }

    /// A new charge.
    func charge(_ reference: String = "order-1") async throws -> CitconCharge {
        try await client.createCharge(try Self.order(reference))
    }

    /// A charge that the payer has completed on its page.
    func paid(
        _ reference: String = "order-1", _ behaviour: CitconSandbox.Behaviour = .pays, captures: Bool? = nil
    ) async throws -> CitconCharge {
        var order = try Self.order(reference)
        order.autoCapture = captures
        let charge = try await client.createCharge(order)
        let browser = try #require(sandbox.payer(behaviour).browser)
        let page = try #require(charge.pages.first).url.reveal()
        _ = try await browser(PageRequest(url: try HTTPURL(page)))
        return charge
    }

    func posts(_ path: String) -> Int { requests("POST", "/v1/\(path)") }

    /// A router of the payer's provider, with its own journal.
    func phone() async throws -> PaymentRouter {
        try router(of: try Shop.provider(await sandbox.accessToken()), journal: InMemoryJournal(), seed: 8)
    }

    /// Captures an authorised charge, or a part of it.
    func capture(_ charge: CitconCharge, _ amount: Money? = nil) async throws -> PaymentOutcome {
        try await router.capture(CaptureRequest(of: charge.reference, amount: amount ?? charge.amount))
    }

    /// The report of a charge's capture.
    func captured(_ charge: CitconCharge, _ amount: Money? = nil) -> ServiceReport {
        let request = CaptureRequest(of: charge.reference, amount: amount ?? charge.amount)
        return .succeeded(
            PaymentReceipt(reference: request.reference, amount: request.amount, transactionID: charge.id))
    }

    func receipt(_ charge: CitconCharge) -> ServiceReport {
        .succeeded(PaymentReceipt(reference: charge.reference, amount: charge.amount, transactionID: charge.id))
    }
}

extension RecordingTransport {
    var credentials: [(path: String, authorization: String)] {
        requests.map { ($0.url.path, $0.headers["Authorization"] ?? "") }
    }

    /// The paths of POST requests that are said to change nothing at the service.
    var harmless: Set<String> { Set(requests.filter { $0.method == .post && $0.changesNothing }.map(\.url.path)) }

    /// The paths of POST requests that the network was allowed to repeat.
    var repeatable: Set<String> {
        Set(requests.filter { $0.method == .post && $0.replay == .safe }.map(\.url.path))
    }
}

/// Signs notifications.
enum NotificationSigning {
    /// Signs the members that `fields` names; a second implementation of the published rule.
    static func signed(_ json: JSONValue, secret: String) -> JSONValue {
        let names = (json["fields"]?.string ?? "").split(separator: ",").map(String.init) + ["fields"]
        let pairs = names.map { name -> (String, String) in
            switch json[name] {
            case .string(let text)?: (name, text)
            case .number(let number)?: (name, number.text)
            case .bool(let flag)?: (name, flag ? "true" : "false")
            default: (name, "")
            }
        }
        let sorted = pairs.sorted { Array($0.0.utf8).lexicographicallyPrecedes(Array($1.0.utf8)) }
        let text = sorted.map { "\($0.0)=\($0.1)" }.joined(separator: "&") + "&secret=\(secret)"
        var signed = json
        signed["sign"] = .string(Hex.encode(Digest.sha256.hash(Array(text.utf8))))
        return signed
    }
}
