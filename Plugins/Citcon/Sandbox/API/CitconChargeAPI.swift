import PaymentCore
import PaymentTesting

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

    /// Returns the expiry of a charge. The unit on the wire is not documented: 13 digits count as milliseconds, 10 as
    /// seconds, and fewer as a duration in milliseconds, as in an example of the vendor's guide.
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

    /// Creates pages for the requested kinds of clients, in the service's order. A desktop also gets one with a code.
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

// MARK: - Confirmation

/// Confirming a charge: the request that starts the wallet or takes the money at once.
extension CitconSandbox {
    func confirm(_ request: HTTPRequest, _ token: String) throws(CitconSandboxError) -> SandboxAnswer {
        try tokens.check(request.headers, for: "charge", now: now)
        let body = try CitconRequests.body(request)
        let charge = try charge(token)
        record(charge.id, .confirmRequested)
        guard !charge.status.isFinal else { throw .badRequest }
        if case .rejection(let rejection)? = charge.plan?.fault { throw rejection }
        try check(body, against: charge)
        guard let method = try CitconRequests.text(body["payment"]?["method"]) ?? charge.method else {
            throw .badRequest
        }
        guard let gateway = CitconGateway(method: method, country: charge.country) else { throw .unsupportedGateway }
        let clients = try CitconRequests.clients(body["payment"]?["client"])
        charges[token]?.method = method
        var noted = charge
        try note(body, on: &noted)
        charges[token]?.consumer = noted.consumer
        charges[token]?.wantsToken = noted.wantsToken
        if charge.plan?.isPaidAtConfirm == true { try act(.pay, on: token) }
        let stored = try CitconRequests.text(body["payment"]?["token"]) ?? ""
        let entries =
            try stored.isEmpty
            ? start(gateway, token, body, clients: clients.isEmpty ? ["mobile_native"] : clients, for: request)
            : self.charge(stored: stored, method, token)
        if case .rejectionAfterwards(let rejection)? = charge.plan?.fault { throw rejection }
        if case .drop? = charge.plan?.fault {
            // A repeated request gets an answer.
            charges[token]?.plan?.fault = nil
            return .drop
        }
        let confirmed = try self.charge(token)
        let data = view(confirmed, payment: payment(confirmed, entries), isConfirmed: true)
        return .response(self.reported(reported(data, of: confirmed)))
    }

    /// The answer, changed by the scenario's fault.
    private func reported(_ data: WireJSON, of charge: CitconCharge) -> WireJSON {
        switch charge.plan?.fault {
        case .otherAmount?: data.setting("amount", .number(charge.amount * 10))
        case .otherOrder?: data.setting("reference", .text(charge.reference + "-other"))
        case .rejection?, .rejectionAfterwards?, .drop?, .malformedPayload?, nil: data
        }
    }

    /// Checks that the charge's members in a confirmation equal those of its creation.
    private func check(_ body: JSONValue, against charge: CitconCharge) throws(CitconSandboxError) {
        guard let transaction = body["transaction"], !transaction.isNull else { return }
        let texts = [("reference", charge.reference), ("currency", charge.currency), ("country", charge.country)]
        for (name, expected) in texts {
            guard let text = try CitconRequests.text(transaction[name]) else { continue }
            guard text == expected || (name == "country" && expected.isEmpty) else { throw .badRequest }
        }
        if let amount = transaction["amount"], !amount.isNull {
            guard try CitconRequests.amount(amount) == charge.amount else { throw .badRequest }
        }
    }

