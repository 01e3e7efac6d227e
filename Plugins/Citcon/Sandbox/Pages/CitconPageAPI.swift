import PaymentCore
import SandboxSupport

/// The payment pages: `GET` shows one, `POST` performs its buttons' actions. They need no credentials, because they
/// open in browsers.
extension CitconSandbox {
    func showPage(_ id: String, _ request: HTTPRequest) throws(CitconSandboxError) -> HTTPResponse {
        guard let token = tokensByPage[id] else { return unknownPage }
        let charge = try charge(token)
        guard charge.status == .initiated else {
            let isFromHome = FormItems(Substring(request.url.query ?? ""))["from"] == "home"
            return page.ending(charge, back: isFromHome ? "/ledger/\(charge.id)" : Self.wayBack(charge))
        }
        return page.question(
            charge, isCode: charge.pages.contains { $0.id == id && $0.format == "qr" },
            methods: charge.method == Self.hosted ? Self.onPage : [])
    }

    func submitPage(_ id: String, _ request: HTTPRequest) throws(CitconSandboxError) -> HTTPResponse {
        guard let token = tokensByPage[id] else { return unknownPage }
        let items = FormItems(Substring(decoding: request.body, as: UTF8.self))
        guard request.mediaType == "application/x-www-form-urlencoded",
            let act = items["act"].flatMap(CitconAct.init), !items.isAmbiguous
        else { return page.problem("Please choose one of the buttons.", status: 400) }
        if let method = items["method"] {
            guard try self.charge(token).method == Self.hosted, Self.onPage.contains(method) else {
                return page.problem("There is no such method here.", status: 400)
            }
            if try self.charge(token).status == .initiated { charges[token]?.method = method }
        }
        try self.act(act, on: token)
        let charge = try charge(token)
        // A payer from the sandbox's home has no app to return to.
        if FormItems(Substring(request.url.query ?? ""))["from"] == "home" {
            return page.ending(charge, back: "/ledger/\(charge.id)")
        }
        var response = page.ending(charge, back: Self.wayBack(charge))
        if let back = Self.wayBack(charge), charge.plan?.losesReturn != true {
            response.status = 303
            response.headers["Location"] = charge.plan?.returnsForeign == true ? back + "?reference=another" : back
        }
        return response
    }

    /// The id of the service's own page, on which payers choose.
    private static let hosted = "hpp"
    /// The methods on that page.
    private static let onPage = documentedMethods.filter { $0 != hosted }

    private var page: CitconPage { CitconPage(merchant: configuration.merchant, nonce: random.hex(32)) }

    private var unknownPage: HTTPResponse { page.problem("There is no such payment here.", status: 404) }

    /// Returns the address to which the payer goes from here.
    private static func wayBack(_ charge: CitconCharge) -> String? {
        switch charge.status {
        case .authorized, .succeeded, .pending: charge.urls.success
        case .canceled: charge.urls.cancel ?? charge.urls.fail
        case .failed, .expired: charge.urls.fail
        case .initiated: nil
        }
    }
}
