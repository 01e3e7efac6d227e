import PaymentCore
import PaymentTesting
import SandboxSupport

/// The pages for people. They work without scripts. With scripts, the log is live.
extension SandboxHome {
    func page(_ request: HTTPRequest, _ path: [String]) async -> HTTPResponse {
        let nonce = random.hex(32)
        switch (request.method, path.count) {
        case (.get, 0):
            await refresh()
            return HomePage(
                services: services, program: actions.program, origin: request.url.origin, last: homeLedger
            ).response(nonce)
        case (.get, 1), (.get, 2):
            switch path[0] {
            case "playground" where path.count == 1:
                let query = FormItems(Substring(request.url.query ?? ""))
                return playground(query["text"]).response(nonce)
            case "scenarios" where path.count == 1:
                let query = FormItems(Substring(request.url.query ?? ""))
                return ScenariosPage(
                    services: services, showsTampered: showsTampered, search: query["search"] ?? "",
                    shown: query["show"].flatMap(shown)
                ).response(nonce)
            case "ledger": return await ledgerPage(request, path, nonce)
            default: break
            }
        case (.post, 1...3): return await act(request, path, nonce)
        default: break
        }
        return problem("There is no such page.", status: request.method.isSafe ? 404 : 405, nonce)
    }

    func problem(_ text: String, status: Int, _ nonce: String) -> HTTPResponse {
        let title = status == 404 ? "Not found" : "Not possible"
        return HomeFrame.page(
            title, room: "", nonce: nonce,
            """
            <h1>\(title)</h1>
            <p role="alert">\(HTMLText.escape(text))</p>
            <p><a class="button" href="/">Home</a></p>

            """, status: status)
    }

    private func ledgerPage(_ request: HTTPRequest, _ path: [String], _ nonce: String) async -> HTTPResponse {
        guard path.count == 2 else {
            await refresh()
            let query = FormItems(Substring(request.url.query ?? ""))
            return LedgerPage(
                homeLedger: homeLedger, services: services, faults: faults, clock: clock, filter: query["filter"] ?? ""
            ).response(nonce)
        }
        await refresh()
        guard let id = PercentCoding.decode(path[1]), let entry = homeLedger.entries[id] else {
            return problem("There is no payment of this name here.", status: 404, nonce)
        }
        let service = service(entry.service)
        let pages = await service?.pages(of: id) ?? []
        return PaymentPage(
            entry: entry, service: service?.title ?? entry.service, pages: pages,
            notifies: await service?.notifications(from: .max) != nil,
            picture: entry.listed.flatMap { actions.picture(of: $0.link) },
            origin: request.url.origin, last: homeLedger.lastNumber, program: actions.program
        ).response(nonce)
    }

    // MARK: Forms

    /// Carries out the pages' forms. Only the home's own pages may send them.
    private func act(_ request: HTTPRequest, _ path: [String], _ nonce: String) async -> HTTPResponse {
        guard HomeGuard.isOwn(request) else { return HomeGuard.refusal }
        if path == ["playground"], request.mediaType == "multipart/form-data" {
            return readPicture(request).response(nonce)
        }
        guard request.mediaType == "application/x-www-form-urlencoded" else {
            return problem("Forms are sent as application/x-www-form-urlencoded.", status: 415, nonce)
        }
        let items = FormItems(Substring(decoding: request.body, as: UTF8.self))
        switch (path[0], path.count) {
        case ("playground", 1):
            if let standard = items["build"] {
                let made = TextBuilder.text(standard, items.values)
                return playground(made.text, problem: made.problem, built: standard, items).response(nonce)
            }
            return playground(items["text"] ?? "").response(nonce)
        case ("scenarios", 1): return await make(request, items, nonce)
        case ("ledger", 1): return await change(items, nonce)
        case ("ledger", 3):
            guard let id = PercentCoding.decode(path[1]), homeLedger.entries[id] != nil else { break }
            return await act(path[2], on: id, request, items, nonce: nonce)
        default: break
        }
        return problem("There is no such form.", status: 404, nonce)
    }

