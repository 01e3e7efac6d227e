public import Foundation

/// The look of a list of stored instruments.
public struct StoredInstrumentsStyle: Sendable, Hashable {
    /// The background colour of the list.
    public let backgroundColor: StyleColor
    /// The background colour of a row.
    public let itemBackgroundColor: StyleColor
    /// The background colour of the selected row.
    public let selectedItemBackgroundColor: StyleColor
    /// The text colour of a row.
    public let labelTextColor: StyleColor
    /// The font of a row.
    public let labelFont: StyleFont
    /// The corner radius of a row in points.
    public let itemCornerRadius: Double
    /// The space between two rows, in points.
    public let itemSpacing: Double
    /// The space inside a row.
    public let itemPadding: StyleInsets
    /// The style of the pay button.
    public let buttonStyle: StoredInstrumentButtonStyle
    /// The style of the delete button.
    public let deleteButtonStyle: DeleteButtonStyle
    /// The style of the update button.
    public let updateButtonStyle: UpdateButtonStyle

    /// Creates a style; omitted values are those of ``defaultStyle``.
    public init(
        backgroundColor: StyleColor = .clear, itemBackgroundColor: StyleColor = .systemBackground,
        selectedItemBackgroundColor: StyleColor = .systemGray6, labelTextColor: StyleColor = .label,
        labelFont: StyleFont = .systemFont(ofSize: 16), itemCornerRadius: Double = 8, itemSpacing: Double = 8,
        itemPadding: StyleInsets = StyleInsets(top: 12, left: 16, bottom: 12, right: 16),
        buttonStyle: StoredInstrumentButtonStyle = .defaultStyle, deleteButtonStyle: DeleteButtonStyle = .defaultStyle,
        updateButtonStyle: UpdateButtonStyle = .defaultStyle
    ) {
        self.backgroundColor = backgroundColor
        self.itemBackgroundColor = itemBackgroundColor
        self.selectedItemBackgroundColor = selectedItemBackgroundColor
        self.labelTextColor = labelTextColor
        self.labelFont = labelFont
        self.itemCornerRadius = itemCornerRadius
        self.itemSpacing = itemSpacing
        self.itemPadding = itemPadding
        self.buttonStyle = buttonStyle
        self.deleteButtonStyle = deleteButtonStyle
        self.updateButtonStyle = updateButtonStyle
    }

    /// The vendor's style.
    public static let defaultStyle = StoredInstrumentsStyle()
}

/// The look of a stored instrument's pay button.
public struct StoredInstrumentButtonStyle: Sendable, Hashable {
    /// The background colour.
    public let backgroundColor: StyleColor
    /// The text colour.
    public let textColor: StyleColor
    /// The font.
    public let font: StyleFont
    /// The corner radius in points.
    public let cornerRadius: Double
    /// The height in points.
    public let height: Double
    /// The border's width in points.
    public let borderWidth: Double
    /// The border colour.
    public let borderColor: StyleColor
    /// The space around the text.
    public let contentEdgeInsets: StyleInsets

    /// Creates a style; omitted values are those of ``defaultStyle``.
    public init(
        backgroundColor: StyleColor = .systemBlue, textColor: StyleColor = .white,
        font: StyleFont = .systemFont(ofSize: 16, weight: .medium), cornerRadius: Double = 8, height: Double = 44,
        borderWidth: Double = 0, borderColor: StyleColor = .clear,
        contentEdgeInsets: StyleInsets = StyleInsets(top: 8, left: 16, bottom: 8, right: 16)
    ) {
        self.backgroundColor = backgroundColor
        self.textColor = textColor
        self.font = font
        self.cornerRadius = cornerRadius
        self.height = height
        self.borderWidth = borderWidth
        self.borderColor = borderColor
        self.contentEdgeInsets = contentEdgeInsets
    }

    /// The vendor's style.
    public static let defaultStyle = StoredInstrumentButtonStyle()
}

/// The look of a row's delete button.
public struct DeleteButtonStyle: Sendable, Hashable {
    /// The background colour.
    public let backgroundColor: StyleColor
    /// The text colour.
    public let textColor: StyleColor
    /// The font.
    public let font: StyleFont
    /// The corner radius in points.
    public let cornerRadius: Double
    /// The size in points.
    public let size: StyleSize

