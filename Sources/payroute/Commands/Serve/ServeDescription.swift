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
