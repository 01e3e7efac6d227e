public import PayrailsProvider

/// The look of a card form's pay button.
public struct CardButtonStyle: Sendable, Hashable {
    /// The background colour.
    public let backgroundColor: StyleColor?
    /// The text colour.
    public let textColor: StyleColor?
    /// The font.
    public let font: StyleFont?
    /// The corner radius in points.
    public let cornerRadius: Double?
    /// The border's width in points.
    public let borderWidth: Double?
    /// The border colour.
    public let borderColor: StyleColor?
    /// The space around the text.
    public let contentEdgeInsets: StyleInsets?
    /// The height in points; nil is ``fallbackHeight``.
    public let height: Double?

    /// Creates a style.
    public init(
        backgroundColor: StyleColor? = nil, textColor: StyleColor? = nil, font: StyleFont? = nil,
        cornerRadius: Double? = nil, borderWidth: Double? = nil, borderColor: StyleColor? = nil,
        contentEdgeInsets: StyleInsets? = nil, height: Double? = nil
    ) {
        self.backgroundColor = backgroundColor
        self.textColor = textColor
        self.font = font
        self.cornerRadius = cornerRadius
        self.borderWidth = borderWidth
        self.borderColor = borderColor
        self.contentEdgeInsets = contentEdgeInsets
        self.height = height
    }

    /// The vendor's style.
    public static let defaultStyle = CardButtonStyle(
        backgroundColor: .systemBlue, textColor: .white, cornerRadius: 8)
    /// The height of a button whose style names none, in points.
    public static let fallbackHeight: Double = 44

    /// Creates the style of a stored instrument's button.
    public init(_ style: StoredInstrumentButtonStyle) {
        self.init(
            backgroundColor: style.backgroundColor, textColor: style.textColor, font: style.font,
            cornerRadius: style.cornerRadius, borderWidth: style.borderWidth, borderColor: style.borderColor,
            contentEdgeInsets: style.contentEdgeInsets, height: style.height)
    }
}

/// The look of the frame around the card form.
public struct CardWrapperStyle: Sendable, Hashable {
    /// The background colour.
    public let backgroundColor: StyleColor?
    /// The border colour.
    public let borderColor: StyleColor?
    /// The border's width in points.
    public let borderWidth: Double?
    /// The corner radius in points.
    public let cornerRadius: Double?
    /// The space inside the frame.
    public let padding: StyleInsets?

    /// Creates a style.
    public init(
        backgroundColor: StyleColor? = nil, borderColor: StyleColor? = nil, borderWidth: Double? = nil,
        cornerRadius: Double? = nil, padding: StyleInsets? = nil
    ) {
        self.backgroundColor = backgroundColor
        self.borderColor = borderColor
        self.borderWidth = borderWidth
        self.cornerRadius = cornerRadius
        self.padding = padding
    }

    /// The vendor's style.
    public static let defaultStyle = CardWrapperStyle(
        borderColor: .separator, borderWidth: 1, cornerRadius: 8, padding: StyleInsets(all: 16))

    /// Returns this style with its nil values replaced by those of `other`.
    public func merged(over other: CardWrapperStyle) -> CardWrapperStyle {
        CardWrapperStyle(
            backgroundColor: backgroundColor ?? other.backgroundColor, borderColor: borderColor ?? other.borderColor,
            borderWidth: borderWidth ?? other.borderWidth, cornerRadius: cornerRadius ?? other.cornerRadius,
            padding: padding ?? other.padding)
    }
}

/// The look of the whole card form.
public struct CardFormStylesConfig: Sendable, Hashable {
    /// The style of the frame.
    public let wrapperStyle: CardWrapperStyle?
    /// The style of the error texts below fields.
    public let errorTextStyle: CardStyle?
    /// The styles of every field.
    public let allInputFieldStyles: CardFieldSpecificStyles?
    /// The styles of single fields, merged over ``allInputFieldStyles``.
    public let inputFieldStyles: [CardFieldType: CardFieldSpecificStyles]?
    /// The styles of the fields' labels.
    public let labelStyles: [CardFieldType: CardStyle]?
    /// The space between the fields of a row, in points.
    public let fieldSpacing: Double?
    /// The space between rows, in points.
    public let sectionSpacing: Double?

    /// Creates a style.
    public init(
        wrapperStyle: CardWrapperStyle? = nil, errorTextStyle: CardStyle? = nil,
        allInputFieldStyles: CardFieldSpecificStyles? = nil,
        inputFieldStyles: [CardFieldType: CardFieldSpecificStyles]? = nil,
        labelStyles: [CardFieldType: CardStyle]? = nil, fieldSpacing: Double? = nil, sectionSpacing: Double? = nil
    ) {
        self.wrapperStyle = wrapperStyle
        self.errorTextStyle = errorTextStyle
        self.allInputFieldStyles = allInputFieldStyles
        self.inputFieldStyles = inputFieldStyles
        self.labelStyles = labelStyles
        self.fieldSpacing = fieldSpacing
        self.sectionSpacing = sectionSpacing
    }

    /// The vendor's style.
    public static let defaultConfig = CardFormStylesConfig(
        wrapperStyle: .defaultStyle, errorTextStyle: CardStyle(textColor: .systemRed),
        allInputFieldStyles: .defaultStyle, inputFieldStyles: [:],
        labelStyles: Dictionary(
            uniqueKeysWithValues: CardFieldType.cardFields.map { ($0, CardStyle(textColor: .secondaryLabel)) }),
        fieldSpacing: 10, sectionSpacing: 16)

    /// Returns this style with its nil values replaced by those of `other`, field by field.
    public func merged(over other: CardFormStylesConfig) -> CardFormStylesConfig {
        func merge<Key, Value>(
            _ mine: [Key: Value]?, _ theirs: [Key: Value]?, _ combine: (Value, Value) -> Value
        ) -> [Key: Value]? {
            guard let mine, let theirs else { return mine ?? theirs }
            return theirs.merging(mine) { combine($1, $0) }
        }
        func merge<Value>(_ mine: Value?, _ theirs: Value?, _ combine: (Value, Value) -> Value) -> Value? {
            guard let mine, let theirs else { return mine ?? theirs }
            return combine(mine, theirs)
        }
        return CardFormStylesConfig(
            wrapperStyle: merge(wrapperStyle, other.wrapperStyle) { $0.merged(over: $1) },
            errorTextStyle: merge(errorTextStyle, other.errorTextStyle) { $0.merged(over: $1) },
            allInputFieldStyles: merge(allInputFieldStyles, other.allInputFieldStyles) { $0.merged(over: $1) },
            inputFieldStyles: merge(inputFieldStyles, other.inputFieldStyles) { $0.merged(over: $1) },
            labelStyles: merge(labelStyles, other.labelStyles) { $0.merged(over: $1) },
            fieldSpacing: fieldSpacing ?? other.fieldSpacing, sectionSpacing: sectionSpacing ?? other.sectionSpacing)
    }

    /// Returns the styles of one field: its own merged over those of all fields.
    public func effectiveInputStyles(for field: CardFieldType) -> CardFieldSpecificStyles {
        let all = allInputFieldStyles ?? CardFieldSpecificStyles()
        return inputFieldStyles?[field]?.merged(over: all) ?? all
    }

    /// Returns the style of one field's label; month and year fall back on the date's.
    public func labelStyle(for field: CardFieldType) -> CardStyle? {
        if let own = labelStyles?[field] { return own }
        guard field == .EXPIRATION_MONTH || field == .EXPIRATION_YEAR else { return nil }
        return labelStyles?[.EXPIRATION_DATE]
    }
}
