public import PayrailsProvider

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

/// The styles of a field at rest, focused, valid and invalid. The last three are merged over the first.
public struct CardFieldSpecificStyles: Sendable, Hashable {
    /// At rest.
    public let base: CardStyle?
    /// Focused.
    public let focus: CardStyle?
    /// With a complete and valid value.
    public let completed: CardStyle?
    /// With an invalid or missing value.
    public let invalid: CardStyle?

    /// Creates the styles of a field.
    public init(
        base: CardStyle? = nil, focus: CardStyle? = nil, completed: CardStyle? = nil, invalid: CardStyle? = nil
    ) {
        self.base = base
        self.focus = focus
        self.completed = completed
        self.invalid = invalid
    }

    /// The vendor's styles.
    public static let defaultStyle = CardFieldSpecificStyles(
        base: CardStyle(
            cornerRadius: 2, padding: StyleInsets(all: 10), borderWidth: 1, textAlignment: .left, textColor: .label),
        focus: CardStyle(borderColor: .systemBlue), completed: CardStyle(borderColor: .systemGreen),
        invalid: CardStyle(borderColor: .systemRed))

    /// Returns these styles with their nil values replaced by those of `other`.
    public func merged(over other: CardFieldSpecificStyles) -> CardFieldSpecificStyles {
        func merge(_ mine: CardStyle?, _ theirs: CardStyle?) -> CardStyle? {
            guard let mine, let theirs else { return mine ?? theirs }
            return mine.merged(over: theirs)
        }
        return CardFieldSpecificStyles(
            base: merge(base, other.base), focus: merge(focus, other.focus),
            completed: merge(completed, other.completed), invalid: merge(invalid, other.invalid))
    }
}

/// The look of a field or a text of the card form in one of its states. A nil value leaves the underlying style's.
public struct CardStyle: Sendable, Hashable {
    /// The border colour.
    public var borderColor: StyleColor?
    /// The corner radius in points.
    public var cornerRadius: Double?
    /// The space between border and text.
    public var padding: StyleInsets?
    /// The border's width in points.
    public var borderWidth: Double?
    /// The font.
    public var font: StyleFont?
    /// The alignment of the text.
    public var textAlignment: StyleTextAlignment?
    /// The text colour.
    public var textColor: StyleColor?
    /// The shadow.
    public var boxShadow: StyleShadow?
    /// The background colour.
    public var backgroundColor: StyleColor?
    /// The minimum width in points.
    public var minWidth: Double?
    /// The maximum width in points.
    public var maxWidth: Double?
    /// The minimum height in points.
    public var minHeight: Double?
    /// The maximum height in points.
    public var maxHeight: Double?
    /// The colour of the caret.
    public var cursorColor: StyleColor?
    /// The width in points.
    public var width: Double?
    /// The height in points.
    public var height: Double?
    /// The colour of the placeholder in an empty field.
    public var placeholderColor: StyleColor?
    /// The position of the brand's mark. Unlike the other values, its default is not nil, hence it overrides that of an
    /// underlying style unless it is set to nil.
    public var cardIconAlignment: CardIconAlignment?
    /// The space around the field.
    public var fieldInsets: StyleInsets?

    /// Creates a style.
    public init(
        borderColor: StyleColor? = nil, cornerRadius: Double? = nil, padding: StyleInsets? = nil,
        borderWidth: Double? = nil, font: StyleFont? = nil, textAlignment: StyleTextAlignment? = nil,
        textColor: StyleColor? = nil, boxShadow: StyleShadow? = nil, backgroundColor: StyleColor? = nil,
        minWidth: Double? = nil, maxWidth: Double? = nil, minHeight: Double? = nil, maxHeight: Double? = nil,
        cursorColor: StyleColor? = nil, width: Double? = nil, height: Double? = nil,
        placeholderColor: StyleColor? = nil, cardIconAlignment: CardIconAlignment? = .left,
        fieldInsets: StyleInsets? = nil
    ) {
        self.borderColor = borderColor
        self.cornerRadius = cornerRadius
        self.padding = padding
        self.borderWidth = borderWidth
        self.font = font
        self.textAlignment = textAlignment
        self.textColor = textColor
        self.boxShadow = boxShadow
        self.backgroundColor = backgroundColor
        self.minWidth = minWidth
        self.maxWidth = maxWidth
        self.minHeight = minHeight
        self.maxHeight = maxHeight
        self.cursorColor = cursorColor
        self.width = width
        self.height = height
        self.placeholderColor = placeholderColor
        self.cardIconAlignment = cardIconAlignment
        self.fieldInsets = fieldInsets
    }

    /// Returns this style with its nil values replaced by those of `other`.
    public func merged(over other: CardStyle) -> CardStyle {
        CardStyle(
            borderColor: borderColor ?? other.borderColor, cornerRadius: cornerRadius ?? other.cornerRadius,
            padding: padding ?? other.padding, borderWidth: borderWidth ?? other.borderWidth, font: font ?? other.font,
            textAlignment: textAlignment ?? other.textAlignment, textColor: textColor ?? other.textColor,
            boxShadow: boxShadow ?? other.boxShadow, backgroundColor: backgroundColor ?? other.backgroundColor,
            minWidth: minWidth ?? other.minWidth, maxWidth: maxWidth ?? other.maxWidth,
            minHeight: minHeight ?? other.minHeight, maxHeight: maxHeight ?? other.maxHeight,
            cursorColor: cursorColor ?? other.cursorColor, width: width ?? other.width, height: height ?? other.height,
            placeholderColor: placeholderColor ?? other.placeholderColor,
            cardIconAlignment: cardIconAlignment ?? other.cardIconAlignment,
            fieldInsets: fieldInsets ?? other.fieldInsets)
    }
}

/// A shadow around a field.
public struct StyleShadow: Sendable, Hashable {
    /// The colour of the shadow.
    public let color: StyleColor
    /// The offset to the right and down, in points.
    public let x, y: Double
    /// The blur radius in points.
    public let radius: Double

    /// Creates a shadow.
    public init(color: StyleColor, x: Double = 0, y: Double = 1, radius: Double = 2) {
        self.color = color
        self.x = x
        self.y = y
        self.radius = radius
    }
}

/// The alignment of text in a field.
public enum StyleTextAlignment: Sendable, Hashable, CaseIterable {
    /// At the left.
    case left
    /// In the middle.
    case center
    /// At the right.
    case right
    /// At the side where text of the language begins.
    case natural
}

/// The position of the brand's mark in the field of the card number.
public enum CardIconAlignment: Sendable, Hashable, CaseIterable {
    /// At the left.
    case left
    /// At the right.
    case right
}
