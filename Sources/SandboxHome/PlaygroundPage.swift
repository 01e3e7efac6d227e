import PaymentCore
import PaymentStandards
import SandboxSupport

/// `/playground`: any payment text, read by the same router as on the command line.
struct PlaygroundPage {
    let services: [any ListedService]
    let actions: any SandboxActions
    let text: String?
    var problem: String?
    /// The builder whose form was sent, and the form's items.
    var built: String?
    var items: FormItems?

    func response(_ nonce: String) -> HTTPResponse {
        // Text that is longer than any payment text is not read at all.
        let text = self.text.flatMap {
            $0.utf8.count <= 65_536 ? $0 : String(decoding: $0.utf8.prefix(9000), as: UTF8.self)
        }
        let reading = text.flatMap { $0.isEmpty ? nil : actions.read($0) }
        let shown = reading?.hidesSecret == true ? "" : text ?? ""
        return HomeFrame.page(
            "Playground", room: "/playground", nonce: nonce,
            """
            <h1>Playground</h1>
            <p>Nothing leaves this machine, and nothing is paid.</p>
            <form method="post" action="/playground" id="read">
            <label for="text">A payment link, URI or QR text</label>
            <textarea id="text" name="text" spellcheck="false" autocomplete="off">\(HTMLText.escape(shown, keepingLines: true))</textarea>
            <div class="actions"><button class="primary">Inspect</button>
            <button type="button" id="scan" hidden>Scan with the camera</button></div>
            <p role="status" id="scan-state"></p>
            <video id="camera" class="qr" hidden muted playsinline></video>
            </form>
            \(problem.map { "<p role=\"alert\" class=\"problems\">\(HTMLText.escape($0))</p>" } ?? "")
            \(reading.map { result($0, text ?? "") } ?? examples)
            <form method="post" action="/playground" enctype="multipart/form-data" class="actions">
            <div><label for="image">A picture of a code <small>(PNG or JPEG, up to 1 MB)</small></label>
            <input type="file" id="image" name="image" accept="image/png,image/jpeg" required></div>
            <button>Read the picture</button></form>
            <h2>Build a payment text</h2>
            \(TextBuilder.all.map(builder).joined())
            """)
    }

    /// One text of each kind, for a page without one: the services' links, then payment standards.
    private var examples: String {
        let texts = [
            ListedExample(
                "Bitcoin", "bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?amount=0.0123&label=Kaffeehaus"),
            ListedExample(
                "Lightning",
                "lnbc2500u1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzq"
                    + "fqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpu9qrsgquk0rl77nj30yxdy8j9v"
                    + "dx85fkpmdla2087ne0xh8nhedh8w27kyke0lp53ut353s06fv3qfegext0eh0ymjpf39tuven09sam30g4vgpfna3r"
                    + "h"
            ),
            ListedExample("GiroCode", "BCD\n002\n1\nSCT\n\nRed Cross\nDE89370400440532013000\nEUR12.50"),
            ListedExample("UPI", "upi://pay?pa=nadeem@npci&pn=Nadeem&am=3000&cu=INR"),
        ]
        let links = (services.flatMap(\.examples) + texts).map { example in
            "<a class=\"button\" href=\"/playground?text=\(HTMLText.escape(PercentCoding.encode(example.text)))\">"
                + "\(HTMLText.escape(example.title))</a>"
        }
        return """
            <h2>Examples</h2>
            <p class="actions" id="examples">\(links.joined(separator: "\n"))</p>

            """
    }