    /// Starts the payment at its gateway.
    ///
    /// - Returns: `payment.client` of the answer.
    private func start(
        _ gateway: CitconGateway, _ token: String, _ body: JSONValue, clients: [String], for request: HTTPRequest
    ) throws(CitconSandboxError) -> [WireJSON] {
        let charge = try charge(token)
        let isNative = clients.contains("mobile_native")
        switch gateway {
        case .wechatpay, .alipay, .upop:
            guard isNative else { break }
            return try launch(gateway, token)
        case .klarna:
            guard let grant = try CitconRequests.text(body["ext"]?["gateway"]?["authorization_token"]) else {
                guard isNative else { break }
                return try launch(gateway, token)
            }
            try spend(grant, on: token)
            return []
        case .cashapp:
            guard let grant = try CitconRequests.text(body["ext"]?["gateway"]?["grant"]?["grant_id"]) else { break }
            try spend(grant, on: token)
            return []
        case .ppcp:
            guard let order = try CitconRequests.text(body["ext"]?["gateway"]?["order_id"]) else { break }
            try spend(order, on: token)
            return []
        case .braintree:
            if let nonce = try CitconRequests.text(body["payment"]?["nonce"]), !nonce.isEmpty {
                guard body["payment"]?["indicator"]?.string == "braintree" else { throw .badRequest }
                try spend(nonce: nonce, on: token)
                return []
            }
            if let data = body["payment"]?["data"], !data.isNull {
                try self.charge(card: data, on: token)
                return []
            }
            // An app has no page here: its library makes a nonce first.
            guard !isNative || charge.plan?.isPaidAtConfirm == true else { throw .badRequest }
        case .toss, .aps, .fomo, .xendit, .flexa, .ebanx, .hosted: break
        }
        guard charge.status == .initiated else { return [] }
        let pages = makePages(of: charge, for: clients)
        charges[token]?.pages += pages
        var fresh = charge
        fresh.pages = pages
        return self.pages(fresh, request)
    }

    /// Returns a payload for a wallet. Each call replaces the last payload.
    private func launch(_ gateway: CitconGateway, _ token: String) throws(CitconSandboxError) -> [WireJSON] {
        let charge = try charge(token)
        guard charge.status == .initiated,
            let launch = CitconLaunch(gateway, charge, random: random, now: now)
        else { return [] }
        charges[token]?.launch = launch
        var content = launch.content
        if case .malformedPayload? = charge.plan?.fault { content = String(content.dropLast(content.count / 2)) }
        return [entry("mobile_native", "json", content)]
    }

    /// Spends a grant of the payer's consent that this sandbox issued.
    private func spend(_ grant: String, on token: String) throws(CitconSandboxError) {
        guard nonces.remove(grant) != nil else { throw .badRequest }
        try act(.pay, on: token)
    }

    /// Charges the account behind a nonce: one that this sandbox issued, or one of those that Braintree publishes for
    /// tests, whose names determine the outcome.
    private func spend(nonce: String, on token: String) throws(CitconSandboxError) {
        if nonces.remove(nonce) != nil { return try act(.pay, on: token) }
        guard nonce.hasPrefix("fake-"), !nonce.hasPrefix("fake-consumed") else { throw .badRequest }
        let isRefused = nonce.hasPrefix("fake-processor-declined") || nonce.hasPrefix("fake-gateway-rejected")
        let lacksProof = try charge(token).plan?.needsProof == true && !nonce.hasPrefix("fake-three-d-secure-")
        try act(isRefused || lacksProof ? .fail : .pay, on: token)
    }

    /// Charges a card by its number, and keeps only the part that may be shown.
    private func charge(card: JSONValue, on token: String) throws(CitconSandboxError) {
        guard let pan = card["pan"]?.string, (12...19).contains(pan.utf8.count), Self.passesLuhn(pan),
            let code = card["cvv"]?.string, (3...4).contains(code.utf8.count),
            code.utf8.allSatisfy(\.isASCIIDigit), let expiry = card["expiry"]?.string,
            expiry.utf8.map({ $0.isASCIIDigit ? UInt8(ascii: "0") : $0 }) == Array("00/00".utf8)
        else { throw .badRequest }
        charges[token]?.maskedPAN = pan.prefix(6) + String(repeating: "*", count: pan.count - 10) + pan.suffix(4)
        charges[token]?.cardExpiry = expiry
        // The number that gateways publish for declined cards.
        try act(pan == "4000000000000002" ? .fail : .pay, on: token)
    }

    /// Returns true if the last digit of a card number matches the others (ISO/IEC 7812-1).
    private static func passesLuhn(_ pan: String) -> Bool {
        guard pan.utf8.allSatisfy(\.isASCIIDigit) else { return false }
        let sum = pan.utf8.reversed().enumerated().reduce(0) { sum, digit in
            let value = Int(digit.element - UInt8(ascii: "0")) * (digit.offset % 2 + 1)
            return sum + (value > 9 ? value - 9 : value)
        }
        return sum % 10 == 0
    }
}
