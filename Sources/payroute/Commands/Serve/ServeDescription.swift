/// The OpenAPI 3.1 description of `payroute serve`, which it serves at `/openapi.json`. ``ServeSchemas`` has the
/// objects.
enum ServeDescription {
    static let text = #"""
        {
          "openapi": "3.1.0",
          "info": {
            "title": "payroute serve", "version": "1",
            "description": "Routes payment texts, and pays each payment once. Amounts are exact decimal texts."
          },
          "security": [{"token": []}],
          "paths": {
            "/health": {"get": {"operationId": "health", "summary": "Says that the process runs.", "security": [],
              "responses": {"200": \#(answer("Health")), "default": \#(error)}}},
            "/ready": {"get": {"operationId": "ready", "summary": "Says whether payments are taken.",
              "responses": {"200": \#(answer("Health")), "default": \#(error)}}},
            "/metrics": {"get": {"operationId": "metrics", "summary": "Counts, in the text form of Prometheus.",
              "responses": {"200": {"description": "Counts.", "content": {"text/plain": {"schema": {"type": "string"}}}},
                "default": \#(error)}}},
            "/openapi.json": {"get": {"operationId": "description", "summary": "This description.",
              "responses": {"200": {"description": "OpenAPI 3.1.", "content": {"application/json": {"schema": {"type": "object"}}}},
                "default": \#(error)}}},
            "/v1/readings": {"post": {"operationId": "readText", "summary": "Says what a text is: who gets how much until when. Sends nothing.",
              \#(body("Text")), "responses": {"200": \#(answer("Reading")), "default": \#(error)}}},
            "/v1/decisions": {"post": {"operationId": "routeText", "summary": "Says where a text leads and why. Sends nothing.",
              \#(body("Text")), "responses": {"200": \#(answer("Decision")), "default": \#(error)}}},
            "/v1/quotes": {"post": {"operationId": "quotePayment", "summary": "Asks the service for payee, amount and options. Nothing is paid.",
              \#(body("QuoteRequest")), "responses": {"200": \#(answer("Quote")), "default": \#(error)}}},
            "/v1/payments": {
              "get": {"operationId": "listPayments", "summary": "Lists the tenant's payments, the latest first.",
                "parameters": [
                  {"name": "before", "in": "query", "schema": {"type": "string"}, "description": "Only those before this id."},
                  {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 200}}],
                "responses": {"200": \#(answer("Payments")), "default": \#(error)}},
              "post": {"operationId": "pay", "summary": "Begins a payment, once for each key. The same key again returns the same payment.",
                "parameters": [{"name": "Idempotency-Key", "in": "header", "required": true,
                  "schema": {"type": "string", "pattern": "^[!-~]{1,255}$"}}],
                \#(body("PaymentRequest")),
                "responses": {"201": \#(answer("Payment")), "200": \#(answer("Payment")), "default": \#(error)}}},
            "/v1/payments/{id}": {\#(parameters("id")),
              "get": {"operationId": "showPayment", "summary": "Shows a payment.",
                "parameters": [{"name": "wait", "in": "query", "schema": {"type": "integer", "minimum": 0, "maximum": 60},
                  "description": "Answers once the payment no longer runs, or after so many seconds."}],
                "responses": {"200": \#(answer("Payment")), "default": \#(error)}}},
            "/v1/payments/{id}/events": {\#(parameters("id")),
              "get": {"operationId": "paymentEvents", "summary": "The payment after each change (event: payment), and remarks (event: note), until it ends.",
                "responses": {"200": {"description": "Server-sent events.",
                  "content": {"text/event-stream": {}}}, "default": \#(error)}}},
            "/v1/payments/{id}/resume": {\#(parameters("id")),
              "post": {"operationId": "resumePayment", "summary": "Resumes an interrupted payment. Finished steps are not run again.",
                "responses": {"202": \#(answer("Payment")), "default": \#(error)}}},
            "/v1/payments/{id}/cancel": {\#(parameters("id")),
              "post": {"operationId": "cancelPayment", "summary": "Cancels a payment as its payer, or answers 409 where it may be made all the same.",
                "responses": {"200": \#(answer("Payment")), "default": \#(error)}}},
            "/v1/payments/{id}/actions/{action}": {\#(parameters("id", "action")),
              "post": {"operationId": "answerPayment", "summary": "Answers what a payment asks of its payer, once.", \#(body("Answer")),
                "responses": {"202": \#(answer("Payment")), "default": \#(error)}}},
            "/v1/refunds": {"post": {"operationId": "refundPayment", "summary": "Refunds a payment as its merchant, once for each id.",
              \#(body("RefundRequest")), "responses": {"200": \#(answer("Statement")), "default": \#(error)}}},
            "/v1/captures": {"post": {"operationId": "capturePayment", "summary": "Captures authorised money as its merchant, once.",
              \#(body("CaptureRequest")), "responses": {"200": \#(answer("Statement")), "default": \#(error)}}},
            "/v1/cancellations": {"post": {"operationId": "cancelAsMerchant", "summary": "Cancels a payment that is not paid yet, as its merchant.",
              \#(body("CancellationRequest")), "responses": {"200": \#(answer("Statement")), "default": \#(error)}}},
            "/v1/returns": {"post": {"operationId": "takeReturn", "summary": "Takes the URL by which a payer came back.",
              \#(body("ReturnRequest")), "responses": {"200": \#(answer("Return")), "default": \#(error)}}},
            "/v1/notifications/{provider}": {\#(parameters("provider")),
              "post": {"operationId": "takeNotification", "summary": "Takes a service's notification, with its fields and its body byte for byte.",
                "requestBody": {"required": true,
                "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}},
                "responses": {"200": \#(answer("Statement")), "default": \#(error)}}}
          },
          "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": \#(ServeSchemas.text)
          }
        }

        """#

    private static let error = answer("Error")

    private static func answer(_ schema: String) -> String {
        #"{"description": "\#(schema)", \#(content(schema))}"#
    }

    private static func body(_ schema: String) -> String {
        #""requestBody": {"required": true, \#(content(schema))}"#
    }

    private static func content(_ schema: String) -> String {
        ##""content": {"application/json": {"schema": {"$ref": "#/components/schemas/\##(schema)"}}}"##
    }

    private static func parameters(_ names: String...) -> String {
        let list = names.map { #"{"name": "\#($0)", "in": "path", "required": true, "schema": {"type": "string"}}"# }
        return #""parameters": [\#(list.joined(separator: ", "))]"#
    }
}

// MARK: - Schemas

/// The objects of `payroute serve` (JSON schema, draft 2020-12). `Reading` is the line of `inspect --json`.
enum ServeSchemas {
    private static let instruction = "#/components/schemas/Instruction"

    static let text = #"""
        {
          "Reading": {\#(InspectSchema.line(instruction))},
          "Instruction": \#(InspectSchema.reading(instruction)),
          "Error": {
            "type": "object", "required": ["error"], "additionalProperties": false,
            "properties": {"error": {"$ref": "#/components/schemas/Failure"}}
          },
          "Failure": {
            "type": "object", "required": ["code", "message", "phase"], "additionalProperties": false,
            "properties": {
              "code": {"type": "string", "pattern": "^[a-z][a-z-]*$", "description": "Stable, for programs."},
              "message": {"type": "string", "description": "For people: what happened, and what to do."},
              "phase": {"enum": ["before-send", "maybe-sent", "answered"],
                "description": "before-send and answered: no money moved. maybe-sent: it may have."},
              "provider": {"type": "string"}
            }
          },
          "Health": {
            "type": "object", "required": ["status"], "additionalProperties": false,
            "properties": {"status": {"enum": ["ok", "ready"]}}
          },
          "Text": {
            "type": "object", "required": ["text"], "additionalProperties": false,
            "properties": {"text": {"type": "string", "minLength": 1}}
          },
          "Decision": {
            "type": "object", "additionalProperties": false,
            "required": ["candidates", "decision", "input", "provider", "reading", "reason", "reference", "role", "standard",
              "trust"],
            "properties": {
              "candidates": {"type": "array", "items": {"type": "string"}},
              "decision": {"enum": ["matched", "ambiguous", "recognized", "rejected", "unroutable"]},
              "input": {"type": "string"}, "provider": {"type": ["string", "null"]},
              "reading": {"$ref": "#/components/schemas/Instruction"}, "reason": {"type": "string"},
              "reference": {"type": ["string", "null"]}, "resembles": {"type": "object"},
              "role": {"enum": ["payment", "callback", "authorization", null]},
              "standard": {"type": ["string", "null"]}, "trust": {"enum": ["verified", "unverified", "unclear", null]}
            }
          },
          "Money": {
            "type": "object", "required": ["amount", "unit"], "additionalProperties": false,
            "properties": {
              "amount": {"type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?$"},
              "unit": {"type": "string", "description": "iso4217/EUR, caip19/… or BTC; in requests also sat, of whole satoshis."},
              "decimals": {"type": "integer", "minimum": 0, "maximum": 38, "description": "Of a token only."}
            }
          },
          "QuoteRequest": {
            "type": "object", "required": ["link"], "additionalProperties": false,
            "properties": {
              "link": {"type": "string", "minLength": 1}, "amount": {"$ref": "#/components/schemas/Money"},
              "accounts": {"type": "array", "items": {"type": "string"}, "description": "CAIP-10, of the payer's wallet."},
              "acceptingUnverified": {"type": "boolean", "description": "Consent to a link that does not prove where it leads."}
            }
          },
          "Option": {
            "type": "object", "required": ["amount", "estimate", "id", "title", "unit", "unmet"], "additionalProperties": false,
            "properties": {
              "amount": {"type": "string"}, "estimate": {"type": "boolean"}, "id": {"type": "string"},
              "title": {"type": "string"}, "unit": {"type": "string"},
              "unmet": {"type": "array", "items": {"$ref": "#/components/schemas/Need"},
                "description": "What is missing to pay with it."}
            }
          },
          "Need": {
            "type": "object", "required": ["need", "words"], "additionalProperties": false,
            "properties": {
              "need": {"enum": ["signing", "data", "page", "app", "code", "settlement"]},
              "method": {"type": "string", "description": "Of the wallet, to sign with."},
              "name": {"type": "string", "description": "Of the app."},
              "kind": {"type": "string", "description": "Of what a settler would pay."},
              "network": {"type": "string"}, "words": {"type": "string", "description": "For people."}
            }
          },
          "Quote": {
            "type": "object", "additionalProperties": false,
            "required": ["amount", "expires", "id", "options", "outcome", "payee", "provider", "reference", "unit"],
            "properties": {
              "amount": {"type": ["string", "null"]}, "expires": {"type": ["string", "null"]}, "id": {"type": "string"},
              "options": {"type": "array", "items": {"$ref": "#/components/schemas/Option"}},
              "outcome": {"anyOf": [{"$ref": "#/components/schemas/Outcome"}, {"type": "null"}]},
              "payee": {"type": "string"}, "provider": {"type": "string"}, "reference": {"type": "string"},
              "unit": {"type": ["string", "null"]}
            }
          },
          "PaymentRequest": {
            "type": "object", "additionalProperties": false,
            "description": "A link, or a quote in place of the link and all that it was quoted with.",
            "properties": {
              "link": {"type": "string", "minLength": 1}, "quote": {"type": "string", "minLength": 1},
              "option": {"type": "string", "description": "The option to be paid. Without it and limits the payment asks."},
              "limits": {"type": "array", "items": {"$ref": "#/components/schemas/Money"},
                "description": "Takes the first option that costs at most so much."},
              "amount": {"$ref": "#/components/schemas/Money"},
              "accounts": {"type": "array", "items": {"type": "string"}}, "acceptingUnverified": {"type": "boolean"}
            }
          },
          "Outcome": {
            "type": "object", "additionalProperties": false,
            "required": ["amount", "askAgain", "error", "outcome", "reason", "transaction", "unit"],
            "properties": {
              "amount": {"type": ["string", "null"]},
              "askAgain": {"type": "boolean", "description": "Resume the payment before paying in any other way."},
              "error": {"anyOf": [{"$ref": "#/components/schemas/Failure"}, {"type": "null"}]},
              "outcome": {"enum": ["succeeded", "declined", "cancelled", "expired", "pending", "unknown", "failed"]},
              "reason": {"type": "string"}, "transaction": {"type": ["string", "null"]},
              "unit": {"type": ["string", "null"]}
            }
          },
          "Action": {
            "type": "object", "required": ["id", "kind"], "additionalProperties": false,
            "description": "What the payer is asked for. The members depend on the kind.",
            "properties": {
              "id": {"type": "string"}, "kind": {"enum": ["choose", "amount", "sign", "data", "page", "app", "code", "settle"]},
              "payee": {"type": "string"}, "amount": {"type": ["string", "null"]}, "unit": {"type": ["string", "null"]},
              "options": {"type": "array", "items": {"$ref": "#/components/schemas/Option"}},
              "minimum": {"type": "string"}, "suggested": {"type": "string"},
              "account": {"type": "string"}, "method": {"type": "string"}, "parameters": {},
              "number": {"type": "integer"}, "of": {"type": "integer"},
              "review": {"anyOf": [{"$ref": "#/components/schemas/Review"}, {"type": "null"}]},
              "fields": {"type": "array", "items": {"$ref": "#/components/schemas/Field"}},
              "form": {"type": ["string", "null"]}, "url": {"type": ["string", "null"]}, "name": {"type": "string"},
              "payload": {"type": "object"}, "returns": {"type": "array", "items": {"type": "string"}},
              "text": {"type": "string"}, "expires": {"type": ["string", "null"]},
              "settlement": {"type": "string", "description": "The name of what is to be paid, which is paid at most once."},
              "endpoint": {"type": "string"}, "endpointKind": {"type": "string"}, "network": {"type": ["string", "null"]}
            }
          },
          "Review": {
            "type": "object", "required": ["digest", "lines", "warnings"], "additionalProperties": false,
            "properties": {
              "digest": {"type": ["string", "null"], "description": "What a signature of typed data signs."},
              "lines": {"type": "array", "items": {"type": "string"}, "description": "What signing does, for people."},
              "warnings": {"type": "array", "items": {"type": "string"}}
            }
          },
          "Field": {
            "type": "object", "required": ["id", "name", "kind", "required"], "additionalProperties": false,
            "properties": {
              "id": {"type": "string"}, "name": {"type": "string"}, "kind": {"type": "string"},
              "required": {"type": "boolean"}
            }
          },
          "Answer": {
            "type": "object", "additionalProperties": false,
            "description": "The member of the action's kind (page and app: url, where there is one; code: none), or decline.",
            "properties": {
              "decline": {"type": "boolean"}, "option": {"type": "string"}, "amount": {"$ref": "#/components/schemas/Money"},
              "result": {"type": "string", "description": "As the wallet's RPC returns it."},
              "values": {"type": "object"}, "url": {"type": "string"},
              "preimage": {"type": "string", "description": "Of a Lightning payment, hexadecimal."},
              "transaction": {"type": "string", "description": "The id of a transaction on the chain, hexadecimal."}
            }
          },
          "Payment": {
            "type": "object", "additionalProperties": false,
            "required": ["action", "amount", "created", "id", "input", "key", "outcome", "payee", "provider", "reference",
              "state", "unit"],
            "properties": {
              "action": {"anyOf": [{"$ref": "#/components/schemas/Action"}, {"type": "null"}]},
              "amount": {"type": ["string", "null"]}, "created": {"type": "string"}, "id": {"type": "string"},
              "input": {"type": "string", "description": "The link, as far as it may be shown."}, "key": {"type": "string"},
              "outcome": {"anyOf": [{"$ref": "#/components/schemas/Outcome"}, {"type": "null"}]},
              "payee": {"type": ["string", "null"]}, "provider": {"type": ["string", "null"]},
              "reference": {"type": ["string", "null"]},
              "state": {"enum": ["running", "waiting", "interrupted", "ended"]}, "unit": {"type": ["string", "null"]}
            }
          },
          "Payments": {
            "type": "object", "required": ["before", "payments"], "additionalProperties": false,
            "properties": {
              "before": {"type": ["string", "null"], "description": "Asks for the next page; null on the last."},
              "payments": {"type": "array", "items": {"$ref": "#/components/schemas/Payment"}}
            }
          },
          "RefundRequest": {
            "type": "object", "required": ["payment", "amount", "id"], "additionalProperties": false,
            "properties": {
              "payment": {"type": "string", "minLength": 1, "description": "provider/id, or its link."},
              "amount": {"$ref": "#/components/schemas/Money"},
              "id": {"type": "string", "minLength": 1, "description": "The refund's id, such as a credit note's, any text: it stands for one payment and one amount in the account, and the same refund is made once."}
            }
          },
          "CaptureRequest": {
            "type": "object", "required": ["payment", "amount"], "additionalProperties": false,
            "properties": {"payment": {"type": "string", "minLength": 1}, "amount": {"$ref": "#/components/schemas/Money"}}
          },
          "CancellationRequest": {
            "type": "object", "required": ["payment"], "additionalProperties": false,
            "properties": {"payment": {"type": "string", "minLength": 1}}
          },
          "Statement": {
            "type": "object", "required": ["outcome", "provider", "reference", "subject"], "additionalProperties": false,
            "properties": {
              "outcome": {"$ref": "#/components/schemas/Outcome"}, "provider": {"type": "string"},
              "reference": {"type": "string"}, "subject": {"enum": ["payment", "capture", "refund"]}
            }
          },
          "ReturnRequest": {
            "type": "object", "required": ["url"], "additionalProperties": false,
            "properties": {"url": {"type": "string", "minLength": 1}}
          },
          "Return": {
            "type": "object", "required": ["taken"], "additionalProperties": false,
            "properties": {"taken": {"type": "boolean", "description": "True if a payment here was waiting for it."}}
          }
        }
        """#
}
