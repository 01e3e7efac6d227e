import PaymentCore

/// An address, with its method and action.
package struct LinkBody: Decodable, Sendable, Hashable {
    package struct Action: Decodable, Sendable, Hashable {
        package struct Parameters: Decodable, Sendable, Hashable {
            package let orderId: String?
            package let tokenId: String?
        }

        package let redirectMethod: String?
        package let redirectUrl: String?
        package let type: String?
        package let parameters: Parameters?
    }

    package let method: String?
    package let href: String?
    package let action: Action?
}

/// The addresses for queries about an execution and for its further actions.
package struct ExecutionLinksBody: Decodable, Sendable, Hashable {
    package let me: String
    package let threeDS: String?
    package let lookup: LinkBody?
    package let confirm: LinkBody?
    package let redirect: String?

    private enum CodingKeys: String, CodingKey {
        case me = "self"
        case threeDS = "3ds"
        case lookup, confirm, redirect
    }
}

/// One entry of an execution's history.
package struct StatusBody: Decodable, Sendable, Hashable {
    package struct ErrorDetail: Decodable, Sendable, Hashable {
        package struct Reason: Decodable, Sendable, Hashable {
            package let category: String?
            package let result: String?
            let source: String?
        }

        let code: String?
        package let detail: String?
        package let reason: Reason?
    }

    package let code: String
    package let time: VendorTime
    package let errors: [ErrorDetail]?
}

/// A payment at the service.
struct ExecutionBody: Decodable, Sendable {
    let id: String
    /// The amount to pay; nil where the answer does not state one.
    let amount: PayrailsAmount?
    let status: [StatusBody]
    let links: ExecutionLinksBody
    let actionRequired: String?
}

/// The answer to a request to authorise or to confirm.
struct AuthorizeBody: Decodable, Sendable {
    struct Links: Decodable, Sendable {
        let execution: String?
    }

    let name: String
    let actionId: String
    let links: Links
}

/// The service's own description of an error.
struct ErrorEnvelope: Decodable, Sendable {
    let errors: [StatusBody.ErrorDetail]
}
