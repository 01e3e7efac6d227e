import PaymentCore

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

        init(_ url: PaymentLink?, _ returnURLs: ReturnURLs) {
            kind = url.flatMap(returnURLs.kind)?.rawValue
            func item(_ name: String) -> String? {
                url?.queryItems.first { $0.name == name }?.decodedValue
            }
            payerID = item("PayerID")
            orderID = item("token")
        }

        /// Whether the page was finished, so far as a URL can tell.
        var isFinished: Bool { kind == ReturnURLs.Kind.success.rawValue || kind == ReturnURLs.Kind.pending.rawValue }
    }

    /// Reads what `execution`, begun with `type`, asks of the payer.
    ///
    /// - Throws: ``PayrailsError``: `missingData` when it does not say where, `unknown` when the address is not one that
    ///   may be opened.
    init(
        _ execution: ExecutionBody, _ type: Payrails.PaymentType, _ addresses: AddressRule, _ returnURLs: ReturnURLs
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
            let parameters = confirm.action?.parameters
            guard parameters?.tokenId?.nonEmpty != nil || parameters?.orderId?.nonEmpty != nil else {
                throw .missingData("PayPal's order or billing agreement")
            }
            guard let address = confirm.action?.redirectUrl?.nonEmpty ?? links.redirect?.nonEmpty else {
                throw .missingData("the address of PayPal's page")
            }
            url = try addresses.payPalPage(address)
            approval = Approval(link: confirm, orderID: parameters?.orderId, tokenID: parameters?.tokenId)
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
