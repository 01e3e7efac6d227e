public import PaymentCore
import PaymentTesting
import SandboxSupport

/// The pages for payers: the bank's question (3DS), PayPal, another shop's checkout, and the page that waits for one of
/// them.
extension PayrailsSandbox {
    /// The payee's name on pages.
    static let merchantName = "Kaffeehaus am Platz"

    /// A payer's answer on a page.
    enum PageAnswer: String, Sendable {
        case complete, fail, cancel
    }

    /// Answers `/public/redirect/merchant/{workflow}/{execution}/{token}` and `/public/redirect/wait/workflow/…`.
    func page(_ request: HTTPRequest, _ path: [String]) throws(PayrailsSandboxError) -> HTTPResponse {
        guard path.count >= 5, let token = path.last else { throw .unknownPath }
        let execution = try current(path[path.count - 2])
        guard token == execution.pageToken, path[path.count - 3] == execution.workflow else { throw .unknownPath }
        switch Array(path.dropFirst().dropLast(3)) {
        case ["merchant"]:
            guard let action = execution.action else { throw .unknownPath }
            switch action.kind {
            case .challenge, .redirect: return try visit(request, execution, action)
            case .payPal: throw .unknownPath
            }
        case ["wait", "workflow"]: return waitPage(execution)
        default: throw .unknownPath
        }
    }

    /// Answers `/agreements/approve?ba_token=…`: PayPal's own page.
    func payPalPage(_ request: HTTPRequest) throws(PayrailsSandboxError) -> HTTPResponse {
        let token = QueryItems(Substring(request.url.query ?? "")).values("ba_token").first.map(String.init)
        for execution in executions.values {
            guard let action = execution.action, case .payPal(_, let agreement, _) = action.kind, agreement == token
            else { continue }
            return try visit(request, execution, action)
        }
        throw .unknownPath
    }

    /// Answers `/html/payrails-success.html` and the other return pages, which the service has on another host.
    func returnPage(_ name: String) throws(PayrailsSandboxError) -> HTTPResponse {
        let texts = [
            "payrails-success.html": ("Thank you", "You can go back to the shop: it knows how the payment went."),
            "payrails-cancel.html": ("Cancelled", "You have cancelled. You can go back to the shop."),
            "payrails-error.html": ("It did not work", "Something went wrong. You can go back to the shop."),
            "payrails-pending.html": ("In progress", "Your payment is in progress. You can go back to the shop."),
        ]
        guard let (title, text) = texts[name] else { throw .unknownPath }
        return PayerPage(title: title, text: text).response(nonce: random.hex(32))
    }

    // MARK: Answering

    private func visit(
        _ request: HTTPRequest, _ execution: Execution, _ action: Action
    ) throws(PayrailsSandboxError) -> HTTPResponse {
        guard let tender = execution.tender else { throw .unknownPath }
        guard case .open = action.state else {
            let isForeign = execution.scenario.plan.returnsForeign
            return leave(to: tender.returnURLs.success, action, isForeign: isForeign)
        }
        switch request.method {
        case .get: return ask(execution, action, tender)
        case .post:
            guard request.mediaType == "application/x-www-form-urlencoded",
                let item = QueryItems(Substring(String(decoding: request.body, as: UTF8.self))).values("answer").first,
                let answer = PageAnswer(rawValue: String(item))
            else { throw .missing("answer") }
            return finish(execution.id, tender, action, with: answer)
        default: throw .wrongMethod
        }
    }

    private func finish(_ id: String, _ tender: Tender, _ action: Action, with answer: PageAnswer) -> HTTPResponse {
        if case .payPal = action.kind {
            switch answer {
            case .complete:
                // Nothing is paid before the client confirms.
                executions[id]?.action?.state = .approved
                let isForeign = executions[id]?.scenario.plan.returnsForeign == true
                return leave(to: tender.returnURLs.success, action, isForeign: isForeign)
            // It is a guess that a refusal at PayPal leaves no status at the service.
            case .cancel: return leave(to: tender.returnURLs.cancel, nil)
            case .fail: return leave(to: tender.returnURLs.error, nil)
            }
        }
        executions[id]?.action?.state = .done
        let destination: String
        let steps: [Step]
        switch answer {
        case .complete:
            steps = (executions[id].map(settlement) ?? []).filter { $0.code != "authorizePending" }
            destination = tender.returnURLs.success
        case .fail:
            steps = [.failed(.authenticationFailed)]
            destination = tender.returnURLs.error
        case .cancel:
            steps = [.failed(.payerCanceled)]
            destination = tender.returnURLs.cancel
        }
        executions[id]?.schedule(steps, from: now)
        advance(id)
        return leave(to: destination, action)
    }