    private func playground(
        _ text: String?, problem: String? = nil, built: String? = nil, _ items: FormItems? = nil
    ) -> PlaygroundPage {
        PlaygroundPage(
            services: services, actions: actions, text: text, problem: problem, built: built, items: items)
    }

    private func readPicture(_ request: HTTPRequest) -> PlaygroundPage {
        let file = UploadedFile("image", of: request.body, contentType: request.headers["Content-Type"] ?? "")
        guard let file, !file.bytes.isEmpty else {
            return playground(nil, problem: "Choose a picture first.")
        }
        do throws(PictureError) {
            let texts = try actions.texts(in: file.bytes)
            let others = texts.count > 1 ? "There are \(texts.count) codes in the picture; this is the first." : nil
            return playground(texts.first, problem: others)
        } catch { return playground(nil, problem: error.words) }
    }

    /// The part of the scenarios' page about a payment that was made here.
    private func shown(_ id: String) -> ScenariosPage.Shown? {
        homeLedger.entries[id].flatMap { entry in
            entry.listed.map { .init(service: entry.service, payment: $0, picture: actions.picture(of: $0.link)) }
        }
    }

    private func make(_ request: HTTPRequest, _ items: FormItems, _ nonce: String) async -> HTTPResponse {
        let asked = items["make"] ?? items["link"] ?? items["open"] ?? items["pay"] ?? ""
        let parts = asked.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2, let base = try? HTTPURL(request.url.origin) else {
            return problem("There is no such scenario.", status: 404, nonce)
        }
        let amount: Money?
        do throws(RequestError) { amount = try Self.money(items["amount"], items["currency"]) } catch {
            return ScenariosPage(
                services: services, showsTampered: showsTampered, refused: (parts[0], error.text, items)
            ).response(nonce)
        }
        // A link that is viewed again, with no other amount, is the one that was made before.
        if items["link"] != nil, amount == nil, let untouched = homeLedger.untouched(parts[1], of: parts[0]) {
            return Self.redirect(Self.row(of: untouched))
        }
        guard let payment = await make(parts[1], of: parts[0], amount: amount, at: base) else {
            guard amount != nil, services.contains(where: { $0.id == parts[0] }) else {
                return problem("There is no such scenario.", status: 404, nonce)
            }
            let text = "This scenario takes no such amount, or has its own: try without an amount."
            return ScenariosPage(services: services, showsTampered: showsTampered, refused: (parts[0], text, items))
                .response(nonce)
        }
        if items["link"] != nil { return Self.redirect(Self.row(of: payment.id)) }
        if items["open"] != nil,
            let page = await service(parts[0])?.pages(of: payment.id).first
        {
            return Self.redirect(page.path)
        }
        if items["pay"] != nil { _ = await start(payment.id, at: base) }
        return Self.redirect(HomeFrame.path(payment.id))
    }

    /// Starts the payment and waits for it for two seconds. Most payments end within that time.
    ///
    /// - Returns: False if there is nothing to pay here.
    private func start(_ id: String, at base: HTTPURL) async -> Bool {
        guard let work = pay(id, at: base) else { return false }
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        Task {
            await work.value
            end.finish()
        }
        let patience = Task {
            guard (try? await Task.sleep(for: .seconds(2))) != nil else { return }
            end.finish()
        }
        // Whichever comes first. The payment itself continues.
        for await _ in ended {}
        patience.cancel()
        return true
    }

    private func act(
        _ verb: String, on id: String, _ request: HTTPRequest, _ items: FormItems, nonce: String
    ) async -> HTTPResponse {
        switch verb {
        case "pay":
            guard let base = try? HTTPURL(request.url.origin), await start(id, at: base) else {
                return problem("Another program made this payment; it alone knows its link.", status: 409, nonce)
            }
        case "notify":
            guard await notifyAgain(id) != nil else {
                return problem(
                    "There is no notification of this payment, or no receiver for it: start the sandbox with --webhooks, "
                        + "or name an address when you make the payment.", status: 409, nonce)
            }
        case "fault":
            guard let kind = items["kind"].flatMap(PlannedFault.Kind.init),
                plan(PlannedFault(kind: kind, payment: id, method: items["any"] == nil ? "POST" : nil))
            else { return problem("There is no such fault, or too many wait already.", status: 400, nonce) }
        default: return problem("There is no such form.", status: 404, nonce)
        }
        return Self.redirect(HomeFrame.path(id))
    }

