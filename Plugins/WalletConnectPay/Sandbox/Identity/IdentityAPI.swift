import PaymentCore
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The payer's form: `GET /collect/` shows it, `POST /collect/submit` takes it. No credentials: it runs in a browser.
///
/// The form's submit address is the sandbox's own invention; the real page's is not documented.
extension WalletConnectPaySandbox {
    /// Returns the scheme, host and port of the payers' form.
    func formBase(for request: HTTPRequest) -> String {
        if let base = configuration.formBaseURL { return base.origin }
        // On loopback, the server's own address is used, not the client's claim.
        return request.url.isLoopback ? request.url.origin : "https://pay.walletconnect.com"
    }

    func identity(_ request: HTTPRequest, _ path: [String]) throws(ServiceError) -> HTTPResponse {
        switch (request.method, path) {
        case (.get, []), (.get, [""]): return showForm(FormItems(Substring(request.url.query ?? "")))
        case (.post, ["submit"]):
            guard request.mediaType == "application/x-www-form-urlencoded" else {
                throw .parameters("Content-Type must be application/x-www-form-urlencoded")
            }
            return submit(FormItems(Substring(decoding: request.body, as: UTF8.self)))
        default: throw .unknownPath
        }
    }

    private func showForm(_ items: FormItems) -> HTTPResponse {
        let page = page(items)
        let (record, accounts): (PaymentRecord, [String])
        do { (record, accounts) = try subject(of: items) } catch {
            return page.failed(error.message, status: error.status)
        }
        guard !record.identified.isSuperset(of: accounts) else { return page.finished() }
        return page.form(
            record, accounts: accounts.joined(separator: ","), values: Self.prefilled(items["prefill"]))
    }

    private func submit(_ items: FormItems) -> HTTPResponse {
        let page = page(items)
        let (record, accounts): (PaymentRecord, [String])
        do { (record, accounts) = try subject(of: items) } catch {
            return page.failed(error.message, status: error.status)
        }
        // Browsers also send empty inputs.
        let values = items.values.filter { !["pid", "accounts", "theme"].contains($0.key) && !$0.value.isEmpty }
        let problems = IdentityForm.problems(with: values)
        guard problems.isEmpty, !items.isAmbiguous else {
            let ambiguous = IdentityForm.Problem(field: "the form", text: "holds a field twice or is badly encoded")
            return page.form(
                record, accounts: accounts.joined(separator: ","), values: values,
                problems: problems + (items.isAmbiguous ? [ambiguous] : []))
        }
        payments[record.id]?.identified.formUnion(accounts)
        return page.finished()
    }

    /// Returns the payment and the accounts of a form. The message of an error is human-readable.
    private func subject(of items: FormItems) throws(ServiceError) -> (PaymentRecord, [String]) {
        let record = try payment(items["pid"] ?? "")
        switch record.status {
        case .requiresAction: break
        case .expired: throw .paymentExpired
        default: throw .invalidState("This payment is not open")
        }
        let asked = Set(record.offers.values.filter(\.asksForData).map(\.account))
        let accounts = items["accounts"]?.split(separator: ",").map(String.init) ?? []
        guard !accounts.isEmpty, asked.isSuperset(of: accounts) else {
            throw .validation("No details are needed for these accounts")
        }
        return (record, accounts)
    }

    private func page(_ items: FormItems) -> IdentityPage {
        IdentityPage(theme: items["theme"].flatMap(IdentityPage.Theme.init), nonce: random.hex(32))
    }

    /// Returns the values that a wallet pre-fills for its user: base64 in either alphabet, padded or not, of a JSON
    /// object of texts. Consent cannot be pre-filled, and unreadable values are ignored.
    private static func prefilled(_ text: String?) -> [String: String] {
        // A `+` that was not percent-encoded has become a space.
        var base64 = (text ?? "").map { [" ": "+", "-": "+", "_": "/"][$0] ?? $0 }
        while base64.count % 4 != 0 { base64.append("=") }
        guard let data = Data(base64Encoded: String(base64)), let members = try? JSONValue(parsing: Array(data)).object
        else { return [:] }
        return members.compactMapValues(\.string).filter { $0.key != "tosConfirmed" }
    }
}
