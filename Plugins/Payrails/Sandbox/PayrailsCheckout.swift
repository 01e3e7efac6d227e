public import PaymentCore
public import PaymentTesting
import PayrailsKit
import SandboxSupport

/// A ``PayrailsSandbox`` with a shop: serves the library's checkout page, which pays at the sandbox.
///
/// `/checkout` lists the scenarios, `/checkout?scenario=challenge` creates a session and redirects to its page, and
/// `/checkout/<execution>` is the page of a session that ``PayrailsSandbox/createSession(_:amount:holder:base:)``
/// created for this server's address. All other paths are the sandbox's. This package's client makes the payments and
/// calls the sandbox in the same process; the browser loads only the page, and the pages of banks.
@MainActor public final class PayrailsCheckout: SandboxService {
    private let sandbox: PayrailsSandbox
    private let clock: any PaymentClock
    private let random: any RandomSource
    private var visits: [String: CheckoutVisit] = [:]

    /// Creates a shop in front of `sandbox`.
    ///
    /// - Parameters:
    ///   - sandbox: the service.
    ///   - clock: the clock for the client's polling; the sandbox has its own.
    ///   - random: the source of the tokens of pages.
    public nonisolated init(
        _ sandbox: PayrailsSandbox, clock: any PaymentClock = SystemPaymentClock(),
        random: any RandomSource = SystemRandomSource()
    ) {
        self.sandbox = sandbox
        self.clock = clock
        self.random = random
    }

    /// Answers one request.
    public nonisolated func respond(to request: HTTPRequest) async -> HTTPResponse {
        let path = request.url.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        guard path.first == "checkout" else { return await sandbox.respond(to: request) }
        return await answer(request, Array(path.dropFirst()))
    }

    private func answer(_ request: HTTPRequest, _ path: [String]) async -> HTTPResponse {
        switch (request.method, path.count) {
        case (.get, 0): return await start(request)
        case (.get, 1), (.post, 1), (.get, 3):
            guard path.count == 1 || path[1] == "return", let visit = await visit(path[0], request) else {
                return HTTPResponse(status: 404)
            }
            if path.count == 3 { return await visit.comeBack(by: request.url) }
            return request.method == .get ? visit.page() : await visit.carryOut(request.body)
        default: return HTTPResponse(status: path.count <= 3 ? 405 : 404)
        }
    }

    /// Returns the list of scenarios, or redirects to a new session of one of them.
    private func start(_ request: HTTPRequest) async -> HTTPResponse {
        let query = QueryItems(Substring(request.url.query ?? ""))
        guard let name = query.values("scenario").first else { return list }
        guard let scenario = PayrailsSandbox.Scenario(rawValue: String(name)) else { return HTTPResponse(status: 404) }
        let holder = query.first { $0.name == "holder" }?.decodedValue
        let session = await sandbox.createSession(scenario, holder: holder, base: try? HTTPURL(request.url.origin))
        return HTTPResponse(status: 303, headers: ["Location": "/checkout/\(session.id)"])
    }

    private var list: HTTPResponse {
        var page = PayrailsSandbox.PayerPage(title: "Checkouts of a shop", text: "Choose how the payment ends.")
        page.links = PayrailsSandbox.Scenario.allCases.map { ("/checkout?scenario=\($0.rawValue)", $0.summary) }
        return page.response(nonce: random.hex(32))
    }

    private func visit(_ id: String, _ request: HTTPRequest) async -> CheckoutVisit? {
        if let visit = visits[id] { return visit }
        guard let session = await sandbox.renewSession(id) else { return nil }
        let until = await sandbox.tokenEnd(of: id)
        // Two requests can arrive here concurrently; the first one's visit stays.
        if let visit = visits[id] { return visit }
        let visit = try? CheckoutVisit(
            session, sandbox, origin: request.url.origin, payableUntil: until, clock: clock, random: random)
        visits[id] = visit
        return visit
    }
}

/// The visit of one payer at one checkout.
@MainActor private final class CheckoutVisit {
    /// The maximum time that an answer waits for an action to end; the page asks again itself.
    private static let returnGrace = Duration.seconds(5)

    private let path: String
    private let token: Redacted<String>
    private let payments: PayrailsSession
    private let controller: CheckoutController
    private let clock: any PaymentClock
    private let random: any RandomSource
    private let key: CheckoutPage.EncryptionKey
    private let shop: HTTPURL?
    private let payableUntil: String?

