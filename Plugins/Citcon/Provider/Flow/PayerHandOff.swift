package import PaymentCore

/// Sends a payer away and waits for the return: the part in which the router and the vendor's client differ.
package protocol PayerHandOff: Sendable {
    /// The addresses that payers return to.
    var places: CitconConfiguration.ReturnPlaces { get }

    /// Called when the handler of the payment is known.
    func begin(_ handler: GatewayHandler)

    /// Refuses, before the confirmation, an order whose payer cannot be sent where needed.
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
    /// The charge was decided meanwhile.
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