    private func result(_ reading: TextReading, _ text: String) -> String {
        let tone =
            reading.error != nil || ["rejected", "unroutable"].contains(reading.decision)
            ? "bad" : reading.trust ?? "verified" != "verified" || reading.decision == "ambiguous" ? "doubtful" : "good"
        let common = reading.rows.map { ($0.label.prefix(1).uppercased() + $0.label.dropFirst(), $0.text) }
        var rows: [(String, String)] = []
        for case (let name, let value?) in [
            ("Provider", reading.provider), ("Standard", reading.standard), ("Payment", reading.reference),
            ("Role", reading.role), ("Trust", reading.trust),
            // If the defect states the reason and more, once is enough.
            ("Why", reading.error?.contains(reading.reason) == true ? nil : reading.reason),
            ("Wrong", reading.error),
            ("Resembles", reading.lookAlike),
        ] { rows.append((name, value)) }
        if !reading.candidates.isEmpty { rows.append(("Candidates", reading.candidates.joined(separator: ", "))) }
        let warnings = reading.warnings.map {
            "<li><strong>\(HTMLText.escape($0.name))</strong>: \(HTMLText.escape($0.words))</li>"
        }
        let fields = reading.fields.map {
            "<tr><th scope=\"row\">\(HTMLText.escape($0.name))</th><td><bdi class=\"code\">\(HTMLText.escape($0.value))</bdi></td></tr>"
        }
        let drawing =
            reading.hidesSecret
            ? "<p class=\"note\">It holds a secret: neither it nor its QR code is shown.</p>"
            : actions.picture(of: text).map {
                "<div class=\"qr\" role=\"img\" aria-label=\"QR code of the text\">\($0)</div>"
            } ?? ""
        return """
            <section class="card" id="result" aria-labelledby="reading">
            <h2 id="reading"><bdi>\(HTMLText.escape(reading.summary))</bdi></h2>
            \(HomeFrame.list(common))\(warnings.isEmpty ? "" : "<h3>Know before you pay</h3><ul>\(warnings.joined())</ul>")
            <h3>Where it goes</h3>
            <p><span class="chip \(tone)" id="decision">\(HTMLText.escape(reading.decision))</span> <bdi class="code">\(HTMLText.escape(reading.shown))</bdi></p>
            \(HomeFrame.list(rows))
            \(fields.isEmpty ? "" : "<h3>Fields</h3><table><tbody>\(fields.joined(separator: "\n"))</tbody></table>")
            \(drawing)
            </section>

            """
    }

    private func builder(_ builder: TextBuilder) -> String {
        let fields = builder.fields.map { field in
            let id = "\(builder.id)-\(field.name)"
            let value = built == builder.id ? items?[field.name] ?? "" : ""
            return """
                <label for="\(id)">\(HTMLText.escape(field.title))</label>
                <input id="\(id)" name="\(field.name)" value="\(HTMLText.escape(value))" autocomplete="off"\(field.isRequired ? " required" : "")>

                """
        }
        return """
            <details\(built == builder.id ? " open" : "")><summary>\(HTMLText.escape(builder.title))</summary>
            <form method="post" action="/playground"><input type="hidden" name="build" value="\(builder.id)">
            \(fields.joined())<div class="actions"><button>Make it</button></div></form></details>

            """
    }
}

// MARK: - Forms that build texts

/// Makes a payment text of a standard from the fields of a form.
struct TextBuilder: Sendable {
    struct Field: Sendable {
        let name: String
        let title: String
        var isRequired = false
    }

    let id: String
    let title: String
    let fields: [Field]
    /// Makes the text. An error states the defect.
    private let make: @Sendable ([String: String]) throws -> String?

    /// Returns the text of a builder.
    static func text(_ id: String, _ values: [String: String]) -> (text: String?, problem: String?) {
        guard let builder = all.first(where: { $0.id == id }) else { return (nil, "There is no such builder.") }
        let values = values.filter { !$0.value.isEmpty }
        if let missing = builder.fields.first(where: { $0.isRequired && values[$0.name] == nil }) {
            return (nil, "\(missing.title) is missing.")
        }
        do {
            guard let text = try builder.make(values) else {
                return (nil, "Nothing can be made of this: please check the address and the amount.")
            }
            return (text, nil)
        } catch let defect as StandardDefect {
            return (nil, "Nothing can be made of this: \(defect).")
        } catch let error as MoneyError {
            return (nil, "Nothing can be made of this: \(error).")
        } catch {
            return (nil, "Nothing can be made of this: the amount is too large.")
        }
    }

    /// An amount that a text of this standard cannot hold.
    private struct TooLargeError: Error {}

