import PaykitProvider
import PaymentCore
import SandboxSupport

/// The console of the apps with private links: `/sandbox/paykit/links` lists them and creates further ones, each of a
/// ``LinkScenario``; `/sandbox/paykit/links/<key>` shows the links of one.
extension PubkySandbox {
    func linkConsole(_ request: HTTPRequest, _ words: [String]) async throws(PubkySandboxError) -> HTTPResponse {
        let page = PeerConsolePage(nonce: random.hex(32))
        var apps: [LinkAccount] { people.suffix(200).reversed().compactMap { linkAccounts[$0] } }
        switch (words.count, request.method) {
        case (0, .get): return page.linkApps(apps)
        case (0, .post):
            let items = FormItems(Substring(decoding: request.body, as: UTF8.self))
            guard request.mediaType == "application/x-www-form-urlencoded", !items.isAmbiguous,
                let scenario = items["scenario"].flatMap({ LinkScenario(rawValue: $0) }),
                let peer = try? await createLinkPeer(scenario)
            else { return page.linkApps(apps, problem: "Choose what the app does.") }
            let path = PeerConsolePage.links(peer.user.key)
            return HTTPResponse(status: 303, headers: ["Location": path, "Cache-Control": "no-store"])
        case (1, .get):
            guard let key = try? PubkyKey(words[0]), let account = linkAccounts[key],
                let flow = try? flow(of: account), let parties = try? await flow.parties()
            else { return page.unknown }
            var links: [(PrivateLinkParty, [PrivateLinkRequest])] = []
            for party in parties {
                links.append((party, (try? await flow.requests(with: party.peer, party.peerReceiver)) ?? []))
            }
            return page.linkApp(account, links, at: request.url.origin)
        default: throw .wrongMethod
        }
    }
}

/// The pages of the apps with private links. They load nothing and need no script.
extension PeerConsolePage {
    private static let linkRoot = "/sandbox/paykit/links"
    static func links(_ key: PubkyKey) -> String { "\(linkRoot)/\(key)" }

    /// The page of all apps, newest first, with a form that creates one.
    func linkApps(_ apps: [LinkAccount], problem: String? = nil) -> HTTPResponse {
        let rows = apps.map { app in
            let link = "<a href=\"\(Self.links(app.user.key))\">\(HTMLText.escape(app.user.name))</a>"
            return [link, HTMLText.escape(app.words), "\(app.statuses.count)"]
        }
        let choices = PubkySandbox.LinkScenario.allCases.map {
            "<option value=\"\($0.rawValue)\">\(HTMLText.escape($0.summary)) (\($0.expectedOutcome.rawValue))</option>\n"
        }
        let alert = problem.map { "<p role=\"alert\" class=\"problems\">\($0)</p>\n" } ?? ""
        return page(
            "Paykit's private links",
            """
            <h1>Paykit's private links</h1>
            <p>Apps that exchange requests, proofs and receipts with other users' apps in sealed files. Each looks at its
            links whenever a user with a link polls it. No real money.</p>
            \(alert)<form method="post" action="\(Self.linkRoot)"><label for="scenario">What the app does</label>
            <select id="scenario" name="scenario">
            \(choices.joined())</select>
            <div class="choices"><button class="primary">Create a user</button></div></form>
            <h2>Users</h2>
            \(PageTable.html(["Name", "App", "Links"], rows, or: "None yet: create one above."))

            """, isWide: true, status: problem == nil ? 200 : 422)
    }

    /// The page of one app: the way to link with it, and its requests with each user.
    func linkApp(
        _ app: LinkAccount, _ links: [(PrivateLinkParty, [PrivateLinkRequest])], at base: String
    ) -> HTTPResponse {
        let name = HTMLText.escape(app.user.name)
        let command = HTMLText.escape("--sandbox \(base) --journal links.db")
        let sections = links.map { party, requests in
            let rows = requests.map { request in
                let (terms, state) = (request.terms, request.state)
                let amount =
                    terms.amount.bitcoin.map { Self.sat($0.minorUnits) }
                    ?? "\(terms.amount.value) \(terms.amount.asset)"
                return [
                    "\(name) \(request.isOwn ? "asks" : "is asked")",
                    HTMLText.escape(amount) + (terms.recurrence.map { " every \($0.unit.rawValue)" } ?? ""),
                    HTMLText.escape(terms.reference), state.phase.rawValue, "\(state.proofs.count)",
                    "\(request.issued.count + request.receipts.count)", "<code>\(HTMLText.escape(request.id))</code>",
                ]
            }
            let titles = ["Who", "Amount", "For", "Phase", "Payments", "Receipts", "Request"]
            return "<h2 class=\"code\">\(party.peer)/\(party.peerReceiver)</h2>\n"
                + "<p>\(app.statuses[party]?.words ?? "not established yet")</p>\n"
                + PageTable.html(titles, rows, or: "No requests yet.")
        }
        return page(
            app.user.name,
            """
            <h1>\(name)</h1>
            <dl class="card"><dt>App</dt><dd>\(HTMLText.escape(app.words))</dd><dt>Path</dt><dd class="code">\(app.app)</dd>
            <dt>Key</dt><dd class="code">\(app.user.key)</dd></dl>
            <p>Begin a link, and poll it until it is linked:</p>
            <p class="code">payroute links add \(app.user.key) \(command)<br>payroute links poll \(command)</p>
            \(links.isEmpty ? "<p class=\"faint\">No links yet.</p>" : sections.joined(separator: "\n"))
            <p><a class="button" href="\(Self.linkRoot)">All apps</a></p>

            """, isWide: true)
    }
}
