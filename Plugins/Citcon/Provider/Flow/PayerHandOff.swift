package import PaymentCore
import ServiceSupport

/// Sends a payer away and waits for the return: the part in which the router and the vendor's client differ.
package protocol PayerHandOff: Sendable {
    /// The addresses that payers return to.
    var places: CitconConfiguration.ReturnPlaces { get }

    /// Called when the handler of the payment is known.
    func begin(_ handler: GatewayHandler)

    /// Refuses, before the confirmation, an order whose payer cannot be sent to the needed place.
    func check(_ need: PayerNeed) throws

    /// Requests the payer's consent from a gateway's own library, and returns its result.
    func consent(_ request: AppRequest) async throws -> WalletReturn?

    /// Returns true if `launch` can be opened here.
    func canOpen(_ launch: Launch) -> Bool

    /// Sends the payer to the launch of a confirmed charge, and waits for the return.
    ///
    /// - Parameters:
    ///   - charge: the service's id of the charge.
    ///   - word: returns the service's answer about the charge, for payers who may be back without a URL; nil when
    ///     there is no answer.
    func open(
        _ launch: Launch, _ handler: GatewayHandler, charge: String?,
        asking word: @Sendable () async -> CitconService.Answer?
    ) async throws -> PayerArrival
}

/// The end of a wait for a payer.
package enum PayerArrival: Sendable {
    /// The payer returned by a URL.
    case back(WalletReturn)
    /// The payer returned without a URL.
    case silent
    /// The charge was decided in the meantime.
    case decided(CitconService.Answer)
    /// The application abandoned the order.
    case abandoned(OrderError)
}

/// The router's payers: their callbacks open pages and apps, and return when the payers are back.
struct PayerCallbacks: PayerHandOff {
    let provider: ProviderID
    let payer: Payer
    let places: CitconConfiguration.ReturnPlaces

    func begin(_ handler: GatewayHandler) {}

    func check(_ need: PayerNeed) throws {
        guard payer.canFulfil(need) else {
            throw PaymentError(.payer, "the payment needs \(need)", provider: provider)
        }
    }

    func consent(_ request: AppRequest) async throws -> WalletReturn? {
        guard let launcher = payer.appLauncher else {
            throw PaymentError(.payer, "the payer cannot open \(request.name)", provider: provider)
        }
        let link = try await callback(request.name) { try await launcher(request) }
        return link.flatMap { WalletReturn($0.text, from: request, at: places) }
    }

    func canOpen(_ launch: Launch) -> Bool {
        switch launch {
        case .nothing: false
        case .page: payer.browser != nil
        case .code: payer.codeDisplay != nil
        case .app: payer.appLauncher != nil
        }
    }

    func open(
        _ launch: Launch, _ handler: GatewayHandler, charge: String?,
        asking word: @Sendable () async -> CitconService.Answer?
    ) async throws -> PayerArrival {
        var back: WalletReturn?
        switch launch {
        case .nothing: break
        case .page(let text):
            let page = PageRequest(url: try HTTPURL(text), returnURLs: places.urls(of: .page))
            back = read(try await callback("the page") { try await payer.browser?(page) }, places)
        case .code(let text):
            try await callback("the code") { try await payer.codeDisplay?(CodeRequest(text: Redacted(text))) }
        case .app(let wallet):
            let request = wallet.request(handler, places)
            var places = places
            if let id = wallet.weChatAppID { places.weChatAppIDs.insert(id) }
            back = read(try await callback(wallet.name) { try await payer.appLauncher?(request) }, places)
        }
        return back.map { .back($0) } ?? .silent
    }

    private func read(_ link: PaymentLink?, _ places: CitconConfiguration.ReturnPlaces) -> WalletReturn? {
        link.flatMap { WalletReturn($0.text, at: places) }
    }

    /// Maps a thrown error to one that names only its type, because an application's error may contain anything.
    @discardableResult
    private func callback<Value>(_ what: String, _ work: () async throws -> Value) async throws -> Value {
        do { return try await work() } catch let error as PaymentError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw PaymentError(
                .payer, "\(what) could not be opened (\(type(of: error)))", provider: provider, phase: .answered,
                cause: error)
        }
    }
}

// MARK: - Launches

