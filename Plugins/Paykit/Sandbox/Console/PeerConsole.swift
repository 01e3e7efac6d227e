import PaykitProvider
import PaymentCore
import SandboxSupport

/// The console of the sandbox's users, for people with a browser: `GET /sandbox/paykit/payees` and
/// `/sandbox/paykit/payees/<key>` are the payees' side, `/sandbox/paykit/payer/<key>` is the wallet of a payer.
extension PubkySandbox {
    /// The most satoshi that a payer can send: the limit of all bitcoin.
    static let mostSatoshi: UInt64 = 2_100_000_000_000_000

    func peerConsole(_ request: HTTPRequest, _ words: [String]) throws(PubkySandboxError) -> HTTPResponse {
        let page = PeerConsolePage(nonce: random.hex(32))
        switch (words.first, words.count, request.method) {
        case ("payees", 1, .get): return page.payees(people.suffix(200).reversed().compactMap(account))
        case ("payees", 2, .get):
            guard let account = account(named: words[1]) else { return page.unknown }
            return page.payee(account)
        case ("payer", 2, .get):
            guard let account = account(named: words[1]) else { return page.unknown }
            let paid = FormItems(Substring(request.url.query ?? ""))["paid"]
            if let paid, let receipt = account.received.first(where: { $0.name == paid }) {
                return page.receipt(receipt, of: account)
            }
            return page.payer(account)
        case ("payer", 2, .post):
            guard let account = account(named: words[1]) else { return page.unknown }
            return pay(account, request, page)
        default: throw .wrongMethod
        }
    }

    /// Pays what the form asks for, and redirects to the receipt: loading that again pays nothing.
    private func pay(_ account: PubkyAccountList, _ request: HTTPRequest, _ page: PeerConsolePage) -> HTTPResponse {
        let items = FormItems(Substring(decoding: request.body, as: UTF8.self))
        guard request.mediaType == "application/x-www-form-urlencoded", !items.isAmbiguous,
            let endpoint = items["endpoint"], account.payable.contains(where: { $0.text == endpoint })
        else { return page.payer(account, problem: "Choose what is to be paid: an invoice is paid once.") }
        var amount: UInt64?
        if let text = items["amount"], !text.isEmpty {
            amount = UInt64(text).flatMap { (1...Self.mostSatoshi).contains($0) ? $0 : nil }
            guard amount != nil else {
                return page.payer(
                    account, problem: "The amount must be whole satoshi, from 1 to \(Self.mostSatoshi).", items: items)
            }
        }
        do throws(SettlementError) { _ = try pay(endpoint, amount: amount) } catch {
            return page.payer(account, problem: error.words, items: items)
        }
        let receipt = received[account.user.key]?.last?.name ?? ""
        return HTTPResponse(
            status: 303,
            headers: [
                "Location": "/sandbox/paykit/payer/\(account.user.key)?paid=\(receipt)", "Cache-Control": "no-store",
            ])
    }

    private func account(named text: String) -> PubkyAccountList? { (try? PubkyKey(text)).flatMap(account) }

    private func account(of key: PubkyKey) -> PubkyAccountList? {
        guard let user = users[key] else { return nil }
        let time = now / 1_000_000
        let theirs = invoices.values.filter { $0.payee == key }.sorted { ($0.end, $0.text) < ($1.end, $1.text) }
        let addresses = payees.filter { $0.value == key }.keys.sorted()
        let files = paths(of: key).filter { $0.hasPrefix("/pub/paykit") }.map { path in
            (path: path, content: String(decoding: (file(at: path, of: key) ?? []).prefix(400), as: UTF8.self))
        }
        return PubkyAccountList(
            user: user, files: files,
            invoices: theirs.map { invoice in
                .init(
                    text: invoice.text, amount: invoice.amount, end: invoice.end,
                    state: invoice.isPaid ? .paid : invoice.end <= time ? .over : .open)
            }, addresses: addresses, received: received[key] ?? [])
    }
}

/// One user's account, as pages show it.
struct PubkyAccountList: Sendable {
    struct Invoice: Sendable {
        enum State: String, Sendable {
            case open, paid, over
        }

        let text: String
        /// In satoshi; nil if the payer chooses.
        let amount: UInt64?
        /// Seconds of Unix time.
        let end: UInt64
        let state: State
    }

