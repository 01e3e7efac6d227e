import PaymentCore

/// An action that a payer has to complete before a payment can continue.
struct PendingAction: Sendable {
    /// The page to show.
    let page: PageRequest
    /// The approval to confirm with PayPal; nil for other payments.
    let approval: Approval?

    /// A PayPal approval that has to be confirmed.
    struct Approval: Sendable {
        let link: LinkBody
        let orderID: String?
        let tokenID: String?

        /// Creates the approval that `confirm` requires; nil if it names no order and no agreement.
        init?(_ confirm: LinkBody?) {
            guard let confirm, let parameters = confirm.action?.parameters else { return nil }
            orderID = parameters.orderId?.nonEmpty
            tokenID = parameters.tokenId?.nonEmpty
            guard orderID != nil || tokenID != nil else { return nil }
            link = confirm
        }

        /// Returns the item of a return URL that names another order or agreement than the service did; nil if none
        /// does.
        ///
        /// If the service named only an agreement, PayPal names the order that it made from it: the return URL has to
        /// name the agreement too.
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

        /// Rejects a return of another order.
        ///
        /// - Throws: ``PayrailsError``.
        func check(_ returned: Returned) throws(PayrailsError) {
            guard let item = disagreement(with: returned) else { return }
            throw .unknown(error: PayrailsUnderlyingError.foreignReturn(item: item))
        }

        /// Returns the body that confirms the payer's approval; nil if the return URL does not identify the payer.
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

    /// The payer's return from a page.
    struct Returned: Sendable, Codable {
        /// The kind of return URL; nil if the page was closed, or led elsewhere.
        let kind: String?
        let payerID: String?
        let orderID: String?
        let agreementID: String?
        /// The item that occurs more than once, and is therefore ambiguous.
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

        /// True if the payer finished the page, as far as a URL shows.
        var isFinished: Bool { kind == ReturnURLs.Kind.success.rawValue || kind == ReturnURLs.Kind.pending.rawValue }
    }

    /// Creates the action that `execution`, begun with `type`, requires of the payer.
    ///
    /// - Throws: ``PayrailsError``: `missingData` if the address is missing, `unknown` if it must not be opened.
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

    /// Returns the type of payment that `execution` was begun with, as far as its required action shows it.
    static func type(of execution: ExecutionBody) -> Payrails.PaymentType {
        let links = execution.links
        if links.confirm?.action?.parameters != nil { return .payPal }
        // The service also sends links to a challenge with payments that need none.
        return execution.actionRequired == "3ds" || links.redirect == nil ? .card : .genericRedirect
    }
}

/// A payer's visit to a page, with concurrent polling for the report of the payment: the page may never lead back, or
/// the payer may finish elsewhere.
struct PageVisit: Sendable {
    /// The end of a visit.
    enum Event: Sendable {
        /// The payer left the page, by this URL or by closing it.
        case left(PaymentLink?)
        /// The page could not be shown; the type of the error.
        case notShown(String)
        /// The service reported the payment's end. The page has to be closed.
        case ending(ExecutionPoll.Ending)
        /// Polling failed with an error.
        case abandoned(PayrailsError)
    }

    let page: PageRequest
    let show: @Sendable (PageRequest) async throws -> PaymentLink?

    /// Shows the page and polls the execution at `url`, until the first of the two has a result.
    func run(besides poll: ExecutionPoll, of url: String) async -> Event {
        await withTaskGroup(of: Event.self) { group in
            group.addTask {
                do { return .left(try await show(page)) } catch { return .notShown("\(type(of: error))") }
            }
            group.addTask {
                do throws(PayrailsError) {
                    return .ending(try await poll.ending(of: url, knowsPending: false))
                } catch {
                    return .abandoned(error)
                }
            }
            defer { group.cancelAll() }
            var latest = Event.abandoned(.unknown(error: nil))
            for await event in group {
                latest = event
                // A failed poll does not close the page. A refused token does.
                if case .abandoned(let error) = event, !error.isAuthentication { continue }
                break
            }
            return latest
        }
    }
}
