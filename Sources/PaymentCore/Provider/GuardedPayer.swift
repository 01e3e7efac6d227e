extension Payer {
    /// Returns this payer as a service at `hosts` may use it: it opens pages that are encrypted, and pages on this
    /// machine only for a service on this machine. A service elsewhere that sends the payer to an address of the
    /// payer's own machine targets the programs that listen there.
    package func guarded(for hosts: OutboundHosts) -> Payer {
        var payer = self
        let check = { @Sendable (url: HTTPURL) throws(PaymentError) in
            guard !url.leadsToThisMachine || hosts.includeThisMachine else {
                throw PaymentError(.integrity, "the service leads to a page on this machine; it is not opened")
            }
            guard url.isConfidential else {
                throw PaymentError(.integrity, "the page at \(url.origin) is not encrypted; it is not opened")
            }
        }
        if let browser {
            payer.browser = { page in
                try check(page.url)
                return try await browser(page)
            }
        }
        if let appLauncher {
            payer.appLauncher = { app in
                // Apps are opened by their own schemes, or by web links.
                if let url = app.url, let link = try? PaymentLink(url.reveal()), link.isHTTP,
                    let page = try? HTTPURL(link.text)
                {
                    try check(page)
                }
                return try await appLauncher(app)
            }
        }
        if let dataCollector {
            payer.dataCollector = { request in
                if let form = request.formURL { try check(form) }
                return try await dataCollector(request)
            }
        }
        return payer
    }
}