    let user: PubkySandbox.User
    /// The files published for payers, by path; long files are cut.
    let files: [(path: String, content: String)]
    let invoices: [Invoice]
    /// Addresses on the chain.
    let addresses: [String]
    /// Oldest first.
    let received: [PubkyReceived]

    /// The endpoints that can be paid now.
    var payable: [(text: String, words: String)] {
        invoices.filter { $0.state == .open }.map { invoice in
            let amount = invoice.amount.map { "\($0) sat" } ?? "an amount of your choice"
            return (invoice.text, "An invoice over \(amount), until \(PageTime.text(Int64(clamping: invoice.end)))")
        } + addresses.map { ($0, "An address on the chain") }
    }

    /// In satoshi; nil if it overflows.
    var sum: UInt64? {
        var sum: UInt64 = 0
        for one in received {
            let (next, isOver) = sum.addingReportingOverflow(one.amount)
            guard !isOver else { return nil }
            sum = next
        }
        return sum
    }
}

extension PubkySandbox.SettlementError {
    /// The text for payers.
    fileprivate var words: String {
        switch self {
        case .unknownEndpoint: "No payee here has this address."
        case .wrongAmount: "Say how many satoshi; an invoice with an amount takes no other."
        case .expired: "This invoice can be paid no longer."
        case .alreadyPaid: "This invoice was paid before. Nothing was paid again."
        case .abandoned: "This payment was abandoned. Nothing was paid."
        }
    }
}

/// The pages of Paykit's users: a list, the payments that they received, and a wallet that pays them. They load nothing
/// and need no script.
struct PeerConsolePage {
    /// Allows this page's own style.
    let nonce: String

    /// The page of all users, newest first.
    func payees(_ accounts: [PubkyAccountList]) -> HTTPResponse {
        let rows = accounts.map { account in
            [
                "<a href=\"\(Self.payee(account))\">\(HTMLText.escape(account.user.name))</a>",
                HTMLText.escape(account.user.title), "\(account.payable.count)", "\(account.received.count)",
                Self.sum(account),
            ]
        }
        let none = "None yet: a payment of Paykit under <a href=\"/scenarios\">Scenarios</a> makes a payee."
        return page(
            "Paykit's payees",
            """
            <h1>Paykit's payees</h1>
            <p>The users of this sandbox who publish how to be paid, newest first. No real money.</p>
            \(PageTable.html(["Name", "Publishes", "Can be paid now", "Payments", "Received"], rows, or: none))

            """, isWide: true)
    }

    /// The payee's page: what is published, the invoices and the received payments.
    func payee(_ account: PubkyAccountList) -> HTTPResponse {
        let invoices = account.invoices.map { invoice in
            let tone = ["open": "doubtful", "paid": "good"][invoice.state.rawValue] ?? "bad"
            let amount = invoice.amount.map { Self.sat($0) } ?? "the payer's choice"
            return [
                amount, "<span class=\"\(tone)\">\(invoice.state.rawValue)</span>",
                PageTime.text(Int64(clamping: invoice.end)), "<code>\(HTMLText.escape(invoice.text))</code>",
            ]
        }
        let received = account.received.reversed().map { one in
            [
                PageTime.text(Int64(clamping: one.time)), Self.sat(one.amount), Self.method(one),
                "<code>\(HTMLText.escape(one.name))</code>",
            ]
        }
        let files = account.files.map { path, content in
            "<dt class=\"code\">\(HTMLText.escape(path))</dt>"
                + "<dd class=\"code\">\(content.isEmpty ? "(empty)" : HTMLText.escape(content))</dd>\n"
        }
        return page(
            account.user.name,
            """
            <h1>\(HTMLText.escape(account.user.name))</h1>
            <dl class="card"><dt>Publishes</dt><dd>\(HTMLText.escape(account.user.title))</dd>
            <dt>Key</dt><dd class="code">\(account.user.key)</dd><dt>Received</dt><dd>\(Self.sum(account))</dd></dl>
            <div class="actions"><a class="button primary" href="\(Self.payer(account))">Pay \(HTMLText.escape(account.user.name))</a>
            <a class="button" href="/sandbox/paykit/payees">All payees</a></div>
            <h2>Payments</h2>
            \(PageTable.html(["When", "Amount", "Way", "Payment hash or transaction"], received, or: "None yet."))
            <h2>Invoices</h2>
            \(PageTable.html(["Amount", "State", "Until", "Invoice"], invoices, or: "None."))
            <h2>Published for payers</h2>
            \(files.isEmpty ? "<p class=\"faint\">Nothing.</p>" : "<dl>\n\(files.joined())</dl>")

            """, isWide: true)
    }

