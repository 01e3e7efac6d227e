#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    public import UIKit

    // Written for Apple platforms and never compiled on one; `make check-apple` has stand-ins. Hence this folder makes
    // no decisions: the tested states and models beside it determine the content and the effect of a tap. Keep it
    // small.

    /// A button that shows its activity: the superclass of pay buttons.
    @MainActor public class ActionButton: UIButton {
        /// Called when the payer taps.
        public var onTap: (() -> Void)?
        private let spinner = UIActivityIndicatorView(style: .medium)
        private var insets = StyleInsets.zero
        private var leastHeight = CardButtonStyle.fallbackHeight

        /// Creates a button.
        public init() {
            super.init(frame: .zero)
            addAction(UIAction { [weak self] _ in self?.onTap?() }, for: .touchUpInside)
            spinner.translatesAutoresizingMaskIntoConstraints = false
            addSubview(spinner)
            NSLayoutConstraint.activate([
                spinner.centerXAnchor.constraint(equalTo: centerXAnchor),
                spinner.centerYAnchor.constraint(equalTo: centerYAnchor),
            ])
        }

        /// Returns nil: these buttons are created in code.
        @available(*, unavailable)
        public required init?(coder: NSCoder) { nil }

        /// The size that text, insets and style require.
        public override var intrinsicContentSize: CGSize {
            let text = super.intrinsicContentSize
            return CGSize(
                width: text.width + CGFloat(insets.left + insets.right),
                height: max(CGFloat(leastHeight), text.height + CGFloat(insets.top + insets.bottom)))
        }

        /// Shows a state in a style.
        func show(_ state: CardPaymentButtonState, _ style: CardButtonStyle) {
            backgroundColor = (style.backgroundColor ?? .systemBlue).uiColor
            setTitle(state.title, for: .normal)
            setTitleColor((style.textColor ?? .white).uiColor, for: .normal)
            spinner.color = (style.textColor ?? .white).uiColor
            if let font = style.font { titleLabel?.font = font.uiFont }
            layer.cornerRadius = CGFloat(style.cornerRadius ?? 8)
            layer.borderWidth = CGFloat(style.borderWidth ?? 0)
            layer.borderColor = style.borderColor?.uiColor.resolvedColor(with: traitCollection).cgColor
            insets = style.contentEdgeInsets ?? StyleInsets(top: 0, left: 16, bottom: 0, right: 16)
            leastHeight = style.height ?? CardButtonStyle.fallbackHeight
            invalidateIntrinsicContentSize()
            isEnabled = !state.isProcessing
            accessibilityLabel = state.accessibleName
            // A title that reports the progress needs no activity indicator.
            if state.isProcessing, state.title.isEmpty { spinner.startAnimating() } else { spinner.stopAnimating() }
        }
    }

    /// Shows every state of a model until it is released.
    @MainActor final class Watch {
        private let task: Task<Void, Never>

        init<State: Sendable>(_ states: AsyncStream<State>, _ show: @escaping @MainActor (State) -> Void) {
            task = Task { for await state in states { show(state) } }
        }

        deinit { task.cancel() }
    }
#endif