    private func change(_ items: FormItems, _ nonce: String) async -> HTTPResponse {
        if let kind = items["kind"].flatMap(PlannedFault.Kind.init) {
            guard plan(PlannedFault(kind: kind, method: items["any"] == nil ? "POST" : nil)) else {
                return problem("Too many faults wait already.", status: 409, nonce)
            }
        } else if let minutes = items["minutes"].flatMap({ Int64($0) }), (1...527_040).contains(minutes) {
            await advance(bySeconds: minutes * 60)
        } else {
            return problem("Choose a fault, or say how many minutes the clock goes forward.", status: 400, nonce)
        }
        return Self.redirect("/ledger")
    }

    /// The place of a payment's link on the scenarios' page.
    private static func row(of payment: String) -> String {
        "/scenarios?show=\(PercentCoding.encode(payment))#\(ScenariosPage.anchor)"
    }

    private static func redirect(_ path: String) -> HTTPResponse {
        HTTPResponse(status: 303, headers: ["Location": path, "Cache-Control": "no-store"])
    }
}

// MARK: - The first page

/// `/`: the services that run here, the settings that point a program at them, and the menu.
struct HomePage {
    let services: [any ListedService]
    let program: String?
    let origin: String
    let last: HomeLedger

    func response(_ nonce: String) -> HTTPResponse {
        let rooms = [
            (
                "/playground", "Playground",
                "Paste or scan any payment text: what it is, where it goes, and whether to trust it."
            ),
            ("/scenarios", "Scenarios", "Payments with every outcome, one button each."),
            (
                "/ledger", "Ledger and requests",
                "Your program's requests, the responses, and where the money went. Live."
            ),
        ]
        let cards = rooms.map { path, title, text in
            "<section class=\"card\"><h2><a href=\"\(path)\">\(title)</a></h2><p>\(text)</p></section>"
        }
        let pages = services.flatMap(\.pages)
        let links = pages.map { "<li><a href=\"\($0.path)\">\(HTMLText.escape($0.title))</a></li>" }
        return HomeFrame.page(
            "Home", room: "/", nonce: nonce, attributes: " data-after=\"\(last.lastNumber)\"",
            """
            <h1>Payments that move no money</h1>
            <p>Simulated payment services on this machine, for testing your integration. Nothing leaves the machine.</p>
            \(recent)<div class="rooms">
            \(cards.joined(separator: "\n"))
            </div>
            <h2>Point your program at it</h2>
            <p>One address for all services; programs of this machine reach it.</p>
            \(HomeFrame.copyable(origin, name: "address"))
            \(snippets)
            <details><summary>Keys for servers</summary>
            \(services.compactMap(described).joined())</details>
            <h2>Pages of the services</h2>
            <p>A payment's own pages, such as the shop's checkout or the wallet's, are listed with it.</p>
            <ul>
            \(links.joined(separator: "\n"))
            </ul>
            <h2>For programs</h2>
            <p><a href="/_sandbox/openapi.json">The interface</a> makes payments, plans faults, sets the clock forward and
            reports events; <a href="/health">/health</a> answers once it runs. Pages of browsers may call it from loopback
            origins only.</p>

            """)
    }

    private func described(_ service: any ListedService) -> String? {
        let hint = service.hint.map { "<p class=\"hint\">\(HTMLText.escape($0))</p>\n" } ?? ""
        return "<h3>\(HTMLText.escape(service.title))</h3>\n\(hint)"
    }

