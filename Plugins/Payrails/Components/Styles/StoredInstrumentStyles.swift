/// How a list of stored instruments looks.
public struct StoredInstrumentsStyle: Sendable, Hashable {
    /// The ground of the list.
    public let backgroundColor: StyleColor
    /// The ground of a row.
    public let itemBackgroundColor: StyleColor
    /// The ground of the selected row.
    public let selectedItemBackgroundColor: StyleColor
    /// The text of a row.
    public let labelTextColor: StyleColor
    /// The font of a row.
    public let labelFont: StyleFont
    /// How round a row's corners are, in points.
    public let itemCornerRadius: Double
    /// The space between two rows, in points.
    public let itemSpacing: Double
    /// The space inside a row.
    public let itemPadding: StyleInsets
    /// The pay button.
    public let buttonStyle: StoredInstrumentButtonStyle
    /// The delete button.
    public let deleteButtonStyle: DeleteButtonStyle
    /// The update button.
    public let updateButtonStyle: UpdateButtonStyle

    /// Creates a style; whatever is left out is as in ``defaultStyle``.
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

/// How the pay button of a stored instrument looks.
public struct StoredInstrumentButtonStyle: Sendable, Hashable {
    /// The ground.
    public let backgroundColor: StyleColor
    /// The text.
    public let textColor: StyleColor
    /// The font.
    public let font: StyleFont
    /// How round the corners are, in points.
    public let cornerRadius: Double
    /// The height in points.
    public let height: Double
    /// The border's width in points.
    public let borderWidth: Double
    /// The border.
    public let borderColor: StyleColor
    /// The space around the text.
    public let contentEdgeInsets: StyleInsets

    /// Creates a style; whatever is left out is as in ``defaultStyle``.
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

/// How the delete button of a row looks.
public struct DeleteButtonStyle: Sendable, Hashable {
    /// The ground.
    public let backgroundColor: StyleColor
    /// The text.
    public let textColor: StyleColor
    /// The font.
    public let font: StyleFont
    /// How round the corners are, in points.
    public let cornerRadius: Double
    /// How large it is.
    public let size: StyleSize

    /// Creates a style; whatever is left out is as in ``defaultStyle``.
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

/// How the update button of a row looks.
public struct UpdateButtonStyle: Sendable, Hashable {
    /// The ground.
    public let backgroundColor: StyleColor
    /// The text.
    public let textColor: StyleColor
    /// The font.
    public let font: StyleFont
    /// How round the corners are, in points.
    public let cornerRadius: Double
    /// How large it is.
    public let size: StyleSize

    /// Creates a style; whatever is left out is as in ``defaultStyle``.
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