    init(
        _ session: PayrailsSandbox.Session, _ sandbox: PayrailsSandbox, origin: String, payableUntil: String?,
        clock: any PaymentClock, random: any RandomSource
    ) throws {
        path = "/checkout/\(session.id)"
        shop = try? HTTPURL(origin + "/checkout")
        self.payableUntil = payableUntil
        token = Redacted(random.hex(32))
        self.clock = clock
        self.random = random
        key = CheckoutPage.EncryptionKey(
            subjectPublicKeyInfo: PayrailsSandbox.CardKey.publicKey, holderReference: Redacted(session.holder))
        let back = "\(origin)\(path)/return/"
        let configuration = Payrails.Configuration(
            initData: session.initData,
            option: Payrails.Options(
                env: .test,
                returnURLs: ReturnURLs(
                    success: back + "success", cancel: back + "cancel", error: back + "error",
                    pending: back + "pending")))
        let id = session.id
        payments = try PayrailsSession(
            configuration, transport: SandboxTransport(sandbox), clock: clock,
            onSessionExpired: { renewed in
                Task {
                    let session = await sandbox.renewSession(id)
                    renewed(session.map { .success($0.initData) } ?? .failure(SessionGoneError()))
                }
            })
        let pay = "Pay \(Self.price(payments.amount))"
        controller = CheckoutController(
            session: payments, card: CardFormConfig(showSaveInstrument: true, showCardIcon: true, layout: .minimal),
            style: .quietDeletion,
            translations: StoredInstrumentsTranslations(
                buttonTranslations: StoredInstrumentButtonTranslations(label: pay)),
            cardTranslations: CardPaymenButtonTranslations(label: pay),
            methods: [.payPal, .genericRedirect].filter(payments.isPaymentAvailable))
        if let usual = payments.storedInstruments(for: .card).first(where: \.isDefault) {
            controller.perform(.select(usual.id))
        }
    }

    private struct SessionGoneError: Error {}

    private static func price(_ amount: PayrailsAmount) -> String {
        "\(NumberStyle.visitor.text(amount.value)) \(amount.currency)"
    }

    func page() -> HTTPResponse {
        guard let nonce = ContentNonce(random.hex(32)) else { return HTTPResponse(status: 500) }
        var options = CheckoutPage.Options(
            path: path, token: token, assets: .inline(nonce), amount: Self.price(payments.amount),
            encryptionKey: key, currentMonth: payments.currentMonth)
        options.announcement = PageStyle.banner
        options.merchant = PayrailsSandbox.merchantName
        options.payableUntil = payableUntil
        options.shop = shop
        let page = CheckoutPage(controller, options: options)
        var headers = HTTPHeaders()
        for (name, value) in page.headers.sorted(by: { $0.key < $1.key }) { headers.append(name, value) }
        return HTTPResponse(status: 200, headers: headers, body: Array(page.html.utf8))
    }

    func carryOut(_ body: [UInt8]) async -> HTTPResponse {
        guard let post = CheckoutPost(body: body) else { return HTTPResponse(status: 400) }
        guard post.isFrom(token) else { return HTTPResponse(status: 403) }
        controller.perform(post.action, attempt: post.attempt)
        await settle()
        return HTTPResponse(status: 303, headers: ["Location": path])
    }

    func comeBack(by url: HTTPURL) async -> HTTPResponse {
        if let link = try? PaymentLink(url.text) { controller.payerReturned(by: link) }
        await settle()
        return HTTPResponse(status: 303, headers: ["Location": path])
    }

    /// Waits until no action is in progress or the payer has to act, at most for `returnGrace`.
    private func settle() async {
        let states = controller.states
        let watch = Task { for await state in states where !state.isBusy || state.challenge != nil { return } }
        let (clock, returnGrace) = (clock, Self.returnGrace)
        let timer = Task {
            try await clock.sleep(for: returnGrace)
            watch.cancel()
        }
        await watch.value
        timer.cancel()
    }
}

extension CheckoutStyle {
    /// The legible look with a delete button that differs clearly from the pay button.
    fileprivate static var quietDeletion: CheckoutStyle {
        let ink = StyleColor(
            light: StyleColor.Components(hex: 0x8C1D18), dark: StyleColor.Components(hex: 0xFFB4AB))
        let usual = CheckoutStyle.legible
        return CheckoutStyle(
            instruments: StoredInstrumentsStyle(
                buttonStyle: usual.instruments.buttonStyle,
                deleteButtonStyle: DeleteButtonStyle(
                    backgroundColor: .clear, textColor: ink, size: StyleSize(width: 44, height: 44)),
                updateButtonStyle: usual.instruments.updateButtonStyle),
            cardButton: usual.cardButton, cardForm: usual.cardForm)
    }
}

extension PayrailsSandbox {
    /// Returns the time until which a session can be paid, for people; nil if it has no token.
    func tokenEnd(of id: String) -> String? {
        executions[id]?.token.map { PageTime.text($0.expiresAt.nanoseconds / 1_000_000_000) }
    }
}

extension PayrailsSandbox.Session {
    /// The session in the form that this package's client takes.
    fileprivate var initData: Payrails.InitData { Payrails.InitData(version: version, data: data.reveal()) }
}
