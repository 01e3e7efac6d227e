// The styles of stored instruments, made of UIKit's own types, as the vendor's are. Where both overloads match, as for
// `.clear` and `.systemFont(ofSize: 16)`, the one without a platform is used.

#if canImport(UIKit) && !os(watchOS)
    public import UIKit

    extension StoredInstrumentsStyle {
        /// Creates a style; omitted values are those of ``defaultStyle``.
        @_disfavoredOverload
        @MainActor public init(
            backgroundColor: UIColor? = nil, itemBackgroundColor: UIColor? = nil,
            selectedItemBackgroundColor: UIColor? = nil, labelTextColor: UIColor? = nil, labelFont: UIFont? = nil,
            itemCornerRadius: CGFloat = 8, itemSpacing: CGFloat = 8, itemPadding: UIEdgeInsets? = nil,
            buttonStyle: StoredInstrumentButtonStyle = .defaultStyle,
            deleteButtonStyle: DeleteButtonStyle = .defaultStyle, updateButtonStyle: UpdateButtonStyle = .defaultStyle
        ) {
            let usual = Self.defaultStyle
            self.init(
                backgroundColor: backgroundColor.map { StyleColor($0) } ?? usual.backgroundColor,
                itemBackgroundColor: itemBackgroundColor.map { StyleColor($0) } ?? usual.itemBackgroundColor,
                selectedItemBackgroundColor: selectedItemBackgroundColor.map { StyleColor($0) }
                    ?? usual.selectedItemBackgroundColor,
                labelTextColor: labelTextColor.map { StyleColor($0) } ?? usual.labelTextColor,
                labelFont: labelFont.map { StyleFont($0) } ?? usual.labelFont,
                itemCornerRadius: Double(itemCornerRadius), itemSpacing: Double(itemSpacing),
                itemPadding: itemPadding.map { StyleInsets($0) } ?? usual.itemPadding, buttonStyle: buttonStyle,
                deleteButtonStyle: deleteButtonStyle, updateButtonStyle: updateButtonStyle)
        }
    }

    extension StoredInstrumentButtonStyle {
        /// Creates a style; omitted values are those of ``defaultStyle``.
        @_disfavoredOverload
        @MainActor public init(
            backgroundColor: UIColor? = nil, textColor: UIColor? = nil, font: UIFont? = nil,
            cornerRadius: CGFloat = 8, height: CGFloat = 44, borderWidth: CGFloat = 0, borderColor: UIColor? = nil,
            contentEdgeInsets: UIEdgeInsets? = nil
        ) {
            let usual = Self.defaultStyle
            self.init(
                backgroundColor: backgroundColor.map { StyleColor($0) } ?? usual.backgroundColor,
                textColor: textColor.map { StyleColor($0) } ?? usual.textColor,
                font: font.map { StyleFont($0) } ?? usual.font, cornerRadius: Double(cornerRadius),
                height: Double(height), borderWidth: Double(borderWidth),
                borderColor: borderColor.map { StyleColor($0) } ?? usual.borderColor,
                contentEdgeInsets: contentEdgeInsets.map { StyleInsets($0) } ?? usual.contentEdgeInsets)
        }
    }

    extension DeleteButtonStyle {
        /// Creates a style; omitted values are those of ``defaultStyle``.
        @_disfavoredOverload
        @MainActor public init(
            backgroundColor: UIColor? = nil, textColor: UIColor? = nil, font: UIFont? = nil,
            cornerRadius: CGFloat = 4, size: CGSize = CGSize(width: 32, height: 32)
        ) {
            let usual = Self.defaultStyle
            self.init(
                backgroundColor: backgroundColor.map { StyleColor($0) } ?? usual.backgroundColor,
                textColor: textColor.map { StyleColor($0) } ?? usual.textColor,
                font: font.map { StyleFont($0) } ?? usual.font, cornerRadius: Double(cornerRadius),
                size: StyleSize(size))
        }
    }

    extension UpdateButtonStyle {
        /// Creates a style; omitted values are those of ``defaultStyle``.
        @_disfavoredOverload
        @MainActor public init(
            backgroundColor: UIColor? = nil, textColor: UIColor? = nil, font: UIFont? = nil,
            cornerRadius: CGFloat = 4, size: CGSize = CGSize(width: 32, height: 32)
        ) {
            let usual = Self.defaultStyle
            self.init(
                backgroundColor: backgroundColor.map { StyleColor($0) } ?? usual.backgroundColor,
                textColor: textColor.map { StyleColor($0) } ?? usual.textColor,
                font: font.map { StyleFont($0) } ?? usual.font, cornerRadius: Double(cornerRadius),
                size: StyleSize(size))
        }
    }
#endif
