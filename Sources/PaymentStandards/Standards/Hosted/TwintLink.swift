import PaymentCore

/// The link by which a web shop on a phone opens a bank's TWINT app: `twint-issuer2://applinks/?al_applink_data={…}`.
///
/// Source: TWINT's guide to app switches on iOS. Its JSON holds a code of five digits, valid for some minutes, by which
/// only the service knows payee and amount. The numbers of issuers are not published; those from 1 to 39 are accepted.
struct TwintLink: ServiceLink {
    static let id = "twint-app"
    static let specification = "TWINT app switch"
    static let patterns: [StandardPattern] = (1...39).map { .scheme("twint-issuer\($0)") }

    let reading: ServiceReading

    private static let parameters = ServicePage.parameters(["al_applink_data"])

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source, Self.parameters)
        guard page.host == "applinks", page.path.isEmpty else { throw page.unknown() }
        let data = try page.required("al_applink_data")
        guard let json = try? JSONValue(parsing: data.text), json.object != nil else {
            throw data.defect(.malformed, "al_applink_data", "must be a JSON object")
        }
        // The code is among the extras, or a direct member.
        guard let code = (json["extras"]?["code"] ?? json["code"])?.string, code.utf8.count == 5,
            code.utf8.allSatisfy(\.isASCIIDigit)
        else { throw data.defect(.malformed, "code in al_applink_data", "must be five digits") }
        var reading = ServiceReading(Self.id, network: "twint")
        reading.setReference("code", code)
        self.reading = reading
    }
}
