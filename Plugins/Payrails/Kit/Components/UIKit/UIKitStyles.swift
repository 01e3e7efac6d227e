// Conversions to and from UIKit's own types, and the styles made of them, as the vendor's are. If both overloads match,
// as for `.clear` and `.systemFont(ofSize: 16)`, the one without a platform is used.

#if canImport(UIKit) && !os(watchOS)
    public import UIKit

    extension StyleColor {
        /// Creates a colour from the system's, with its light and its dark appearance.
        @MainActor public init(_ color: UIColor) {
            func components(_ style: UIUserInterfaceStyle) -> Components {
                let resolved = color.resolvedColor(with: UITraitCollection(userInterfaceStyle: style))
                var (red, green, blue, alpha) = (CGFloat(0), CGFloat(0), CGFloat(0), CGFloat(1))
                resolved.getRed(&red, green: &green, blue: &blue, alpha: &alpha)
                // Wide-gamut colours lie outside 0…1.
                func byte(_ value: CGFloat) -> UInt8 { UInt8((min(max(value, 0), 1) * 255).rounded()) }
                return Components(red: byte(red), green: byte(green), blue: byte(blue), alpha: Double(alpha))
            }
            self.init(light: components(.light), dark: components(.dark))
        }

        /// The colour for UIKit.
        public var uiColor: UIColor {
            UIColor { traits in
                let one = traits.userInterfaceStyle == .dark ? dark : light
                return UIColor(
                    red: CGFloat(one.red) / 255, green: CGFloat(one.green) / 255, blue: CGFloat(one.blue) / 255,
                    alpha: CGFloat(one.alpha))
            }
        }
    }

    extension StyleInsets {
        /// Creates insets from UIKit's.
        public init(_ insets: UIEdgeInsets) {
            self.init(
                top: Double(insets.top), left: Double(insets.left), bottom: Double(insets.bottom),
                right: Double(insets.right))
        }
    }

    extension StyleFont {
        /// Creates a font from the system's. Its size is the present one; it does not follow the payer's text size.
        @MainActor public init(_ font: UIFont) {
            let traits = font.fontDescriptor.object(forKey: .traits) as? [UIFontDescriptor.TraitKey: Any]
            let weight = UIFont.Weight(rawValue: traits?[.weight] as? CGFloat ?? UIFont.Weight.regular.rawValue)
            // The name of the system's own font starts with a full stop, and cannot be used to request it.
            self.init(
                family: font.familyName.hasPrefix(".") ? nil : font.familyName, size: Double(font.pointSize),
                weight: Weight.allCases.min {
                    abs($0.uiKit.rawValue - weight.rawValue) < abs($1.uiKit.rawValue - weight.rawValue)
                } ?? .regular)
        }

        /// The font for UIKit.
        public var uiFont: UIFont {
            guard let family else { return .systemFont(ofSize: CGFloat(size), weight: weight.uiKit) }
            let traits: [UIFontDescriptor.TraitKey: Any] = [.weight: weight.uiKit.rawValue]
            return UIFont(
                descriptor: UIFontDescriptor(fontAttributes: [.family: family, .traits: traits]), size: CGFloat(size))
        }
    }

    extension StyleFont.Weight {
        fileprivate var uiKit: UIFont.Weight {
            switch self {
            case .ultraLight: .ultraLight
            case .thin: .thin
            case .light: .light
            case .regular: .regular
            case .medium: .medium
            case .semibold: .semibold
            case .bold: .bold
            case .heavy: .heavy
            case .black: .black
            }
        }
    }

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
