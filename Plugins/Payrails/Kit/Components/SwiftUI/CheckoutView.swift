import PayrailsProvider

// Written for Apple platforms and never compiled on one. `make check-apple` has stand-ins. Hence this file makes no
// decisions: the tested states and models in the folder `Models` determine the content and the effect of a tap. Keep it
// small.

#if canImport(SwiftUI)
    import PaymentCore
    public import SwiftUI

    /// A whole checkout: ``CheckoutController`` in SwiftUI.
    @MainActor public struct CheckoutView: View {
        private let checkout: CheckoutController
        private let texts: CheckoutTexts
        @Environment(\.openURL) private var openURL

        /// Creates a view of `checkout`. The caller keeps a reference to it.
        public init(_ checkout: CheckoutController, texts: CheckoutTexts = CheckoutTexts()) {
            self.checkout = checkout
            self.texts = texts
        }

        /// The view.
        public var body: some View {
            let state = checkout.state
            VStack(alignment: .leading, spacing: 16) {
                if let notice = state.notice { Text(texts.text(of: notice)).bold() }
                if let page = state.challenge, let url = URL(string: page.text) {
                    Text(texts.challenge)
                    Button(texts.openChallenge) { openURL(url) }
                    Button(texts.leaveChallenge) { checkout.perform(.leaveChallenge) }
                } else if !state.isFinished {
                    if !state.instruments.rows.isEmpty {
                        Text(texts.stored).font(.headline)
                        StoredInstrumentsList(checkout.instruments, texts: texts, isEnabled: !state.isBusy) {
                            checkout.perform($0)
                        }
                    }
                    if let form = checkout.cardForm {
                        Text(texts.newCard).font(.headline)
                        CardFormFields(form)
                        PayButton(checkout.cardButton, isEnabled: !state.isBusy) { checkout.perform(form.payment) }
                    }
                    if !state.methods.isEmpty {
                        Text(texts.elsewhere).font(.headline)
                        ForEach(state.methods, id: \.self) { type in
                            Button(texts.text(of: type)) { checkout.perform(.payElsewhere(type)) }
                                .disabled(state.isBusy)
                        }
                    }
                }
                if state.isBusy { ProgressView(texts.processing) }
            }
            .alert(texts.deleteQuestion, isPresented: asking) {
                Button(texts.delete, role: .destructive) {
                    if case .asking(let id) = checkout.state.deletion.phase { checkout.perform(.delete(id)) }
                }
                Button(texts.keep, role: .cancel) { checkout.perform(.keep) }
            } message: {
                Text(texts.deleteExplanation)
            }
        }

        private var asking: Binding<Bool> {
            Binding(
                get: { if case .asking = checkout.state.deletion.phase { true } else { false } },
                // The buttons answer; the alert closes automatically after either.
                set: { _ in })
        }
    }

    /// A list of stored instruments: ``StoredInstrumentsModel`` in SwiftUI.
    @MainActor public struct StoredInstrumentsList: View {
        private let list: StoredInstrumentsModel
        private let texts: CheckoutTexts
        private let isEnabled: Bool
        private let perform: (@MainActor (CheckoutAction) -> Void)?
        @Environment(\.colorScheme) private var scheme

        /// Creates a view of `list`. The caller keeps a reference to it.
        public init(_ list: StoredInstrumentsModel, texts: CheckoutTexts = CheckoutTexts(), isEnabled: Bool = true) {
            self.init(list, texts: texts, isEnabled: isEnabled, perform: nil)
        }

        /// Creates a view whose taps are actions of a whole checkout.
        init(
            _ list: StoredInstrumentsModel, texts: CheckoutTexts, isEnabled: Bool,
            perform: (@MainActor (CheckoutAction) -> Void)?
        ) {
            self.list = list
            self.texts = texts
            self.isEnabled = isEnabled
            self.perform = perform
        }

        /// The view.
        public var body: some View {
            let style = list.style
            VStack(alignment: .leading, spacing: style.itemSpacing) {
                ForEach(list.state.rows, id: \.id) { row in
                    if let view = list.view(for: row.id) {
                        StoredInstrumentRow(
                            view, texts: texts, isEnabled: isEnabled && !list.state.isProcessing, perform: perform)
                    }
                }
            }
            .background(style.backgroundColor.color(in: scheme))
        }
    }

    /// A single stored instrument: ``StoredInstrumentModel`` in SwiftUI.
    @MainActor public struct StoredInstrumentRow: View {
        private let model: StoredInstrumentModel
        private let texts: CheckoutTexts
        private let isEnabled: Bool
        private let perform: (@MainActor (CheckoutAction) -> Void)?
        @Environment(\.colorScheme) private var scheme

        /// Creates a view of `model`. The caller keeps a reference to it.
        public init(_ model: StoredInstrumentModel, texts: CheckoutTexts = CheckoutTexts(), isEnabled: Bool = true) {
            self.init(model, texts: texts, isEnabled: isEnabled, perform: nil)
        }

        fileprivate init(
            _ model: StoredInstrumentModel, texts: CheckoutTexts, isEnabled: Bool,
            perform: (@MainActor (CheckoutAction) -> Void)?
        ) {
            self.model = model
            self.texts = texts
            self.isEnabled = isEnabled
            self.perform = perform
        }

        /// The view.
        public var body: some View {
            let style = model.style
            let row = model.state
            HStack(spacing: 8) {
                Button {
                    act(.select(row.isSelected ? nil : row.id)) { model.tap() }
                } label: {
                    Text(row.label.reveal()).font(style.labelFont.font)
                        .foregroundStyle(style.labelTextColor.color(in: scheme))
                        .frame(maxWidth: .infinity, alignment: .leading)
                }
                .buttonStyle(.plain)
                .disabled(!isEnabled)
                .accessibilityAddTraits(row.isSelected ? .isSelected : [])
                if row.hasDeleteButton {
                    Button("🗑️") { act(.askDeletion(row.id)) { model.tapDelete() } }
                        .disabled(!isEnabled)
                        .accessibilityLabel("\(texts.delete): \(row.label.reveal())")
                }
                if row.isPayButtonVisible {
                    PayButton(model.payButton, isEnabled: isEnabled) { act(.payStored(row.id)) { model.tapPay() } }
                }
            }
            .padding(style.itemPadding.edgeInsets)
            .background(
                (row.isSelected ? style.selectedItemBackgroundColor : style.itemBackgroundColor).color(in: scheme),
                in: RoundedRectangle(cornerRadius: style.itemCornerRadius))
        }

        /// Performs an action of the whole checkout, or the model's without one.
        private func act(_ action: CheckoutAction, alone: () -> Void) {
            if let perform { perform(action) } else { alone() }
        }
    }

    /// A pay button: ``CardPaymentButtonModel`` in SwiftUI.
    @MainActor public struct PayButton: View {
        private let button: CardPaymentButtonModel
        private let isEnabled: Bool
        private let pay: @MainActor () -> Void
        @Environment(\.colorScheme) private var scheme

        /// Creates a view of `button`. The caller keeps a reference to it.
        public init(_ button: CardPaymentButtonModel, isEnabled: Bool = true) {
            self.init(button, isEnabled: isEnabled) { button.tap() }
        }

        /// Creates a view of `button` whose tap is another one.
        init(_ button: CardPaymentButtonModel, isEnabled: Bool, pay: @escaping @MainActor () -> Void) {
            self.button = button
            self.isEnabled = isEnabled
            self.pay = pay
        }

        /// The view.
        public var body: some View {
            let style = button.style
            Button {
                pay()
            } label: {
                HStack {
                    if button.state.isProcessing { ProgressView() }
                    Text(button.state.title).font(style.font?.font)
                }
                .frame(minHeight: style.height ?? CardButtonStyle.fallbackHeight)
                .padding(.horizontal, style.contentEdgeInsets?.left ?? 16)
            }
            .buttonStyle(.plain)
            .foregroundStyle((style.textColor ?? .white).color(in: scheme))
            .background(
                (style.backgroundColor ?? .systemBlue).color(in: scheme),
                in: RoundedRectangle(cornerRadius: style.cornerRadius ?? 8)
            )
            .disabled(!isEnabled || button.state.isProcessing)
            .accessibilityLabel(button.state.accessibleName)
        }
    }

    /// The fields of a card form: ``CardFormModel`` in SwiftUI.
    @MainActor public struct CardFormFields: View {
        private let form: CardFormModel
        @FocusState private var focused: CardFieldType?

        /// Creates a view of `form`. The caller keeps a reference to it.
        public init(_ form: CardFormModel) { self.form = form }

        /// The view.
        public var body: some View {
            let styles = form.config.effectiveStyles
            VStack(alignment: .leading, spacing: styles.sectionSpacing ?? 16) {
                ForEach(form.state.rows, id: \.self) { row in
                    HStack(alignment: .top, spacing: styles.fieldSpacing ?? 10) {
                        ForEach(row, id: \.self) { field($0) }
                    }
                }
                if form.config.showSaveInstrument {
                    Toggle(
                        form.config.effectiveTranslations.labels?.saveInstrument ?? "Save card",
                        isOn: Binding(get: { form.saveInstrument }, set: { form.saveInstrument = $0 }))
                }
            }
            .onChange(of: focused) { old, new in
                if let new { form.focus(new) } else if let old { form.blur(old) }
            }
            .onAppear { form.onMoveFocus = { focused = $0 } }
        }

        private func field(_ field: CardFieldType) -> some View {
            VStack(alignment: .leading, spacing: 4) {
                TextField(
                    form.config.effectiveTranslations.placeholders?[field] ?? "",
                    text: Binding(
                        get: { form.state[field].text.reveal() }, set: { form.setText($0, for: field) })
                )
                .focused($focused, equals: field)
                .textFieldStyle(.roundedBorder)
                .accessibilityLabel(form.config.label(for: field))
                if let error = form.errorText(for: field) {
                    Text(error).font(.footnote).foregroundStyle(.red)
                }
            }
        }
    }

    // MARK: - Conversions

    extension StyleColor.Components {
        /// The colour for SwiftUI.
        public var color: Color {
            Color(
                .sRGB, red: Double(red) / 255, green: Double(green) / 255, blue: Double(blue) / 255, opacity: alpha)
        }
    }

    extension StyleColor {
        /// Returns the colour for the appearance `scheme`.
        public func color(in scheme: ColorScheme) -> Color { scheme == .dark ? dark.color : light.color }
    }

    extension StyleFont {
        /// The font for SwiftUI.
        public var font: Font {
            if let family { return Font.custom(family, size: size).weight(weight.swiftUI) }
            return Font.system(size: size, weight: weight.swiftUI)
        }
    }

    extension StyleFont.Weight {
        fileprivate var swiftUI: Font.Weight {
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

    extension StyleInsets {
        /// The insets for SwiftUI, for a layout from left to right.
        public var edgeInsets: EdgeInsets { EdgeInsets(top: top, leading: left, bottom: bottom, trailing: right) }
    }
#endif
