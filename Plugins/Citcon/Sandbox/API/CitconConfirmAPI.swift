import PaymentCore
import PaymentTesting

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
