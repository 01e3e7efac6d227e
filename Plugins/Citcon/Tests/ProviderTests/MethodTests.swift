import CitconMerchant
import CitconSandbox
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// The 47 methods of the public interface (Protocol 3.1).
@Suite struct MethodTests {
    private static let app = "com.citcon.citconpay"

    /// A charge of a merchant's server.
    private func charge(_ world: MerchantWorld, _ method: String) async throws -> CitconCharge {
        var order = try MerchantWorld.order("order-\(method)")
        order.method = method
        order.clients = []
        order.autoCapture = true
        order.urls = .init(success: "\(Self.app)://", fail: "\(Self.app)://", cancel: "\(Self.app)://")
        return try await world.client.createCharge(order)
    }

    @Test("Each is paid through the vendor's client, once", arguments: CitconSandbox.documentedMethods)
    func client(_ method: String) async throws {
        let world = try MerchantWorld()
        let charge = try await charge(world, method)
        let client = try CPayClient(
            world.wire, clock: world.clock, launcher: world.sandbox.payer().citconLauncher, returnTimeout: .seconds(60),
            token: await world.sandbox.accessToken().reveal())
        let order = Shop.order(
            method, reference: charge.reference.id, token: try #require(charge.token).reveal())
        // Klarna's view is not started here, so a page is requested.
        if method == "klarna" { order.payment?.client = ["mobile_browser"] }
        let result = await client.requestOrder(order)
        #expect(result.isPaid && result.data.id == charge.id, "\(result)")
        #expect(await world.sandbox.ledger.captures(of: charge.id) == 1)
        #expect(await world.sandbox.ledger.confirmRequests(of: charge.id) == 1)
    }

    @Test("Each is paid through the router, once", arguments: CitconSandbox.documentedMethods)
    func router(_ method: String) async throws {
        let world = try MerchantWorld()
        let charge = try await charge(world, method)
        let link = try #require(try charge.link(in: .UAT)).text.reveal()
        let outcome = try await world.phone().pay(link, as: world.sandbox.payer())
        let receipt = try #require(outcome.receipt)
        #expect(receipt.amount == charge.amount && receipt.transactionID == charge.id)
        #expect(await world.sandbox.ledger.captures(of: charge.id) == 1)
        #expect(await world.sandbox.ledger.confirmRequests(of: charge.id) == 1)
    }

    /// The first two columns of the table in section 3.1 of `Protocol.md`: the description, and the ids of its methods.
    private static func table() throws -> [(words: String, ids: [String])] {
        let file = Vectors.root.appending(path: "Plugins/Citcon/Provider/CitconProvider.docc/Protocol.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let section = try #require(text.components(separatedBy: "### 3.1 ").last?.components(separatedBy: "### ").first)
        let rows = section.split(separator: "\n").drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }.dropFirst(2)
        return rows.map { row in
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return (cells[0], cells[1].matches(of: /`([^`]+)`/).map { String($0.output.1) })
        }
    }

    @Test("The table of the protocol has the 47, each once, and the sandbox serves just these")
    func documentation() throws {
        let ids = try Self.table().flatMap(\.ids)
        #expect(ids.count == 47 && Set(ids).count == 47)
        #expect(Set(ids) == Set(CitconSandbox.documentedMethods) && CitconSandbox.documentedMethods.count == 47)
    }

    @Test("Each has a name for people")
    func titles() {
        for id in CitconSandbox.documentedMethods {
            let title = Methods.title(of: id)
            #expect(title != id && title.first?.isUppercase == true, "\(id)")
        }
    }

    @Test("The sandbox names every gateway of the table, and a method takes it")
    func gateways() async throws {
        let world = try MerchantWorld()
        let service = CitconService(
            baseURL: try CPayEndpoint(.UAT).baseURL, token: await world.sandbox.accessToken(), http: world.wire,
            timeout: .seconds(1))
        for (words, ids) in try Self.table() {
            for id in ids {
                let gateway = try await service.config(method: id, consumer: nil).gateway
                #expect(words.contains(gateway), "\(id): \(gateway) is not in '\(words)'")
                #expect(CPayGateways.standard.handler(of: gateway) != nil, "\(id): \(gateway)")
            }
        }
    }
}
