public import PayrailsProvider

/// The fields of the card form, row by row.
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

    /// Number, name if wanted, then code, month and year in one row.
    public static let standard = preset(.standard)
    /// Number, then expiry as one field and code, then name if wanted.
    public static let compact = preset(.compact, useCombinedExpiryDateField: true)
    /// Number, then expiry as one field and code.
    public static let minimal = preset(.minimal, useCombinedExpiryDateField: true)

    /// Returns a preset arrangement.
    ///
    /// - Parameters:
    ///   - preset: the preset.
    ///   - useCombinedExpiryDateField: true if month and year are one field.
    public static func preset(_ preset: Preset, useCombinedExpiryDateField: Bool = false) -> CardLayoutConfig {
        CardLayoutConfig(source: .preset(preset), isCombined: useCombinedExpiryDateField)
    }

    /// Returns a custom arrangement. If it lacks number, code or expiry, or has the expiry both as one field and as
    /// two, the form uses the default rows instead.
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

    /// Returns the rows to show.
    ///
    /// - Parameter showNameField: true if presets include the name. A custom arrangement includes it by listing it.
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

    /// Returns `rows` without fields that no card form has, without repetitions and, if wanted, with one field for the
    /// expiry.
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