    private var snippets: String {
        guard let service = services.first, let scenario = service.scenarios.first else { return "" }
        return HomeSnippet.all(origin: origin, service: service.id, scenario: scenario.name).filter {
            program != nil || !$0.needsProgram
        }.map {
            "<details><summary>\($0.name)</summary>\(HomeFrame.copyable($0.text, name: $0.name))</details>\n"
        }.joined()
    }

    /// The payments that were made last, and a button for another.
    private var recent: String {
        let entries = last.newest(3)
        let first = services.first.flatMap { service in
            service.scenarios.first.map { HTMLText.escape("\(service.id)/\($0.name)") }
        }
        let button = first.map {
            """
            <form method="post" action="/scenarios" class="actions"><button class="primary" name="pay" value="\($0)">\
            Make one and pay it</button></form>

            """
        }
        return """
            <h2>Last payments <small class="faint" id="live"></small></h2>
            \(entries.isEmpty ? "<p id=\"payments\">None yet.</p>" : HomeFrame.payments(entries, services))
            \(button ?? "")
            """
    }
}

// MARK: - Programs to copy

/// A program that makes a payment at this sandbox and pays it, whole: it runs as it is copied.
struct HomeSnippet {
    let name: String
    let text: String
    /// True if it runs at the sandbox of the command line alone.
    var needsProgram = false

    /// Returns one program for each language.
    ///
    /// - Parameters:
    ///   - service: The service's id. Like the scenario's name, it needs no quoting in any of the languages.
    static func all(origin: String, service: String, scenario: String) -> [HomeSnippet] {
        let order = JSONValue.object(["service": .string(service), "scenario": .string(scenario)]).text
        return [
            HomeSnippet(
                name: "Shell",
                text: """
                    export PAYROUTE_SANDBOX=\(origin)
                    payroute pay "$(payroute sandbox new \(service)/\(scenario) | head -n 1)"
                    """, needsProgram: true),
            HomeSnippet(
                name: "curl",
                text: "curl -s \(origin)/_sandbox/payments -H 'Content-Type: application/json' -d '\(order)'"),
            HomeSnippet(name: "Swift", text: swift(origin, service, scenario), needsProgram: true),
            HomeSnippet(
                name: "JavaScript",
                text: """
                    async function call(path, body) {
                      const answer = await fetch("\(origin)/_sandbox/" + path, {
                        method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
                      return answer.json();
                    }
                    async function main() {
                      const payment = await call("payments", \(order));
                      const paid = await call("payments/" + payment.id + "/pay", {});
                      console.log(payment.link, paid.outcome);
                    }
                    main();
                    """),
            HomeSnippet(
                name: "Python",
                text: """
                    import json, urllib.request

                    def call(path, body):
                        request = urllib.request.Request("\(origin)/_sandbox/" + path, json.dumps(body).encode(),
                                                         {"Content-Type": "application/json"})
                        return json.load(urllib.request.urlopen(request))

                    payment = call("payments", \(order))
                    paid = call("payments/" + payment["id"] + "/pay", {})
                    print(payment["link"], paid["outcome"])
                    """),
        ]
    }

    /// The example `sandbox-payment`, which is compiled and run with the tests, with this address and scenario.
    private static func swift(_ origin: String, _ service: String, _ scenario: String) -> String {
        """
        import PaymentCore
        import PaymentRouting
        import PaymentSandbox
        import PaymentStore
        import PaymentTransport

        // A merchant's part: make a payment. The address may be given as an argument.
        let address = CommandLine.arguments.dropFirst().first ?? "\(origin)"
        let order: JSONValue = ["service": "\(service)", "scenario": "\(scenario)"]
        let made = try await StandardTransport().send(
            HTTPRequest(
                .post, try HTTPURL(address + "/_sandbox/payments"), headers: ["Content-Type": "application/json"],
                body: order.serialized()))
        let link = try JSONValue(parsing: made.body)["link"]?.string ?? ""

        // The payer's part: pay it, with a wallet and money that are made up.
        let sandbox = try await SandboxConnection(address)
        let router = try sandbox.router(journal: InMemoryJournal())
        print(try await router.pay(link, as: sandbox.payer(), acceptingUnverified: true))
        """
    }
}
