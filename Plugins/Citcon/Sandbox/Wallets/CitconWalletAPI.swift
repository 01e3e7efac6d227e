import PaymentCore

/// The wallets: `POST /sandbox/citcon/wallet`, which is not part of the service. It takes the values that a wallet was
/// started with, performs the payer's act, and answers with the URL by which the wallet would return to the app.
///
/// Request: `texts` and `url`, the wallet's launch values; `returnURLs`, the app's return addresses; `act`. Answer:
/// `returnURL`, or `null` when the payer does not return.
extension CitconSandbox {
    func wallet(_ request: HTTPRequest) throws(CitconSandboxError) -> HTTPResponse {
        let body = try CitconRequests.body(request)
        guard let act = body["act"]?.string.flatMap(CitconAct.init) else { throw .badRequest }
        let url = body["url"]?.string
        let texts = Set((body["texts"]?.array ?? []).compactMap(\.string) + (url.map(CitconLaunch.texts) ?? []))
        let returns = CitconReturns(body["returnURLs"]?.array?.compactMap(\.string) ?? [], random: random)
        return envelope.success(["returnURL": .text(orNull: try back(texts, act, returns, url: url))])
    }

    private func back(
        _ texts: Set<String>, _ act: CitconAct, _ returns: CitconReturns, url: String?
    ) throws(CitconSandboxError) -> String? {
        let started = charges.values.first { $0.launch?.isStarted(by: texts) == true }
        guard let token = started?.token, let launch = started?.launch else {
            return try library(texts, act, returns)
        }
        if case .klarna = launch {
            guard act == .pay else { return returns.klarna(nil) }
            return returns.klarna(grant("klarna-"))
        }
        try self.act(act, on: token)
        let charge = try charge(token)
        guard charge.plan?.losesReturn != true else { return nil }
        switch launch {
        case .wechat: return returns.wechat(charge.status)
        case .alipay(let order, _): return returns.alipay(charge.status, order: order, launchURL: url)
        case .unionPay(let tn): return returns.unionPay(charge.status, tn: tn)
        case .klarna: return nil
        }
    }

    /// Simulates libraries that start with the keys of `config`: their results for the app are sent with the
    /// confirmation.
    private func library(
        _ texts: Set<String>, _ act: CitconAct, _ returns: CitconReturns
    ) throws(CitconSandboxError) -> String? {
        if texts.contains("CAS-CI_SANDBOX") { return returns.cashApp(act == .pay ? grant("GRG_") : nil) }
        if texts.contains(Self.payPalClient) { return returns.payPal(act == .pay ? grant("PPO-") : nil) }
        guard !texts.isDisjoint(with: clientTokens) else { throw .badRequest }
        switch act {
        case .pay: return returns.braintree("success", "paymentMethodNonce=\(grant("tokencc_"))&username=sandbox")
        case .cancel: return returns.braintree("cancel", nil)
        case .fail: return returns.braintree("error", "errorMessage=failed&errorCode=1")
        }
    }

    /// Issues a grant of the payer's consent, valid for one confirmation.
    private func grant(_ prefix: String) -> String {
        let grant = prefix + random.hex(24)
        nonces.insert(grant)
        return grant
    }
}
