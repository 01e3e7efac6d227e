import PaymentCore

extension PayrailsSandbox {
    /// The client's data for a session, in the service's form.
    struct SessionPayload {
        let execution: Execution
        let holder: Holder
        let token: String
        /// Standard base64 of the card key's SubjectPublicKeyInfo.
        let encryptionKey: String

        /// The value has no effect on the client.
        static let version = "1.0.0"
        static let providerConfig = "0d6f1a7c-5b8e-4a3d-9f10-7c2b4e6d8a90"
        static let workspace = "3b0f8f52-9c3a-4f7e-8a41-2d5c6b7e8f90"

        var body: JSONValue {
            let base = execution.base
            return [
                "token": .string(token), "holderReference": .string(execution.holder),
                "amount": execution.amount.body, "type": .string(execution.type),
                "vaultConfiguration": [
                    "vaultType": "Payrails", "status": "enabled", "providerConfigId": .string(Self.providerConfig),
                    "encryptionPublicKey": .string(encryptionKey), "encryptionPublicKeyExpiresIn": 3300,
                    "links": ["saveInstrument": Self.link("POST", "\(base)/public/payment/instruments")],
                ],
                "links": [
                    "binLookup": [],
                    "instrumentDelete": Self.link("DELETE", "\(base)/public/payment/instruments/:instrumentId"),
                    "instrumentUpdate": Self.link("PATCH", "\(base)/public/payment/instruments/:instrumentId"),
                ],
                "execution": executionBody,
            ]
        }

        private var executionBody: JSONValue {
            let zero = JSONValue.string(Timestamp.zeroText)
            let isZero = execution.scenario.plan.hasZeroTimes
            let time = isZero ? zero : .string(execution.createdAt.text)
            let authorize = Self.link("POST", execution.selfLink + "/authorize")
            var body = execution.body(holderID: holder.id)
            body["createdAt"] = time
            body["initialResults"] = [
                [
                    "httpCode": 200,
                    "body": [
                        "name": "lookup", "actionId": .string(execution.id), "executedAt": time,
                        "workspaceId": .string(Self.workspace),
                        "data": ["paymentCompositionOptions": .array(options)],
                        "links": ["execution": .string(execution.selfLink), "authorize": authorize],
                    ],
                ]
            ]
            return body
        }

        private var options: [JSONValue] {
            [
                [
                    "integrationType": "api", "paymentMethodCode": "card",
                    "clientConfig": ["displayName": "Card", "flow": "embedded", "supportsSaveInstrument": true],
                    "paymentInstruments": .array(instruments("card")),
                ],
                [
                    "integrationType": "api", "paymentMethodCode": "payPal",
                    "clientConfig": ["displayName": "PayPal", "flow": "embedded", "supportsSaveInstrument": true],
                    "config": ["clientId": "sandbox-client", "merchantId": "SANDBOXMERCHANT"],
                    "paymentInstruments": .array(instruments("payPal")),
                ],
                [
                    "integrationType": "api", "paymentMethodCode": "applePay",
                    "clientConfig": ["displayName": "Apple Pay", "flow": "embedded"],
                    "config": [
                        "type": "CARD",
                        "parameters": [
                            "countryCode": "AT", "merchantIdentifier": "merchant.example.sandbox",
                            "merchantCapabilities": ["supports3DS"], "supportedNetworks": ["VISA", "MASTERCARD"],
                        ],
                    ],
                ],
                [
                    "integrationType": "hpp", "paymentMethodCode": "ideal", "description": "Pay at your bank",
                    "clientConfig": ["displayName": "iDEAL", "flow": "redirect"], "config": [:],
                ],
            ]
        }

        private func instruments(_ method: String) -> [JSONValue] {
            let kept = [execution.gone].compactMap { $0 } + holder.instruments
            var list = kept.filter { $0.method == method }.map { $0.listed(holderID: holder.id) }
            if method == "card", case .oneMalformed = execution.scenario.plan.cards {
                list.append(["id": "instrument-without-date", "status": "enabled", "paymentMethod": "card"])
            }
            return list
        }

        static func link(_ method: String, _ href: String) -> JSONValue {
            ["method": .string(method), "href": .string(href)]
        }
    }
}

extension PayrailsSandbox.Execution {
    /// Returns the execution in the form of every call's answer.
    func body(holderID: String) -> JSONValue {
        var body: JSONValue = [
            "id": .string(id), "workspaceId": .string(PayrailsSandbox.SessionPayload.workspace),
            "merchantReference": .string(merchantReference), "holderReference": .string(holder),
            "holderId": .string(holderID), "amount": amount.body, "createdAt": .string(createdAt.text),
            "workflow": ["code": .string(workflow), "version": 56], "links": links,
            "status": .array(listedEntries.map(\.body)),
        ]
        if let action {
            switch action.state {
            case .open, .approved: body["actionRequired"] = .string(action.word)
            case .done: break
            }
        }
        return body
    }

    /// The statuses in an order like the recorded one: newest first, but the oldest before the one after it.
    private var listedEntries: [Entry] {
        var list = entries.sorted { $0.time > $1.time }
        if list.count > 2 { list.swapAt(list.count - 1, list.count - 2) }
        return list
    }

    private var links: JSONValue {
        var links: JSONValue = [
            "self": .string(selfLink),
            "authorize": PayrailsSandbox.SessionPayload.link("POST", selfLink + "/authorize"),
        ]
        switch action?.kind {
        case .challenge?: links["3ds"] = .string(pageLink)
        case .redirect?: links["redirect"] = .string(pageLink)
        case .payPal(let order, let agreement, _)?:
            let page = "\(base)/agreements/approve?ba_token=\(agreement)"
            links["redirect"] = .string(page)
            var confirm = PayrailsSandbox.SessionPayload.link("POST", selfLink + "/confirm")
            confirm["action"] = [
                "type": "confirm", "redirectMethod": "GET", "redirectUrl": .string(page),
                "parameters": ["tokenId": .string(agreement), "orderId": .string(order)],
            ]
            links["confirm"] = confirm
        case nil: break
        }
        for verb in PayrailsSandbox.MerchantAction.Verb.allCases where isAllowed(verb) {
            links[verb.rawValue] = PayrailsSandbox.SessionPayload.link("POST", "\(selfLink)/\(verb.rawValue)")
        }
        return links
    }
}
