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