    /// Creates a style; omitted values are those of ``defaultStyle``.
    public init(
        backgroundColor: StyleColor = .systemRed, textColor: StyleColor = .white,
        font: StyleFont = .systemFont(ofSize: 14), cornerRadius: Double = 4,
        size: StyleSize = StyleSize(width: 32, height: 32)
    ) {
        self.backgroundColor = backgroundColor
        self.textColor = textColor
        self.font = font
        self.cornerRadius = cornerRadius
        self.size = size
    }

    /// The vendor's style.
    public static let defaultStyle = DeleteButtonStyle()
}

extension DeleteButtonStyle {
    /// Creates a style with a size in the system's own type.
    public init(
        backgroundColor: StyleColor = .systemRed, textColor: StyleColor = .white,
        font: StyleFont = .systemFont(ofSize: 14), cornerRadius: Double = 4, size: CGSize
    ) {
        self.init(
            backgroundColor: backgroundColor, textColor: textColor, font: font, cornerRadius: cornerRadius,
            size: StyleSize(size))
    }
}

/// The look of a row's update button.
public struct UpdateButtonStyle: Sendable, Hashable {
    /// The background colour.
    public let backgroundColor: StyleColor
    /// The text colour.
    public let textColor: StyleColor
    /// The font.
    public let font: StyleFont
    /// The corner radius in points.
    public let cornerRadius: Double
    /// The size in points.
    public let size: StyleSize

    /// Creates a style; omitted values are those of ``defaultStyle``.
    public init(
        backgroundColor: StyleColor = .systemBlue, textColor: StyleColor = .white,
        font: StyleFont = .systemFont(ofSize: 14), cornerRadius: Double = 4,
        size: StyleSize = StyleSize(width: 32, height: 32)
    ) {
        self.backgroundColor = backgroundColor
        self.textColor = textColor
        self.font = font
        self.cornerRadius = cornerRadius
        self.size = size
    }

    /// The vendor's style.
    public static let defaultStyle = UpdateButtonStyle()
}

extension UpdateButtonStyle {
    /// Creates a style with a size in the system's own type.
    public init(
        backgroundColor: StyleColor = .systemBlue, textColor: StyleColor = .white,
        font: StyleFont = .systemFont(ofSize: 14), cornerRadius: Double = 4, size: CGSize
    ) {
        self.init(
            backgroundColor: backgroundColor, textColor: textColor, font: font, cornerRadius: cornerRadius,
            size: StyleSize(size))
    }
}

/// The texts of a list of stored instruments.
public struct StoredInstrumentsTranslations: Sendable, Hashable {
    /// The beginning of a card's label.
    public let cardPrefix: String
    /// The beginning of a PayPal account's label.
    public let paypalPrefix: String
    /// The pay button's texts.
    public let buttonTranslations: StoredInstrumentButtonTranslations

    /// Creates texts; omitted ones are the vendor's English.
    public init(
        cardPrefix: String = "Card ending in", paypalPrefix: String = "PayPal",
        buttonTranslations: StoredInstrumentButtonTranslations = StoredInstrumentButtonTranslations()
    ) {
        self.cardPrefix = cardPrefix
        self.paypalPrefix = paypalPrefix
        self.buttonTranslations = buttonTranslations
    }
}

/// The texts of a stored instrument's pay button.
public struct StoredInstrumentButtonTranslations: Sendable, Hashable {
    /// The button's text.
    public let label: String
    /// The button's text while the payment is in progress.
    public let processingLabel: String

    /// Creates texts; omitted ones are the vendor's English.
    public init(label: String = "Pay", processingLabel: String = "Processing...") {
        self.label = label
        self.processingLabel = processingLabel
    }
}

/// The text of a card form's pay button. The name is the vendor's, misspelling included.
public struct CardPaymenButtonTranslations: Sendable, Hashable {
    /// The button's text.
    public let label: String?

    /// Creates texts.
    public init(label: String? = "Pay") { self.label = label }
}
