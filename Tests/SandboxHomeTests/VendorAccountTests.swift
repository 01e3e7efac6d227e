import CitconSandbox
import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentTransport
import PayrailsSandbox
import SandboxSupport
import TestSupport
import Testing
import WalletConnectPaySandbox

/// Accounts at the vendors' services, which are their sandboxes, called as the real ones are.
@Suite("Accounts of vendors")
struct VendorAccountTests {
    /// A vendor, what an account states beside its address and its secret, the member of the secret, and the secret.
    private static let all: [(any SandboxVendor, [String: String], String, Redacted<String>)] = [
        (CitconVendor(), ["environment": "UAT"], "keyFile", CitconSandbox.privateKey),
        (
            PayrailsVendor(), ["clientID": PayrailsSandbox.Configuration().clientID, "captureMode": "Instant"],
            "clientSecretFile", PayrailsSandbox.Configuration().clientSecret
        ),
        (
            WalletConnectPayVendor(), ["merchantID": WalletConnectPaySandbox.merchantID], "keyFile",
            WalletConnectPaySandbox.liveKey
        ),
    ]

    @Test("The service knows the merchant by the account's secret, and no other", arguments: all.indices)
    func merchants(index: Int) async throws {
        let (vendor, texts, member, secret) = Self.all[index]
        let sandbox = try #require(
            vendor.makeSandbox(
                SandboxSettings(
                    clock: SystemPaymentClock(), random: SystemRandomSource(), transport: StandardTransport())))
        let server = try LoopbackServer(SharedAddress(sandbox.routes()))
        defer { server.stop() }
        func code(_ secret: Redacted<String>) async throws -> PaymentError.Code? {
            var texts = texts
            texts["url"] = server.baseURL.text + (vendor.id == "citcon" ? "/v1/" : "")
            let account = VendorAccount(texts: texts, files: [member: secret])
            let merchants = try vendor.merchants(of: account)
            let router = PaymentRouter(
                registry: try ProviderRegistry(merchants), transport: StandardTransport(), journal: InMemoryJournal())
            let name = PaymentReference(
                provider: try #require(merchants.first).descriptor.id, id: vendor.unknownPayment)
            do throws(PaymentError) { _ = try await router.status(of: name) } catch { return error.code }
            return nil
        }
        #expect(try await code(secret) == .notFound)
        #expect(try await code(Redacted("wcp_other")) == .unauthorized)
    }

    @Test("A value that cannot be used is an error, and an account without a merchant has none")
    func faults() throws {
        for (vendor, member) in [(Self.all[0].0, "environment"), (Self.all[1].0, "captureMode")] {
            let index = vendor.id == "citcon" ? 0 : 1
            var texts = Self.all[index].1
            texts[member] = "other"
            let account = VendorAccount(texts: texts, files: [Self.all[index].2: Redacted("secret")])
            #expect(throws: PaymentError.self) { try vendor.merchants(of: account) }
        }
        let payer = VendorAccount(texts: ["appID": "wallet"], files: [:])
        #expect(try WalletConnectPayVendor().merchants(of: payer).isEmpty)
        let half = VendorAccount(texts: ["merchantID": "mrch_1"], files: [:])
        #expect(throws: PaymentError.self) { try WalletConnectPayVendor().merchants(of: half) }
    }
}
