import PaymentCore

/// Dates in the format of forms: `YYYY-MM-DD`, the `full-date` of RFC 3339, in the Gregorian calendar.
enum CalendarDate {
    /// Returns true if `text` is an existing day. Years 0001 to 9999.
    static func exists(_ text: String) -> Bool { CivilDay(text.utf8).map { $0.year >= 1 } ?? false }
}
