import PaymentCore
import SandboxSupport

/// The pages for people. They work without scripts; with them the log is live.
extension SandboxHome {
    func page(_ request: HTTPRequest, _ path: [String]) async -> HTTPResponse {
        let nonce = random.hex(32)
        switch (request.method, path.count) {
        case (.get, 0):
            await refresh()
            return HomePage(services: services, origin: request.url.origin, last: homeLedger).response(nonce)
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
        let payable = await service?.payable(id)
        return PaymentPage(
            entry: entry, service: service?.title ?? entry.service, pages: pages,
            isPayable: entry.listed != nil || payable != nil, notifies: service?.notifies ?? false,
            picture: entry.listed.flatMap { actions.picture(of: $0.link) },
            origin: request.url.origin,
            last: homeLedger.lastNumber
        ).response(nonce)
    }

    // MARK: Forms

    /// Does what the pages' forms ask for. Only the home's own pages may.
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

    /// Starts the payment and waits for it for two seconds; most payments end within that time.
    ///
    /// - Returns: False if there is nothing to pay here.
    private func start(_ id: String, at base: HTTPURL) async -> Bool {
        guard let work = await pay(id, at: base) else { return false }
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        Task {
            await work.value
            end.finish()
        }
        let patience = Task {
            guard (try? await Task.sleep(for: .seconds(2))) != nil else { return }
            end.finish()
        }
        // Whichever is first; the payment itself continues.
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
