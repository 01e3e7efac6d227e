import PaymentCore
import PaymentRouting
import Testing

/// The pages to which a service may send the payer.
@Suite("Pages that a service leads the payer to")
struct ServicePageTests {
    private static func opens(_ page: String, by way: String, for hosts: [String]) async throws -> (Int, (any Error)?) {
        let opened = Tally()
        var world = World()
        world.provider.descriptor = ProviderDescriptor(
            id: "acme", name: "Acme", patterns: [.host("pay.acme.example")], outboundHosts: hosts)
        world.provider.payBody = { attempt, context in
            let url = try HTTPURL(page)
            switch way {
            case "browser": _ = try await context.payer.browser?(PageRequest(url: url))
            case "app": _ = try await context.payer.appLauncher?(AppRequest(name: "A", url: Redacted(page)))
            default: _ = try await context.payer.dataCollector?(DataRequest(fields: [], formURL: url))
            }
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        var payer = Payer(
            dataCollector: { _ in
                opened.count("page")
                return [:]
            },
            browser: { _ in
                opened.count("page")
                return nil
            },
            appLauncher: { _ in
                opened.count("page")
                return nil
            })
        payer.policy = .firstWhateverItCosts
        do {
            _ = try await world.router.pay(ScriptedProvider.link, as: payer)
            return (opened["page"], nil)
        } catch {
            return (opened["page"], error)
        }
    }

    @Test(
        "A page on this machine is opened for a service on this machine only",
        arguments: ["browser", "app", "form"],
        ["http://127.0.0.1:8080/x", "https://localhost/x", "http://[::1]/x", "http://127.8.8.8/"])
    func loopback(way: String, page: String) async throws {
        let (count, error) = try await Self.opens(page, by: way, for: ["api.acme.example", ".acme.example"])
        #expect(count == 0)
        let refusal = try #require(error as? PaymentError)
        #expect(refusal.message.contains("on this machine"))
        #expect(try await Self.opens(page, by: way, for: ["127.0.0.1:4000"]).0 == 1)
    }

    @Test("A page elsewhere has to be encrypted", arguments: ["browser", "app", "form"])
    func plain(way: String) async throws {
        let (count, error) = try await Self.opens("http://bank.example/3ds", by: way, for: ["127.0.0.1:4000"])
        #expect(count == 0)
        #expect((error as? PaymentError)?.message.contains("http://bank.example") == true)
        #expect(try await Self.opens("https://bank.example/3ds", by: way, for: ["api.acme.example"]).0 == 1)
    }
}
