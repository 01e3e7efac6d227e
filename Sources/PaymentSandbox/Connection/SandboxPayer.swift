package import PaymentCore
package import PaymentWallet

/// Somebody who can pay at every simulated service: with wallets, apps, pages and made-up data.
package enum SandboxPayer {
    /// A payer who pays at the sandboxes that are served at `origin`, and nowhere else.
    package static func make(_ wallet: DevelopmentWallet, at origin: HTTPURL, over transport: any HTTPTransport)
        -> Payer
    {
        var payer = SandboxWallet(wallet).payer()
        let citcon = CitconSandbox.payer(at: origin, over: transport)
        let payrails = PayrailsSandbox.payer(transport: transport)
        payer.appLauncher = citcon.appLauncher
        payer.codeDisplay = citcon.codeDisplay
        payer.settler = SandboxSettler(at: origin, over: transport)
        payer.browser = { page in
            guard page.url.origin == origin.origin else {
                throw PaymentError(.payer, "the page at \(page.url.authority) is not the sandbox's; it is not opened")
            }
            let isCitcon = CitconSandbox.paths.contains { page.url.path.hasPrefix($0 + "/") }
            return try await (isCitcon ? citcon : payrails).browser?(page)
        }
        // Every service asks for data of its own; whoever knows all of it answers.
        let collectors = [payer, payrails, citcon].compactMap(\.dataCollector)
        payer.dataCollector = { request in
            for collect in collectors {
                guard let values = try await collect(request) else { continue }
                if request.fields.allSatisfy({ !$0.isRequired || values[$0.id] != nil }) { return values }
            }
            return nil
        }
        return payer
    }
}