    static let all = [
        TextBuilder(
            id: "bitcoin", title: "Bitcoin (BIP 321)",
            fields: [
                Field(name: "address", title: "Address", isRequired: true),
                Field(name: "amount", title: "Amount in bitcoin"),
                Field(name: "label", title: "Payee's name"), Field(name: "message", title: "What for"),
            ]
        ) { values in
            let satoshi = try values["amount"].map { try minorUnits($0, .satoshi) }
            let link = try BIP321(text: "bitcoin:" + (values["address"] ?? ""))
            guard let address = link.address else { return nil }
            return BIP321(
                address: address, amountSat: satoshi, label: values["label"], message: values["message"])?.text
        },
        TextBuilder(
            id: "epc", title: "SEPA credit transfer (EPC code, GiroCode)",
            fields: [
                Field(name: "name", title: "Payee's name", isRequired: true),
                Field(name: "iban", title: "IBAN", isRequired: true), Field(name: "amount", title: "Amount in euro"),
                Field(name: "remittance", title: "What for"),
            ]
        ) { values in
            let cents = try values["amount"].map { try minorUnits($0, Currency(unit: "iso4217/EUR")) }
            let iban = (values["iban"] ?? "").filter { $0 != " " }
            return try EPCCode(
                name: values["name"] ?? "", iban: iban, cents: cents, remittance: values["remittance"]
            ).text
        },
        TextBuilder(
            id: "payto", title: "payto: with an IBAN",
            fields: [
                Field(name: "iban", title: "IBAN", isRequired: true), Field(name: "amount", title: "Amount"),
                Field(name: "currency", title: "Currency"), Field(name: "name", title: "Payee's name"),
                Field(name: "message", title: "What for"),
            ]
        ) { values in
            let iban = (values["iban"] ?? "").filter { $0 != " " }
            return try Payto(
                target: "iban", path: [iban], amount: values["amount"].map { (values["currency"] ?? "EUR", $0) },
                receiverName: values["name"], message: values["message"]
            ).text
        },
        TextBuilder(
            id: "ethereum", title: "Ether (ERC-681)",
            fields: [
                Field(name: "address", title: "Address", isRequired: true),
                Field(name: "chain", title: "Chain's number"),
                Field(name: "amount", title: "Amount in ether"),
            ]
        ) { values in
            let ether = try Currency(unit: "caip19/eip155:1/slip44:60")
            let wei = try values["amount"].map {
                String(try Money(decimal: $0, currency: ether, exponent: 18).minorUnits)
            }
            let chain = values["chain"].map { UInt64($0) }
            guard chain != .some(nil) else { return nil }
            return EIP681(address: values["address"] ?? "", chainID: chain ?? nil, wei: wei)?.text
        },
        TextBuilder(
            id: "solana", title: "Solana Pay",
            fields: [
                Field(name: "recipient", title: "Recipient", isRequired: true), Field(name: "amount", title: "Amount"),
                Field(name: "token", title: "Token's mint"), Field(name: "label", title: "Payee's name"),
                Field(name: "message", title: "What for"),
            ]
        ) { values in
            SolanaPay(
                recipient: values["recipient"] ?? "", amount: values["amount"], token: values["token"],
                label: values["label"], message: values["message"])?.text
        },
        TextBuilder(
            id: "upi", title: "UPI",
            fields: [
                Field(name: "address", title: "Payee's address", isRequired: true),
                Field(name: "name", title: "Payee's name", isRequired: true),
                Field(name: "amount", title: "Amount in rupees"), Field(name: "note", title: "What for"),
            ]
        ) { values in
            let paise = try values["amount"].map { try minorUnits($0, Currency(unit: "iso4217/INR")) }
            return try UPILink(
                address: values["address"] ?? "", name: values["name"] ?? "", paise: paise, note: values["note"]
            ).text
        },
    ]

    /// Returns an amount as people write it, in the smallest unit.
    private static func minorUnits(_ text: String, _ currency: Currency) throws -> UInt64 {
        let units = try Money(decimal: text, currency: currency).minorUnits
        guard let count = UInt64(exactly: units) else { throw TooLargeError() }
        return count
    }
}

// MARK: - Uploaded pictures

/// The file of a form (RFC 7578): the part with its name. Other parts are ignored.
struct UploadedFile {
    let bytes: [UInt8]

    /// Reads the part called `name` of a body. The result is nil if there is none, or if the body is truncated.
    init?(_ name: String, of body: [UInt8], contentType: String) {
        guard let boundary = Self.boundary(contentType) else { return nil }
        let line = Array("\r\n".utf8)
        let mark = line + Array("--\(boundary)".utf8)
        // The first boundary has no line before it.
        let parts = (line + body).split(separator: mark, omittingEmptySubsequences: false).dropFirst().dropLast()
        for part in parts {
            guard part.starts(with: line), let end = part.firstRange(of: line + line) else { continue }
            let head = String(decoding: part[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
            let disposition = head.first { $0.lowercased().hasPrefix("content-disposition:") }
            guard let disposition,
                disposition.split(separator: ";").contains(where: { item in
                    let word = item.drop { $0 == " " }
                    return word == "name=\"\(name)\"" || word == "name=\(name)"
                })
            else { continue }
            bytes = Array(part[end.upperBound...])
            return
        }
        return nil
    }

    private static func boundary(_ type: String) -> String? {
        for item in type.split(separator: ";").dropFirst() {
            let item = item.drop { $0 == " " }
            guard item.lowercased().hasPrefix("boundary=") else { continue }
            let value = item.dropFirst(9).filter { $0 != "\"" }
            return (1...70).contains(value.utf8.count) ? value : nil
        }
        return nil
    }
}
