import PaymentCore
import PayrailsTypes

/// What a payer has to do before a payment can go on.
struct PendingAction: Sendable {
    /// The page to show.
    let page: PageRequest
    /// What confirms the payer's approval with PayPal; nil for everything else.
    let approval: Approval?

    /// A PayPal approval that has to be confirmed.
    struct Approval: Sendable {
        let link: LinkBody
        let orderID: String?
        let tokenID: String?

        /// What `confirm` asks to be approved; nil when it names nothing.
        init?(_ confirm: LinkBody?) {
            guard let confirm, let parameters = confirm.action?.parameters else { return nil }
            orderID = parameters.orderId?.nonEmpty
            tokenID = parameters.tokenId?.nonEmpty
            guard orderID != nil || tokenID != nil else { return nil }
            link = confirm
        }

        /// The item of a return URL that names another order or agreement than the service did; nil when none does.
        ///
        /// Where the service named only an agreement, PayPal names the order that it made of it: the agreement has to
        /// stand beside it then.
        func disagreement(with returned: Returned) -> String? {
            if let item = returned.repeated { return item }
            var isNamed = false
            if let order = returned.orderID {
                isNamed = order == orderID || order == tokenID
                guard isNamed || orderID == nil else { return "token" }
            }
            if let agreement = returned.agreementID {
                guard agreement == tokenID else { return "ba_token" }
                isNamed = true
            }
            return isNamed || returned.orderID == nil ? nil : "token"
        }

        /// Refuses a return of another order.
        ///
        /// - Throws: ``PayrailsError``.
        func check(_ returned: Returned) throws(PayrailsError) {
            guard let item = disagreement(with: returned) else { return }
            throw .unknown(error: PayrailsUnderlyingError.foreignReturn(item: item))
        }

        /// The body that confirms what the payer approved; nil when the return URL does not tell who it was.
        ///
        /// `token` and `PayerID` are PayPal's own names in return URLs.
        func confirmation(_ returned: Returned) -> JSONValue? {
            guard let payer = returned.payerID?.nonEmpty, let order = (returned.orderID ?? orderID)?.nonEmpty else {
                return nil
            }
            var data: [String: JSONValue] = ["orderId": .string(order), "payerId": .string(payer)]
            if let tokenID = tokenID?.nonEmpty { data["tokenId"] = .string(tokenID) }
            return ["data": .object(data)]
        }
    }

    /// How a payer came back from a page.
    struct Returned: Sendable, Codable {
        /// Nil when the page was closed, or led somewhere else.
        let kind: String?
        let payerID: String?
        let orderID: String?
        let agreementID: String?
        /// The item that stands there more than once: nobody can tell which is meant.
        let repeated: String?

        init(_ url: PaymentLink?, _ returnURLs: ReturnURLs) {
            kind = url.flatMap(returnURLs.kind)?.rawValue
            func items(_ name: String) -> [String] {
                url?.queryItems.filter { $0.name == name }.map { $0.decodedValue ?? String($0.value) } ?? []
            }
            payerID = items("PayerID").first
            orderID = items("token").first
            agreementID = items("ba_token").first
            repeated = ["token", "ba_token", "PayerID"].first { items($0).count > 1 }
        }

        /// Whether the page was finished, so far as a URL can tell.
        var isFinished: Bool { kind == ReturnURLs.Kind.success.rawValue || kind == ReturnURLs.Kind.pending.rawValue }
    }

    /// Reads what `execution`, begun with `type`, asks of the payer.
    ///
    /// - Throws: ``PayrailsError``: `missingData` when it does not say where, `unknown` when the address is not one
    ///   that may be opened.
    init(
        _ execution: ExecutionBody, _ type: Payrails.PaymentType, _ addresses: AddressRule, returnURLs: ReturnURLs
    ) throws(PayrailsError) {
        let links = execution.links
        let url: HTTPURL
        var approval: Approval?
        switch type {
        case .card, .applePay:
            guard let address = links.threeDS?.nonEmpty else { throw .missingData("the link '3ds' to the challenge") }
            url = try addresses.page(address, called: "'links.3ds'")
        case .genericRedirect:
            guard let address = links.redirect?.nonEmpty else { throw .missingData("the link 'redirect'") }
            url = try addresses.foreignPage(address)
        case .payPal:
            guard let confirm = links.confirm else { throw .missingData("the link 'confirm' of a PayPal payment") }
            approval = Approval(confirm)
            guard approval != nil else { throw .missingData("PayPal's order or billing agreement") }
            guard let address = confirm.action?.redirectUrl?.nonEmpty ?? links.redirect?.nonEmpty else {
                throw .missingData("the address of PayPal's page")
            }
            url = try addresses.payPalPage(address)
        }
        page = PageRequest(url: url, returnURLs: returnURLs.all)
        self.approval = approval
    }

    /// What kind of payment `execution` was begun with, so far as what it asks of the payer tells.
    static func type(of execution: ExecutionBody) -> Payrails.PaymentType {
        let links = execution.links
        if links.confirm?.action?.parameters != nil { return .payPal }
        // Links to a challenge are given to payments that need none, too.
        return execution.actionRequired == "3ds" || links.redirect == nil ? .card : .genericRedirect
    }
}