    /// Redirects the payer to `url`; PayPal adds the values for the client's confirmation.
    private func leave(to url: String, _ action: Action?, isForeign: Bool = false) -> HTTPResponse {
        var location = url
        if case .payPal(let order, let agreement, let payer)? = action?.kind {
            location +=
                (url.contains("?") ? "&" : "?")
                + "token=\(order)\(isForeign ? "X" : "")&ba_token=\(agreement)&PayerID=\(payer)"
        }
        return HTTPResponse(status: 303, headers: ["Location": location, "Cache-Control": "no-store"])
    }

    private func ask(_ execution: Execution, _ action: Action, _ tender: Tender) -> HTTPResponse {
        let price = Self.price(execution)
        var page: PayerPage
        switch action.kind {
        case .challenge:
            page = PayerPage(title: "Is it you?", text: "Your bank asks whether it is you who pays \(price).")
            page.answers = [(.complete, "Yes, it is me"), (.cancel, "Cancel"), (.fail, "No, it is not me")]
        case .payPal:
            page = PayerPage(title: "PayPal", text: "The shop wants to take \(price) from your account.")
            page.answers = [(.complete, "Agree and pay \(price)"), (.cancel, "Cancel")]
        case .redirect:
            page = PayerPage(title: "Your bank", text: "You are about to pay \(price).")
            page.answers = [(.complete, "Pay \(price)"), (.cancel, "Cancel"), (.fail, "Let it fail")]
        }
        page.price = price
        page.facts = Self.facts(execution)
        page.returnURLs = [tender.returnURLs.success, tender.returnURLs.cancel, tender.returnURLs.error]
        return page.response(nonce: random.hex(32))
    }

    private static func price(_ execution: Execution) -> String {
        "\(NumberStyle.visitor.text(execution.amount.value)) \(execution.amount.currency)"
    }

    /// Returns the payee, the order and the deadline.
    private static func facts(_ execution: Execution) -> [(name: String, value: String)] {
        let end = execution.token.map { PageTime.text($0.expiresAt.nanoseconds / 1_000_000_000) }
        return [("Payee", merchantName), ("Order", execution.merchantReference)]
            + (end.map { [("Pay until", $0)] } ?? [])
    }

    /// Returns the page that redirects a payer as soon as the target is known.
    private func waitPage(_ execution: Execution) -> HTTPResponse {
        if let action = execution.action, case .open = action.state {
            switch action.kind {
            case .challenge, .redirect: return leave(to: execution.pageLink, nil)
            case .payPal(_, let agreement, _):
                return leave(to: "\(execution.base)/agreements/approve?ba_token=\(agreement)", nil)
            }
        }
        if let tender = execution.tender {
            if execution.has("authorizeSuccessful") { return leave(to: tender.returnURLs.success, nil) }
            if execution.has("authorizeFailed") { return leave(to: tender.returnURLs.error, nil) }
        }
        var page = PayerPage(title: "One moment", text: "Your payment is in progress.")
        page.refreshes = true
        page.price = Self.price(execution)
        page.facts = Self.facts(execution)
        return page.response(nonce: random.hex(32))
    }
}

extension PayrailsSandbox {
    /// A page with a sentence and at most a few buttons. It loads nothing and works without scripts.
    struct PayerPage {
        let title: String
        let text: String
        /// The payee, the order and the deadline, for pages that ask.
        var facts: [(name: String, value: String)] = []
        var price: String?
        var answers: [(answer: PageAnswer, label: String)] = []
        /// The paths of links, with their labels.
        var links: [(path: String, label: String)] = []
        /// The targets of answers: browsers let forms lead only to addresses that the page names.
        var returnURLs: [String] = []
        /// True if the page reloads every second.
        var refreshes = false

        init(title: String, text: String) {
            self.title = title
            self.text = text
        }

