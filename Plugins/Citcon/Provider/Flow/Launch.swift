package import PaymentCore
import ServiceSupport

/// The page, code or app to open once a charge is confirmed. Stored with an attempt, so that it can be started after a
/// restart: it can pay only this one charge.
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
        /// The URL scheme by which WeChat returns.
        package let weChatAppID: String?
    }

    /// Reads the launch payload of a confirmed charge.
    ///
    /// - Parameter service: the address at which the charge was confirmed; only from there may it lead to pages on this
    ///   machine.
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
            // The format name of payloads is not confirmed; this rejects the formats that are certainly none.
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
        // An address of a page with a code opens as a page; only a code itself is shown.
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
        /// The service's id of the charge, by which inquiries are documented.
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
