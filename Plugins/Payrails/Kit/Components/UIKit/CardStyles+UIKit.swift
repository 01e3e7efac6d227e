// The styles of the card form, made of UIKit's own types, as the vendor's are; see
// `StoredInstrumentStyles+UIKit.swift`.

#if canImport(UIKit) && !os(watchOS)
    public import UIKit

    extension CardButtonStyle {
        /// Creates a style.
        @_disfavoredOverload
        @MainActor public init(
            backgroundColor: UIColor? = nil, textColor: UIColor? = nil, font: UIFont? = nil,
            cornerRadius: CGFloat? = nil, borderWidth: CGFloat? = nil, borderColor: UIColor? = nil,
            contentEdgeInsets: UIEdgeInsets? = nil, height: CGFloat? = nil
        ) {
            self.init(
                backgroundColor: backgroundColor.map { StyleColor($0) }, textColor: textColor.map { StyleColor($0) },
                font: font.map { StyleFont($0) }, cornerRadius: cornerRadius.map { Double($0) },
                borderWidth: borderWidth.map { Double($0) }, borderColor: borderColor.map { StyleColor($0) },
                contentEdgeInsets: contentEdgeInsets.map { StyleInsets($0) }, height: height.map { Double($0) })
        }
    }

    extension CardWrapperStyle {
        /// Creates a style.
        @_disfavoredOverload
        @MainActor public init(
            backgroundColor: UIColor? = nil, borderColor: UIColor? = nil, borderWidth: CGFloat? = nil,
            cornerRadius: CGFloat? = nil, padding: UIEdgeInsets? = nil
        ) {
            self.init(
                backgroundColor: backgroundColor.map { StyleColor($0) },
                borderColor: borderColor.map { StyleColor($0) }, borderWidth: borderWidth.map { Double($0) },
                cornerRadius: cornerRadius.map { Double($0) }, padding: padding.map { StyleInsets($0) })
        }
    }

    extension CardStyle {
        /// Creates a style of the values that UIKit has types for; set the sizes afterwards.
        @_disfavoredOverload
        @MainActor public init(
            borderColor: UIColor? = nil, cornerRadius: CGFloat? = nil, padding: UIEdgeInsets? = nil,
            borderWidth: CGFloat? = nil, font: UIFont? = nil, textColor: UIColor? = nil,
            backgroundColor: UIColor? = nil, cursorColor: UIColor? = nil, placeholderColor: UIColor? = nil,
            cardIconAlignment: CardIconAlignment? = .left, fieldInsets: UIEdgeInsets? = nil
        ) {
            self.init(
                borderColor: borderColor.map { StyleColor($0) }, cornerRadius: cornerRadius.map { Double($0) },
                padding: padding.map { StyleInsets($0) }, borderWidth: borderWidth.map { Double($0) },
                font: font.map { StyleFont($0) }, textColor: textColor.map { StyleColor($0) },
                backgroundColor: backgroundColor.map { StyleColor($0) },
                cursorColor: cursorColor.map { StyleColor($0) },
                placeholderColor: placeholderColor.map { StyleColor($0) }, cardIconAlignment: cardIconAlignment,
                fieldInsets: fieldInsets.map { StyleInsets($0) })
        }
    }
#endif
