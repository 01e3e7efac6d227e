package import PaymentCore

/// How a payer is sent away and comes back: what differs between the router's payers and those of the vendor's client.
package protocol PayerHandOff: Sendable {
    /// Where payers come back to.
    var places: CitconConfiguration.ReturnPlaces { get }

    /// It is known who takes the payment.
    func begin(_ handler: GatewayHandler)

    /// Refuses an order whose payer cannot be sent where it needs them, before it is confirmed.
    func check(_ need: PayerNeed) throws

    /// Has a gateway's own library get the payer's consent, and returns what it brought back.
    func consent(_ request: AppRequest) async throws -> WalletReturn?

    /// Whether `launch` can be opened here.
    func canOpen(_ launch: Launch) -> Bool

    /// Sends the payer to what a confirmed charge leads to, and waits until they are back.
    ///
    /// - Parameters:
    ///   - charge: the service's id of the charge.
    ///   - word: the service's word on the charge, for payers who may be back without saying so; nil when there is
    ///     none.
    func open(
        _ launch: Launch, _ handler: GatewayHandler, charge: String?,
        asking word: @Sendable () async -> CitconService.Answer?
    ) async throws -> PayerArrival
}

/// How waiting for a payer ended.
package enum PayerArrival: Sendable {
    /// By a URL.
    case back(WalletReturn)
    /// Without one.
    case silent
    /// The charge was decided meanwhile.
    case decided(CitconService.Answer)
    /// The application gave up.
    case abandoned(OrderError)
}

/// The router's payers: what they lend opens pages and apps, and returns when they are back.
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

    /// What an application throws may hold anything, so only its type is told.
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
