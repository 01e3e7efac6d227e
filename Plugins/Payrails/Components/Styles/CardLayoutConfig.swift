public import PayrailsTypes

/// Which fields the card form has, row by row.
public struct CardLayoutConfig: Sendable, Hashable {
    /// The arrangements that need no list of fields.
    public enum Preset: Sendable, Hashable, CaseIterable {
        /// Number, name, then the rest in one row.
        case standard
        /// Number, expiry and code in one row, name last.
        case compact
        /// Number, expiry and code; never a name.
        case minimal
    }

    private enum Source: Sendable, Hashable {
        case preset(Preset)
        case custom([[CardFieldType]])
    }

    private let source: Source
    private let isCombined: Bool

    /// Month and year apart.
    public static let standard = preset(.standard)
    /// Number, expiry as one field, code, name.
    public static let compact = preset(.compact, useCombinedExpiryDateField: true)
    /// Number, expiry as one field, code.
    public static let minimal = preset(.minimal, useCombinedExpiryDateField: true)

    /// Returns a preset arrangement.
    ///
    /// - Parameters:
    ///   - preset: which one.
    ///   - useCombinedExpiryDateField: Whether month and year are one field.
    public static func preset(_ preset: Preset, useCombinedExpiryDateField: Bool = false) -> CardLayoutConfig {
        CardLayoutConfig(source: .preset(preset), isCombined: useCombinedExpiryDateField)
    }

    /// Returns an arrangement of one's own. One that lacks number, code or expiry, or has the expiry both as one and as
    /// two fields, is not used: the form then has the rows of no layout at all.
    public static func custom(
        _ rows: [[CardFieldType]], useCombinedExpiryDateField: Bool = false
    ) -> CardLayoutConfig {
        CardLayoutConfig(source: .custom(rows), isCombined: useCombinedExpiryDateField)
    }

    /// Returns the rows of a form without a layout.
    public static func defaultRows(showNameField: Bool) -> [[CardFieldType]] {
        let rest: [CardFieldType] = [.CVV, .EXPIRATION_MONTH, .EXPIRATION_YEAR]
        return showNameField ? [[.CARD_NUMBER], [.CARDHOLDER_NAME], rest] : [[.CARD_NUMBER], rest]
    }

    /// Returns the rows as they are shown.
    ///
    /// - Parameter showNameField: Whether presets include the name. A custom arrangement has it when it lists it.
    public func rows(showNameField: Bool) -> [[CardFieldType]] {
        let fallback = Self.defaultRows(showNameField: showNameField)
        let wanted: [[CardFieldType]]
        switch source {
        case .preset(.standard): wanted = fallback
        case .preset(.compact):
            wanted =
                [[.CARD_NUMBER], [.EXPIRATION_MONTH, .EXPIRATION_YEAR, .CVV]]
                + (showNameField ? [[.CARDHOLDER_NAME]] : [])
        case .preset(.minimal): wanted = [[.CARD_NUMBER], [.EXPIRATION_MONTH, .EXPIRATION_YEAR, .CVV]]
        case .custom(let rows): wanted = rows
        }
        let rows = Self.arranged(wanted, isCombined: isCombined)
        return Self.isUsable(rows) ? rows : fallback
    }

    /// `rows` without what no card form has, without repetitions and, if wanted, with one field for the expiry.
    private static func arranged(_ rows: [[CardFieldType]], isCombined: Bool) -> [[CardFieldType]] {
        var seen: Set<CardFieldType> = []
        return rows.map { row in
            row.filter(CardFieldType.cardFields.contains).map { field in
                let isPart = field == .EXPIRATION_MONTH || field == .EXPIRATION_YEAR
                return isCombined && isPart ? .EXPIRATION_DATE : field
            }.filter { seen.insert($0).inserted }
        }.filter { !$0.isEmpty }
    }

    private static func isUsable(_ rows: [[CardFieldType]]) -> Bool {
        let fields = Set(rows.joined())
        guard fields.contains(.CARD_NUMBER), fields.contains(.CVV) else { return false }
        let parts = fields.intersection([.EXPIRATION_MONTH, .EXPIRATION_YEAR]).count
        return fields.contains(.EXPIRATION_DATE) ? parts == 0 : parts == 2
    }
}
