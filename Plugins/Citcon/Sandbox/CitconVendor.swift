import CitconMerchant
package import CitconProvider
package import PaymentCore
package import PaymentWallet
package import SandboxSupport

/// Citcon's description for code that handles all vendors.
package struct CitconVendor: SandboxVendor {
    package init() {}

    package var id: ProviderID { CitconProvider.id }

    package func providers(_ settings: VendorSettings) throws -> [any PaymentService] {
        let account = settings.accounts[id] ?? settings.sandbox.map(Self.account)
        let application = settings.accounts[id].map {
            CitconConfiguration.Application(scheme: $0["appScheme"], universalLink: $0["universalLink"])
        }
        let configuration = CitconConfiguration(
            endpoint: try account.map(Self.endpoint) ?? CitconEndpoint(.UAT), application: application ?? .demonstration
        )
        return [CitconProvider(configuration: configuration)]
    }

    package var accountMembers: [VendorAccount.Member] {
        [
            .init("environment", "UAT or PROD", isRequired: true),
            .init("keyFile", "the merchant's private key", isRequired: true),
            .init("appScheme", "the URL scheme to which payers' wallets return"),
            .init("universalLink", "the universal link to which WeChat returns"),
            .init("url", "another address of the service"),
        ]
    }

    package func merchants(of account: VendorAccount) throws -> [any PaymentService] {
        guard let key = account.secrets("keyFile").first else {
            throw PaymentError(.unauthorized, "keyFile has no key")
        }
        return [CitconMerchant(endpoint: try Self.endpoint(account), privateKey: key)]
    }

    private static func endpoint(_ account: VendorAccount) throws -> CitconEndpoint {
        guard let mode = CitconEndpoint.Mode.allCases.first(where: { "\($0)" == account["environment"] }) else {
            throw PaymentError(.unauthorized, "environment is UAT or PROD")
        }
        return try CitconEndpoint(mode, baseURL: account["url"])
    }

    package func accounts(at sandbox: HTTPURL) -> [VendorAccount] { [Self.account(at: sandbox)] }

    private static func account(at sandbox: HTTPURL) -> VendorAccount {
        VendorAccount(
            texts: ["environment": "UAT", "url": sandbox.text + "/v1/"],
            files: ["keyFile": CitconSandbox.privateKey])
    }

    package func makeSandbox(_ settings: SandboxSettings) -> (any ListedService)? {
        var configuration = CitconSandbox.Configuration()
        if let lifetime = settings.lifetime { configuration.chargeLifetime = lifetime }
        configuration.notifications = settings.transport
        return CitconSandbox(configuration, clock: settings.clock, random: settings.random)
    }

    package func payer(
        _ wallet: DevelopmentWallet, at sandbox: HTTPURL, over transport: any HTTPTransport
    ) -> Payer? { CitconSandbox.payer(at: sandbox, over: transport) }

    package var pagePaths: [String] { CitconSandbox.paths }

    package var secretNames: [String] { [CitconProvider.accessTokenName()] }

    /// Returns an access token of the kind that an application gets from its merchant's server.
    package func secret(
        _ name: String, of account: VendorAccount, over transport: any HTTPTransport
    ) async throws -> Redacted<String>? {
        guard secretNames.contains(name), let key = account.secrets("keyFile").first else { return nil }
        let request = HTTPRequest(
            .post, try Self.endpoint(account).baseURL.appending(["access-tokens"]),
            headers: ["Authorization": "Bearer \(key.reveal())", "Content-Type": "application/json"],
            body: Array(#"{"token_type":"client"}"#.utf8))
        let answer = try await transport.send(request)
        return try JSONValue(parsing: answer.body)["data"]?["access_token"]?.string.map { Redacted($0) }
    }

    package func details(of link: PaymentLink) -> LinkDetails {
        guard let order = try? CitconOrderLink(link) else { return LinkDetails() }
        return LinkDetails(
            amount: order.amount,
            [
                "order": order.reference, "method": order.method, "country": order.country,
                "environment": "\(order.mode)".lowercased(), "host": order.mode.host,
            ])
    }

    /// References of payers include the environment, the merchant's own do not.
    package func merchantNames(of payment: PaymentReference) -> [PaymentReference] {
        [
            PaymentReference(
                provider: CitconMerchant.id, id: payment.id.split(separator: "/").last.map(String.init) ?? payment.id)
        ]
    }

    package var demo: [DemoScenario] {
        typealias Scenario = CitconSandbox.Scenario
        return [
            DemoScenario("WeChat Pay", Scenario.wechatPay, .succeeded, captures: 1, last: .settled),
            DemoScenario("payer stays in the wallet", Scenario.interrupted, .succeeded, captures: 1, last: .settled),
            DemoScenario(
                "payer cancels in Alipay", Scenario.cancelledInAlipay, .cancelled, captures: 0, last: .cancelled),
            DemoScenario("payment page in Korea", Scenario.toss, .succeeded, captures: 1, last: .settled),
            DemoScenario(
                "authorized, not captured", Scenario.authorizeOnly, .succeeded, captures: 0, last: .authorized),
            DemoScenario("card declined", Scenario.declined, .declined, captures: 0, last: .failed),
        ]
    }

    package var samples: [SampleText] {
        [
            SampleText(
                "order at Citcon",
                "citcon:charge?token=62d5c1e0242011eda300f59379b812ce&method=wechatpay&reference=order-7&amount=1250"
                    + "&currency=USD&country=US&env=uat",
                .matched, isVerified: true),
            SampleText("back from Alipay", "com.citcon.citconpay://safepay/?%7B%7D", .matched, isVerified: true),
            SampleText("the same for another app", "other.app://safepay/?%7B%7D", .unroutable),
        ]
    }
}

extension CitconConfiguration.Application {
    /// The application in the vendor's guide. The sandbox's wallets return to it.
    package static let demonstration = Self(
        scheme: "com.citcon.citconpay", universalLink: "https://dev.citconpay.com/apps/",
        places: CitconConfiguration.ReturnPlaces(
            weChatAppIDs: ["wxeb0650d489d69e14"], bundleIDs: ["com.citcon.citconpay"],
            pages: ["com.citcon.citconpay://"]))
}
