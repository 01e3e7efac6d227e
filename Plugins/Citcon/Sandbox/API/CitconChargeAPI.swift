import PaymentCore

/// Making charges, and their representation in answers.
extension CitconSandbox {
    func create(_ request: HTTPRequest) throws(CitconSandboxError) -> HTTPResponse {
        try tokens.check(request.headers, for: "charge", now: now)
        let body = try CitconRequests.body(request)
        let transaction = body["transaction"]
        let reference = try CitconRequests.reference(transaction?["reference"])
        let amount = try CitconRequests.amount(transaction?["amount"])
        guard let currency = transaction?["currency"]?.string, ISO4217.exponent(of: currency) != nil else {
            throw .badRequest
        }
        let country = try CitconRequests.text(transaction?["country"]) ?? ""
        guard country.isEmpty || (country.utf8.count == 2 && country.utf8.allSatisfy { (0x41...0x5A).contains($0) })
        else {
            throw .badRequest
        }
        guard body["urls"]?.object != nil else { throw .badRequest }
        let method = try CitconRequests.text(body["payment"]?["method"])
        let clients = try CitconRequests.clients(body["payment"]?["client"])
        let urls = CitconCharge.URLs(
            ipn: try CitconRequests.address(body["urls"]?["ipn"]),
            success: try CitconRequests.address(body["urls"]?["success"]),
            fail: try CitconRequests.address(body["urls"]?["fail"]),
            cancel: try CitconRequests.address(body["urls"]?["cancel"]))
        guard references[reference] == nil else { throw .duplicate }
        if let method, CitconGateway(method: method, country: country) == nil { throw .unsupportedGateway }
        var charge = CitconCharge(
            token: ids.uuid(), id: ids.transaction(), reference: reference, amount: amount, currency: currency,
            country: country,
            autoCapture: transaction?["auto_capture"]?.bool ?? CitconGateway.capturesByDefault(method), method: method,
            urls: urls, createdAt: now, expiresAt: try end(body["payment"]?["expiry"]))
        try note(body, on: &charge)
        charge.isAccelerated = transaction?["country_accelerator"]?.string == "CN"
        add(charge)
        charge.pages = makePages(of: charge, for: clients)
        charges[charge.token] = charge
        return reported(view(charge, payment: payment(charge, pages(charge, request)), isConfirmed: false))
    }

    /// Records the payer and the wish to store the payer's account, sent when a charge is made or when it is confirmed.
    func note(_ body: JSONValue, on charge: inout CitconCharge) throws(CitconSandboxError) {
        if let consumer = try CitconRequests.text(body["consumer"]?["reference"]), !consumer.isEmpty {
            guard charge.consumer == nil || charge.consumer == consumer else { throw .badRequest }
            charge.consumer = consumer
        }
        if body["payment"]?["request_token"]?.bool == true { charge.wantsToken = true }
    }

    /// Returns an answer that states an amount, in the form of the configured `echo`.
    func reported(_ data: WireJSON) -> HTTPResponse { envelope.success(configuration.echo.reported(data)) }

    /// Returns the time at which a charge expires. The unit on the wire is not documented: 13 digits count as
    /// milliseconds, 10 as seconds, and fewer as a duration in milliseconds, as in an example of the vendor's guide.
    private func end(_ value: JSONValue?) throws(CitconSandboxError) -> Int64 {
        guard let value, !value.isNull else { return now + configuration.chargeLifetime }
        guard let number = value.int64, number >= 0 else { throw .badRequest }
        if number > 10_000_000_000 { return number / 1000 }
        return number > 1_000_000_000 ? number : now + number / 1000
    }

    // MARK: Views

    /// `data` of a charge, its keys in the service's order.
    func view(_ charge: CitconCharge, payment: WireJSON, isConfirmed: Bool) -> WireJSON {
        let layer = configuration.layer
        var members: [(String, WireJSON)] = [
            ("object", "charge"), ("charge_token", .text(charge.token)), ("id", .text(charge.id)),
            ("reference", .text(charge.reference)), ("amount", .number(charge.amount)),
        ]
        // The earlier service includes them from the start.
        if isConfirmed || layer == .early {
            let isTaken = charge.amountCaptured > 0
            members.append(("amount_captured", .number(orNull: isTaken ? charge.amountCaptured : nil)))
            members.append(("amount_refunded", .number(orNull: charge.refunds.isEmpty ? nil : charge.amountRefunded)))
        }
        members += [
            ("currency", .text(charge.currency)), ("time_created", .number(layer.stamp(charge.createdAt))),
            ("time_captured", .number(orNull: charge.capturedAt.map(layer.stamp))),
            ("auto_capture", .value(.bool(charge.autoCapture))), ("status", .text(charge.status.rawValue)),
            ("country", .text(charge.country)), ("payment", payment),
        ]
        if charge.method == "paypal" {
            members.append(
                ("exchange", ["amount": .number(charge.amount), "currency": .text(charge.currency), "rate": 1]))
        }
        return .object(members)
    }

    /// `payment` of a charge: its method, and what each client starts.
    func payment(_ charge: CitconCharge, _ entries: [WireJSON]) -> WireJSON {
        .object(
            [("method", .text(orNull: charge.method)), ("client", .array(entries))].filter { member in
                charge.method != nil || member.0 == "client"
            })
    }

    // MARK: Pages

    /// Creates pages for the requested kinds of clients, in the service's order; a desktop also gets one with a code.
    func makePages(of charge: CitconCharge, for clients: [String]) -> [CitconCharge.Page] {
        guard charge.method != nil else { return [] }
        var kinds = ["desktop", "mobile_browser", "mobile_native"].filter(clients.contains).map { ($0, "redirect") }
        if clients.contains("desktop"), charge.method != "paypal" { kinds.append(("desktop", "qr")) }
        if charge.method == "paynow", clients.contains("mobile_native") { kinds.append(("mobile_native", "qr")) }
        let pages = zip(kinds, ids.uuids(kinds.count)).map { kind, id in
            CitconCharge.Page(client: kind.0, format: kind.1, id: id)
        }
        for page in pages { tokensByPage[page.id] = charge.token }
        return pages
    }

    /// The pages as listed in `payment.client`.
    func pages(_ charge: CitconCharge, _ request: HTTPRequest) -> [WireJSON] {
        charge.pages.map { page in
            let path = "/v1/\(page.format == "qr" ? "qr" : "landing")/\(page.id)"
            return entry(page.client, page.format, base(charge, request) + path)
        }
    }

    func entry(_ client: String, _ format: String, _ content: String) -> WireJSON {
        ["client": .text(client), "format": .text(format), "method": "GET", "content": .text(content)]
    }

    /// The base address of a charge's pages. On loopback, the server's own address is used, not the client's claim.
    private func base(_ charge: CitconCharge, _ request: HTTPRequest) -> String {
        if request.url.isLoopback { return request.url.origin }
        return charge.isAccelerated
            ? "https://proxy.citconpay.cn/upi/u_landing" : "https://landing.uat01.citconpay.com"
    }
}