    /// The payer's page: a wallet that pays the shown endpoints.
    func payer(_ account: PubkyAccountList, problem: String? = nil, items: FormItems? = nil) -> HTTPResponse {
        let name = HTMLText.escape(account.user.name)
        let chosen = items?["endpoint"]
        let choices = account.payable.enumerated().map { place, one in
            let isChosen = chosen.map { $0 == one.text } ?? (place == 0)
            return """
                <div class="check"><input type="radio" id="way-\(place)" name="endpoint" value="\(HTMLText.escape(one.text))"\
                \(isChosen ? " checked" : "")>
                <label for="way-\(place)">\(HTMLText.escape(one.words))<br><small class="code">\(HTMLText.escape(one.text))</small></label></div>

                """
        }
        let alert = problem.map { "<p role=\"alert\" class=\"problems\">\(HTMLText.escape($0))</p>\n" } ?? ""
        let cancel = "<a class=\"button\" href=\"\(Self.payee(account))\">Cancel</a>"
        let form = """
            <form method="post" action="\(Self.payer(account))">
            <fieldset><legend>What to pay</legend>
            \(choices.joined())</fieldset>
            <label for="amount">Amount in satoshi <small>(empty: the invoice's own)</small></label>
            <input id="amount" name="amount" inputmode="numeric" autocomplete="off" \
            value="\(HTMLText.escape(items?["amount"] ?? ""))"\(problem == nil ? "" : " aria-invalid=\"true\"")>
            <div class="choices"><button class="primary">Pay \(name)</button>\(cancel)</div></form>

            """
        let nothing = """
            <p class="note">Nothing can be paid here at this moment: \(HTMLText.escape(account.user.title)).</p>
            <p>\(cancel)</p>

            """
        return page(
            "Pay \(account.user.name)",
            """
            <h1>Pay \(name)</h1>
            <p>A simulated wallet, which pays what the payee has published without asking. No money moves.</p>
            \(alert)\(choices.isEmpty ? nothing : form)
            """, status: problem == nil ? 200 : 422)
    }

    /// The page of a completed payment.
    func receipt(_ received: PubkyReceived, of account: PubkyAccountList) -> HTTPResponse {
        page(
            "Paid",
            """
            <h1 class="good">Paid</h1>
            <p class="price">\(Self.sat(received.amount))</p>
            <dl class="card"><dt>Payee</dt><dd>\(HTMLText.escape(account.user.name))</dd><dt>Way</dt><dd>\(Self.method(received))</dd>
            <dt>When</dt><dd>\(PageTime.text(Int64(clamping: received.time)))</dd>
            <dt>Payment hash or transaction</dt><dd class="code">\(HTMLText.escape(received.name))</dd></dl>
            <p><a class="button primary" href="\(Self.payee(account))">What the payee sees</a></p>

            """)
    }

    /// The page for an unknown key.
    var unknown: HTTPResponse {
        page(
            "Unknown user",
            "<h1>No user of this key is here</h1>\n<p role=\"alert\">The sandbox has no user of this key.</p>\n",
            status: 404)
    }

    // MARK: Parts

    static func payee(_ account: PubkyAccountList) -> String { "/sandbox/paykit/payees/\(account.user.key)" }
    static func payer(_ account: PubkyAccountList) -> String { "/sandbox/paykit/payer/\(account.user.key)" }

    static func sat(_ amount: some BinaryInteger) -> String {
        "\(NumberStyle.visitor.text(String(amount))) sat"
    }

    private static func method(_ received: PubkyReceived) -> String {
        received.method == "onchain" ? "on-chain" : "Lightning"
    }

    private static func sum(_ account: PubkyAccountList) -> String {
        account.sum.map { Self.sat($0) } ?? "more than can be counted"
    }

    func page(
        _ title: String, _ content: String, isWide: Bool = false, status: Int = 200
    ) -> HTTPResponse {
        HTMLPage(title: title, nonce: nonce, content: content, attributes: isWide ? " class=\"wide\"" : "")
            .response(status: status)
    }
}
