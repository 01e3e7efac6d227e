/// The JSON schema (draft 2020-12) of a line of `payroute inspect --json`, which `payroute inspect --schema` prints.
enum InspectSchema {
    private static let place = "#/$defs/reading"

    static let text = #"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "A line of payroute inspect --json",
        \#(line(place)),
          "$defs": {
            "reading": \#(reading(place))
          }
        }

        """#

    /// The members of the schema of a line.
    ///
    /// - Parameter place: Where the schema of its reading is.
    static func line(_ place: String) -> String {
        #"""
          "type": "object",
          "required": ["candidates", "decision", "error", "fields", "input", "provider", "reading", "reason", "reference",
            "role", "standard", "trust", "valid"],
          "additionalProperties": false,
          "properties": {
            "candidates": {"type": "array", "items": {"type": "string"}},
            "decision": {"enum": ["matched", "ambiguous", "recognized", "rejected", "unroutable"]},
            "error": {"type": ["string", "null"]},
            "fields": {"type": "object"},
            "input": {"type": "string"},
            "provider": {"type": ["string", "null"]},
            "reading": {"$ref": "\#(place)"},
            "reason": {"type": "string"},
            "reference": {"type": ["string", "null"]},
            "resembles": {
              "type": "object",
              "required": ["difference", "host", "provider"],
              "additionalProperties": false,
              "properties": {
                "difference": {"type": "string"}, "host": {"type": "string"}, "provider": {"type": "string"}
              }
            },
            "role": {"enum": ["payment", "callback", "authorization", null]},
            "standard": {"type": ["string", "null"]},
            "trust": {"enum": ["verified", "unverified", "unclear", null]},
            "valid": {"type": "boolean"}
          }
        """#
    }

    /// The schema of a reading, which stands at `place`.
    static func reading(_ place: String) -> String {
        #"""
        {
          "type": "object",
          "required": ["advice", "alternatives", "amount", "amountKind", "expired", "expires", "kind", "memo", "network",
            "networkName", "payee", "payeeCheck", "payeeName", "payments", "provider", "reference", "repeats", "standard",
            "summary", "title", "unclear", "unit", "unread", "warnings"],
          "additionalProperties": false,
          "properties": {
            "advice": {"type": "string", "description": "The next step, for people."},
            "alternatives": {"type": "array", "items": {"$ref": "\#(place)"}},
            "amount": {"type": ["string", "null"], "description": "Exact, in main units.",
              "pattern": "^[0-9]+(\\.[0-9]+)?$"},
            "amountKind": {"enum": ["open", "fixed", "minimum", "suggested", "uncounted", "onService", "several"]},
            "expired": {"type": ["boolean", "null"], "description": "By the clock of the machine."},
            "expires": {"type": ["string", "null"], "description": "RFC 3339, in UTC.",
              "pattern": "^[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"},
            "kind": {"enum": ["payment", "pull", "receipt", "presentation", "information", "callback",
              "authorization", "connection", "ambiguous", "invalid", "unknown"]},
            "memo": {"type": ["string", "null"]},
            "network": {"type": ["string", "null"], "description": "A CAIP-2 id, or a short name."},
            "networkName": {"type": ["string", "null"]},
            "payee": {"type": ["string", "null"], "description": "The account, as the standard spells it."},
            "payeeCheck": {"enum": ["none", "checksum", "textChecksum", "signature", null]},
            "payeeName": {"type": ["string", "null"], "description": "A claim of the text's author."},
            "payments": {"type": "array", "description": "All payments, where the text asks for several together.",
              "items": {
                "type": "object", "required": ["amount", "amountKind", "memo", "payee", "payeeName", "unit"],
                "additionalProperties": false,
                "properties": {
                  "amount": {"type": ["string", "null"]}, "amountKind": {"type": "string"},
                  "memo": {"type": ["string", "null"]}, "payee": {"type": ["string", "null"]},
                  "payeeName": {"type": ["string", "null"]}, "unit": {"type": ["string", "null"]}
                }
              }},
            "provider": {"type": ["string", "null"], "description": "The provider that can pay it."},
            "reference": {"type": ["string", "null"]},
            "repeats": {"description": "The rhythm of a standing order or mandate; every is null on demand.",
              "type": ["object", "null"], "required": ["every", "first", "last", "unit"], "additionalProperties": false,
              "properties": {
                "every": {"type": ["integer", "null"]}, "first": {"type": ["string", "null"]},
                "last": {"type": ["string", "null"]}, "unit": {"enum": ["day", "week", "month", "year"]}
              }},
            "standard": {"type": ["string", "null"]},
            "summary": {"type": "string", "description": "One line for people: who gets how much until when."},
            "title": {"type": "string"},
            "unclear": {"type": "array", "description": "The names of unread parts that could change the payment.",
              "items": {"type": "string"}},
            "unit": {"type": ["string", "null"],
              "description": "iso4217/EUR, caip19/…, BTC, wei, a bare symbol, or smallest-unit-of: and a token."},
            "unread": {"type": "object", "description": "The parts of the text that are not known, by name.",
              "additionalProperties": {"type": ["string", "null"]}},
            "warnings": {"type": "array", "items": {"type": "string"}}
          }
        }
        """#
    }
}