/// The page, code or app to open after a charge is confirmed. It is stored with an attempt, so that it can be opened
/// after a restart. It can pay only this one charge.
package enum Launch: Sendable, Hashable, Codable {
    /// Nothing to open: the charge is settled, or will be without the payer.
    case nothing
    /// A page.
    case page(url: String)
    /// A code to scan.
    case code(text: String)
    /// A wallet app.
    case app(Wallet)

    /// A wallet with its launch values.
    package struct Wallet: Sendable, Hashable, Codable {
        package let name: String
        package let url: String?
        package let payload: [String: String]
        /// The URL scheme for WeChat's return.
        package let weChatAppID: String?
    }

    /// Reads the launch payload of a confirmed charge.
    ///
    /// - Parameter service: the address that confirmed the charge. Only a service on this machine may lead to pages on
    ///   it.
    /// - Throws: ``OrderError`` with the vendor SDK's messages.
    package init(
        _ handler: GatewayHandler, _ order: Order, _ transaction: TransactionFields, at service: HTTPURL
    ) throws(OrderError) {
        if transaction.state?.isSettled == true || handler.asksFirst {
            self = .nothing
            return
        }
        let entry =
            transaction.client.first { handler == .klarna ? $0.format == "redirect" : $0.client == Order.nativeClient }
            ?? transaction.client.first
        guard let entry, let content = entry.content?.reveal(), !content.isEmpty else {
            throw OrderError(VendorText.invalidContent)
        }
        switch handler {
        case .weChat, .alipay, .unionPay:
            // The format name of payloads is not confirmed. This rejects the formats that are certainly not payloads.
            guard entry.format != "redirect", entry.format != "qr" else {
                throw OrderError(VendorText.unsupportedFormat)
            }
            self = .app(try Self.wallet(handler, order, content))
        case .url where entry.format == "json":
            guard order.method == "wechatpay" else { throw OrderError(VendorText.unsupportedMethod) }
            self = .app(try Self.wallet(.weChat, order, content))
        case .ams, .url, .xendit, .klarna:
            self = try Self.page(handler, entry.format, content, at: service)
        case .braintree, .cashApp, .payPal: self = .nothing
        }
    }

    private static func page(
        _ handler: GatewayHandler, _ format: String?, _ content: String, at service: HTTPURL
    ) throws(OrderError) -> Launch {
        guard format == "redirect" || (format == "qr" && handler == .url) else {
            throw OrderError(VendorText.unsupportedFormat)
        }
        // An address of a page with a code opens as a page. Only a code itself is shown.
        if let url = try? HTTPURL(content) {
            guard url.mayBeOpened(by: service) else { throw OrderError(VendorText.invalidRedirect) }
            return .page(url: url.text)
        }
        guard format == "qr" else { throw OrderError(VendorText.invalidRedirect) }
        return .code(text: content)
    }

    private static func wallet(
        _ handler: GatewayHandler, _ order: Order, _ content: String
    ) throws(OrderError) -> Wallet {
        func unreadable(_ what: String) -> OrderError {
            OrderError(VendorText.undecodable + what, code: VendorCode.cancelled)
        }
        guard let json = try? JSONValue(parsing: content), json.object != nil else {
            throw unreadable("the launch payload is not JSON")
        }
        let name = handler.appName ?? ""
        switch handler {
        case .weChat:
            guard let payload = CitconWalletURL.WeChatPayload(json) else {
                throw unreadable("WeChat's payload is not complete")
            }
            let url = CitconWalletURL.weChat(payload)
            var values = payload.values.reveal()
            values["universalLink"] = order.universalLink
            return Wallet(name: name, url: url.text.reveal(), payload: values, weChatAppID: payload.appID)
        case .alipay:
            guard let spec = json["orderSpec"]?.string, let signature = json["signedString"]?.string else {
                throw unreadable("Alipay's payload is not complete")
            }
            let text = "\(spec)&sign=\"\(signature)\"&sign_type=\"RSA\""
            let scheme = order.scheme ?? ""
            let url = CitconWalletURL.alipay(order: Redacted(text), scheme: scheme)
            return Wallet(
                name: name, url: url.text.reveal(), payload: ["orderString": text, "fromScheme": scheme],
                weChatAppID: nil)
        default:
            guard let number = json["tn"]?.string, !number.isEmpty else {
                throw unreadable("UnionPay's payload is not complete")
            }
            var payload = ["tn": number, "mode": order.unionPayMode ?? "00"]
            payload["fromScheme"] = order.scheme
            return Wallet(name: name, url: nil, payload: payload, weChatAppID: nil)
        }
    }
}

extension OrderFlow {
    /// The stored data of a confirmed charge.
    package struct Confirmed: Codable, Sendable {
        /// The service's id of the charge. Inquiries by it are documented.
        package let id: String?
        /// The page, code or app for the payer.
        package let launch: Launch
    }
}

extension Launch.Wallet {
    /// The request to the app launcher.
    package func request(_ handler: GatewayHandler, _ places: CitconConfiguration.ReturnPlaces) -> AppRequest {
        var places = places
        if let weChatAppID { places.weChatAppIDs.insert(weChatAppID) }
        let source = weChatAppID == nil ? handler.source : .weChat
        return AppRequest(
            name: name, url: url.map { Redacted($0) }, payload: Redacted(payload), returnURLs: places.urls(of: source))
    }
}