        func response(nonce: String) -> HTTPResponse {
            var content = "<h1>\(HTMLText.escape(title))</h1>\n"
            if let price { content += "<p class=\"price\">\(HTMLText.escape(price))</p>\n" }
            content += "<p>\(HTMLText.escape(text))</p>\n"
            if !facts.isEmpty {
                let rows = facts.map { "<dt>\(HTMLText.escape($0))</dt><dd>\(HTMLText.escape($1))</dd>\n" }
                content += "<dl class=\"card\">\n\(rows.joined())</dl>\n"
            }
            if !links.isEmpty {
                let items = links.map { path, label in
                    "<li><a href=\"\(HTMLText.escape(path))\">\(HTMLText.escape(label))</a></li>\n"
                }
                content += "<ul>\n\(items.joined())</ul>\n"
            }
            if !answers.isEmpty {
                content += "<form method=\"post\" class=\"choices\">\n"
                for (answer, label) in answers {
                    content +=
                        "<button class=\"\(answer.look)\" name=\"answer\" value=\"\(answer.rawValue)\">"
                        + "\(HTMLText.escape(label))</button>\n"
                }
                content += "</form>\n"
            }
            return HTMLPage(
                title: title, nonce: nonce, content: content, head: refreshes ? Self.refresh : "",
                formGoals: Set(returnURLs.compactMap(Self.source))
            ).response()
        }

        /// Returns the origin of a web address, or the scheme of another one.
        private static func source(_ url: String) -> String? {
            if let web = try? HTTPURL(url) { return web.origin }
            return (try? PaymentLink(url))?.scheme.map { "\($0):" }
        }

        private static let refresh = "\n<meta http-equiv=\"refresh\" content=\"1\">"
    }
}

extension PayrailsSandbox.PageAnswer {
    /// The look of its button, distinct for completing, cancelling and failing.
    fileprivate var look: String {
        switch self {
        case .complete: "primary"
        case .cancel: "plain"
        case .fail: "danger"
        }
    }
}

// MARK: - The simulated payer

extension PayrailsSandbox {
    /// The behaviour of a simulated payer on the pages of a payment.
    @nonexhaustive
    public enum PayerBehaviour: String, Sendable, Hashable, CaseIterable {
        /// Proves their identity, agrees, pays.
        case completes
        /// Cannot prove their identity, or cannot pay. At PayPal, which has no such answer, the same as `cancels`.
        case fails
        /// Cancels on the page.
        case cancels
        /// Closes the page without an answer.
        case leaves
    }

    /// Returns a payer who opens this sandbox's pages and answers them with `behaviour`.
    public nonisolated func payer(_ behaviour: PayerBehaviour = .completes) -> Payer {
        Self.payer(behaviour, transport: SandboxTransport(self))
    }

    /// Returns a payer who opens pages through `transport`, such as those of a sandbox served on loopback.
    public static func payer(_ behaviour: PayerBehaviour = .completes, transport: any HTTPTransport) -> Payer {
        Payer(
            dataCollector: { _ in behaviour == .completes ? card : nil },
            browser: { request in try await browse(request, behaviour, transport) }, policy: .firstWhateverItCosts)
    }

    /// A card for tests, as the fields of the vendor's form.
    private static let card = [
        "card_number": "4111111111111111", "expiry_month": "12", "expiry_year": "2033", "security_code": "123",
        "cardholder_name": "Ada Example",
    ].mapValues { Redacted($0) }

    /// Opens the page and answers it.
    ///
    /// - Returns: the address of the page's redirect, if it is one of the request's return URLs.
    private static func browse(
        _ request: PageRequest, _ behaviour: PayerBehaviour, _ transport: any HTTPTransport
    ) async throws -> PaymentLink? {
        var url = request.url
        var response = try await transport.send(HTTPRequest(.get, url))
        // The waiting page redirects the payer.
        for _ in 0..<3 {
            guard response.status == 303, let location = response.headers["Location"] else { break }
            if let link = try returned(location, request) { return link }
            url = try HTTPURL(location)
            response = try await transport.send(HTTPRequest(.get, url))
        }
        guard response.status == 200, behaviour != .leaves else { return nil }
        let page = String(decoding: response.body, as: UTF8.self)
        let answer: PageAnswer =
            switch behaviour {
            case .completes: .complete
            case .fails where page.contains("value=\"fail\""): .fail
            case .fails, .cancels, .leaves: .cancel
            }
        guard page.contains("value=\"\(answer.rawValue)\"") else { return nil }
        let reply = HTTPRequest(
            .post, url, headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Array("answer=\(answer.rawValue)".utf8))
        return try await transport.send(reply).headers["Location"].flatMap { try returned($0, request) }
    }

    private static func returned(_ location: String, _ request: PageRequest) throws -> PaymentLink? {
        let address = location.prefix { $0 != "?" && $0 != "#" }
        guard request.returnURLs.contains(String(address)) else { return nil }
        return try PaymentLink(location)
    }
}
