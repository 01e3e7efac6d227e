extension Payer {
    /// This payer as a service that is called at `hosts` may use it: it opens pages that are encrypted, and pages on
    /// this machine only for a service on this machine. A service elsewhere that leads the payer to an address of the
    /// payer's own machine is after something that listens there.
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
                // Apps are opened by schemes of their own, or by web links.
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
